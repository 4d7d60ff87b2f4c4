# Everything sotto stands on, all of it Debian's (scripts/bootstrap installs it).
find_package(Eigen3 3.4 REQUIRED NO_MODULE)
find_package(Threads REQUIRED)
find_package(OpenSSL 3.0 REQUIRED)
find_package(fmt REQUIRED)
find_package(tl-expected REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(tomlplusplus REQUIRED)
find_package(CLI11 REQUIRED)
find_package(PkgConfig REQUIRED)
find_package(ZLIB REQUIRED)
find_package(SQLite3 REQUIRED)
find_package(Protobuf REQUIRED)
find_package(gRPC CONFIG REQUIRED)
find_program(GRPC_CPP_PLUGIN grpc_cpp_plugin REQUIRED)
find_path(SPECTRA_INCLUDE Spectra/SymEigsSolver.h REQUIRED)
pkg_check_modules(GMP REQUIRED IMPORTED_TARGET gmpxx gmp)
pkg_check_modules(MPFR REQUIRED IMPORTED_TARGET mpfr)
pkg_check_modules(MICROHTTPD REQUIRED IMPORTED_TARGET libmicrohttpd)

# Kinds of tables that sotto can do without: what is not there is left out (`sotto --version`).
set(SOTTO_TABLE_LIBRARIES "")
set(SOTTO_TABLE_KINDS "")
pkg_check_modules(LIBPQ IMPORTED_TARGET libpq)
if(LIBPQ_FOUND)
  list(APPEND SOTTO_TABLE_LIBRARIES PkgConfig::LIBPQ)
  list(APPEND SOTTO_TABLE_KINDS SOTTO_POSTGRESQL)
endif()
find_path(READSTAT_INCLUDE readstat.h)
find_library(READSTAT_LIBRARY readstat)
if(READSTAT_INCLUDE AND READSTAT_LIBRARY)
  list(APPEND SOTTO_TABLE_LIBRARIES ${READSTAT_LIBRARY})
  list(APPEND SOTTO_TABLE_KINDS SOTTO_READSTAT)
endif()

# Simulations across machines: without MPI there is no module that the program could load.
find_package(MPI COMPONENTS CXX QUIET)
if(MPI_CXX_FOUND)
  set(SOTTO_MPI_LIBRARIES MPI::MPI_CXX)
  # Its C++ interface is gone from the standard, and from what we call.
  set(SOTTO_MPI_KINDS OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX)
  find_path(SOTTO_PTSCOTCH_INCLUDE ptscotch.h PATH_SUFFIXES scotch)
  find_library(PTSCOTCH_LIBRARY ptscotch)
  find_library(SCOTCH_LIBRARY scotch)
  find_library(PTSCOTCH_ERROR_LIBRARY ptscotcherr)
  if(SOTTO_PTSCOTCH_INCLUDE AND PTSCOTCH_LIBRARY AND SCOTCH_LIBRARY AND PTSCOTCH_ERROR_LIBRARY)
    list(APPEND SOTTO_MPI_LIBRARIES
         ${PTSCOTCH_LIBRARY} ${SCOTCH_LIBRARY} ${PTSCOTCH_ERROR_LIBRARY})
    list(APPEND SOTTO_MPI_KINDS SOTTO_PTSCOTCH)
  endif()
endif()

if(SOTTO_TESTS)
  find_package(GTest REQUIRED)
  find_package(rapidcheck REQUIRED)
  find_package(benchmark REQUIRED)
  pkg_check_modules(OPENBLAS REQUIRED IMPORTED_TARGET openblas)
endif()

add_library(sotto_options INTERFACE)
target_include_directories(sotto_options INTERFACE
  ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include)
target_include_directories(sotto_options SYSTEM INTERFACE ${SPECTRA_INCLUDE})
# No fused multiply-add behind our back: the message-by-message simulator and
# the vectorised engine must give the same bits.
target_compile_options(sotto_options INTERFACE
  -Wall -Wextra -Wpedantic -Wconversion -Wshadow -ffp-contract=off -pthread
  # g++ 12 raises it for members of an empty std::optional
  $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>
  # The compiler tidies its memory once it has 700 MB, not every few: an eighth of the time.
  $<$<CXX_COMPILER_ID:GNU>:--param=ggc-min-heapsize=700000>
  $<$<BOOL:${SOTTO_WARNINGS_ARE_ERRORS}>:-Werror>)
if(SOTTO_SANITIZE)
  target_compile_options(sotto_options INTERFACE
    -fsanitize=${SOTTO_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(sotto_options INTERFACE -fsanitize=${SOTTO_SANITIZE})
endif()
target_link_libraries(sotto_options INTERFACE
  Eigen3::Eigen Threads::Threads fmt::fmt tl::expected PkgConfig::GMP)

# A compiler cache, where there is one: for those who compile sotto again and again.
if(PROJECT_IS_TOP_LEVEL)
  find_program(CCACHE ccache)
  if(CCACHE)
    # Without these ccache does not dare to look at files that use a precompiled header.
    target_compile_options(sotto_options INTERFACE $<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>)
    set(CMAKE_CXX_COMPILER_LAUNCHER
        ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros ${CCACHE})
  endif()
endif()
