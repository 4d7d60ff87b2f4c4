include(GoogleTest)

# sotto_room(NAME [rooms and libraries it may use...])
#
# One folder is one room is one target. Inside it:
#   *_test.cpp       its tests, run by `make test`
#   *_long_test.cpp  statistical, fuzz and fault runs, run by `make test-long`
#   *_bench.cpp      its micro-benchmarks, run by `make bench`
#   everything else  the room itself
#
# The release preset compiles the files of a target in batches.
function(sotto_room NAME)
  file(GLOB sources CONFIGURE_DEPENDS *.cpp)
  set(tests ${sources})
  set(long_tests ${sources})
  set(benches ${sources})
  list(FILTER long_tests INCLUDE REGEX "_long_test\\.cpp$")
  list(FILTER tests INCLUDE REGEX "_test\\.cpp$")
  list(FILTER tests EXCLUDE REGEX "_long_test\\.cpp$")
  list(FILTER benches INCLUDE REGEX "_bench\\.cpp$")
  list(FILTER sources EXCLUDE REGEX "(_test|_bench|/main)\\.cpp$")

  if(sources)
    add_library(sotto_${NAME} STATIC ${sources})
    target_link_libraries(sotto_${NAME} PUBLIC sotto_options ${ARGN})
    sotto_batches(sotto_${NAME} ${sources})
  else()
    add_library(sotto_${NAME} INTERFACE)
    target_link_libraries(sotto_${NAME} INTERFACE sotto_options ${ARGN})
  endif()
  sotto_tests(${NAME}_test "${tests}" quick sotto_${NAME})
  sotto_tests(${NAME}_long_test "${long_tests}" long sotto_${NAME})
  if(benches)
    add_executable(${NAME}_bench EXCLUDE_FROM_ALL ${benches})
    target_link_libraries(${NAME}_bench PRIVATE sotto_${NAME} benchmark::benchmark_main)
    add_dependencies(benches ${NAME}_bench)
  endif()
endfunction()

# Headers and templates cost the compiler more than our own lines, and a batch of
# files pays for them once. A file that cannot be compiled together with others
# gets the property SKIP_UNITY_BUILD_INCLUSION.
function(sotto_batches TARGET)
  if(NOT SOTTO_UNITY_BUILD)
    return()
  endif()
  set_target_properties(${TARGET} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  execute_process(COMMAND awk -f ${CMAKE_SOURCE_DIR}/cmake/batches.awk ${ARGN}
                  WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR}
                  OUTPUT_VARIABLE batches COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL "[^\n]+" batches "${batches}")
  foreach(line ${batches})
    string(REGEX MATCH "^([0-9]+) (.*)$" found "${line}")
    set_source_files_properties(${CMAKE_MATCH_2} PROPERTIES UNITY_GROUP ${CMAKE_MATCH_1})
  endforeach()
endfunction()

# What `make test-long` and `make bench` build, and `make test` need not.
add_custom_target(long_tests)
add_custom_target(benches)

function(sotto_tests NAME SOURCES LABEL)
  if(NOT SOURCES)
    return()
  endif()
  add_executable(${NAME} ${SOURCES})
  target_link_libraries(${NAME} PRIVATE ${ARGN} GTest::gmock_main rapidcheck)
  target_compile_definitions(${NAME} PRIVATE SOTTO_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
  sotto_batches(${NAME} ${SOURCES})
  if(LABEL STREQUAL "long")
    set_target_properties(${NAME} PROPERTIES EXCLUDE_FROM_ALL ON)
    add_dependencies(long_tests ${NAME})
  else()
    # Compiled once and run once: -O2 costs more than it gives.
    target_compile_options(${NAME} PRIVATE $<$<CONFIG:Release>:-O1>)
  endif()
  gtest_discover_tests(${NAME} PROPERTIES LABELS "${LABEL}" TIMEOUT 1800
                       DISCOVERY_MODE PRE_TEST)
endfunction()
