# The library that others link, sotto::sotto: one archive of all rooms, and the headers in
# include/sotto/. Included where all rooms are known.

get_property(rooms GLOBAL PROPERTY SOTTO_COMPILED)
list(TRANSFORM rooms REPLACE "(.+)" "$<TARGET_OBJECTS:\\1>")
add_library(sotto_library STATIC ${rooms}
  $<TARGET_OBJECTS:sotto_proto> $<TARGET_OBJECTS:sotto_link>)
add_library(sotto::sotto ALIAS sotto_library)
set_target_properties(sotto_library PROPERTIES
  LINKER_LANGUAGE CXX OUTPUT_NAME sotto EXPORT_NAME sotto
  ARCHIVE_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
target_compile_features(sotto_library PUBLIC cxx_std_20)
target_include_directories(sotto_library PUBLIC
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
# As in cmake/sottoConfig.cmake.in, which looks for them again.
target_link_libraries(sotto_library
  PUBLIC tl::expected
  PRIVATE fmt::fmt tomlplusplus::tomlplusplus OpenSSL::SSL OpenSSL::Crypto ZLIB::ZLIB
          SQLite::SQLite3 protobuf::libprotobuf gRPC::grpc++ PkgConfig::GMP PkgConfig::MPFR
          PkgConfig::MICROHTTPD Threads::Threads ${SOTTO_TABLE_LIBRARIES})

if(NOT SOTTO_INSTALL)
  return()
endif()
include(CMakePackageConfigHelpers)
set(package ${CMAKE_INSTALL_LIBDIR}/cmake/sotto)
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/sottoConfig.cmake.in
  ${PROJECT_BINARY_DIR}/sottoConfig.cmake INSTALL_DESTINATION ${package})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/sottoConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(TARGETS sotto RUNTIME)
if(MPI_CXX_FOUND)
  install(TARGETS sotto_mpi_module LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/sotto)
endif()
install(TARGETS sotto_library EXPORT sottoTargets ARCHIVE)
install(EXPORT sottoTargets NAMESPACE sotto:: DESTINATION ${package})
install(FILES ${PROJECT_BINARY_DIR}/sottoConfig.cmake ${PROJECT_BINARY_DIR}/sottoConfigVersion.cmake
  DESTINATION ${package})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/sotto DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/README.md
              ${PROJECT_SOURCE_DIR}/CHANGELOG.md ${PROJECT_SOURCE_DIR}/SECURITY.md
  DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs ${PROJECT_SOURCE_DIR}/examples
  DESTINATION ${CMAKE_INSTALL_DOCDIR} PATTERN "__pycache__" EXCLUDE)
