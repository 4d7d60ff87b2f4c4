include(GoogleTest)

# sotto_room(NAME [rooms and libraries it may use...])
#
# One folder is one room is one target. Inside it:
#   *_test.cpp       its tests, run by `make test`
#   *_long_test.cpp  statistical, fuzz and fault runs, run by `make test-long`
#   *_bench.cpp      its micro-benchmarks, run by `make bench`
#   everything else  the room itself
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
  else()
    add_library(sotto_${NAME} INTERFACE)
    target_link_libraries(sotto_${NAME} INTERFACE sotto_options ${ARGN})
  endif()
  sotto_tests(${NAME}_test "${tests}" quick sotto_${NAME})
  sotto_tests(${NAME}_long_test "${long_tests}" long sotto_${NAME})
  if(benches)
    add_executable(${NAME}_bench ${benches})
    target_link_libraries(${NAME}_bench PRIVATE sotto_${NAME} benchmark::benchmark_main)
    set_property(GLOBAL APPEND PROPERTY SOTTO_BENCHES ${NAME}_bench)
  endif()
endfunction()

function(sotto_tests NAME SOURCES LABEL)
  if(NOT SOURCES)
    return()
  endif()
  add_executable(${NAME} ${SOURCES})
  target_link_libraries(${NAME} PRIVATE ${ARGN} GTest::gmock_main rapidcheck)
  target_compile_definitions(${NAME} PRIVATE SOTTO_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
  gtest_discover_tests(${NAME} PROPERTIES LABELS "${LABEL}" TIMEOUT 1800
                       DISCOVERY_MODE PRE_TEST)
endfunction()
