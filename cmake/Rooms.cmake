if(SOTTO_TESTS)
  include(GoogleTest)
endif()

# sotto_room(NAME USES rooms... [LIBRARIES ...] [FLOOR floor] [COLD] [PROGRAM] [TESTED_WITH ...])
#
# One folder, sub-folders included, is one room is one target. Rooms of one floor share most of what
# the compiler has to do for them, and a unity build makes one file of them all. COLD rooms are never
# what a run waits for: -O1 takes the compiler three quarters of -O2's time. PROGRAM rooms are the
# program's alone: the library that others link does not have them. Inside a room:
#   *_test.cpp       its tests, run by `make test`
#   *_long_test.cpp  statistical, fuzz and fault runs, run by `make test-long`
#   *_bench.cpp      its micro-benchmarks, run by `make bench`
#   *_module.cpp     what is loaded when it is needed, a target of its own
#   everything else  the room itself
function(sotto_room NAME)
  cmake_parse_arguments(ROOM "COLD;PROGRAM" "FLOOR" "USES;LIBRARIES;TESTED_WITH" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${NAME}/*.cpp)
  set(tests ${sources})
  set(long_tests ${sources})
  set(benches ${sources})
  list(FILTER long_tests INCLUDE REGEX "_long_test\\.cpp$")
  list(FILTER tests INCLUDE REGEX "_test\\.cpp$")
  list(FILTER tests EXCLUDE REGEX "_long_test\\.cpp$")
  list(FILTER benches INCLUDE REGEX "_bench\\.cpp$")
  list(FILTER sources EXCLUDE REGEX "(_test|_bench|_module|/main)\\.cpp$")
  list(TRANSFORM ROOM_USES PREPEND sotto_)

  set(compiled sotto_${NAME})
  if(ROOM_FLOOR AND SOTTO_UNITY_BUILD AND NOT NAME IN_LIST SOTTO_FILE_BY_FILE)
    set(compiled sotto_floor_${ROOM_FLOOR})
    add_library(sotto_${NAME} INTERFACE)
    target_link_libraries(sotto_${NAME} INTERFACE ${compiled})
    # They link their floor, not each other.
    get_property(neighbours GLOBAL PROPERTY ${compiled})
    list(REMOVE_ITEM ROOM_USES ${neighbours})
    set_property(GLOBAL APPEND PROPERTY ${compiled} sotto_${NAME})
  endif()
  if(NOT TARGET ${compiled})
    add_library(${compiled} STATIC)
    if(NAME IN_LIST SOTTO_COVERAGE)
      # Not optimised: every line of the source stays a line of the program. So is no shared header.
      target_compile_options(${compiled} PRIVATE --coverage -O0)
      target_link_options(${compiled} INTERFACE --coverage)
      sotto_unity(${compiled})
    elseif(ROOM_COLD)
      target_link_libraries(${compiled} PRIVATE sotto_cold_options)
      sotto_unity(${compiled} sotto_precompiled_cold_rooms)
    else()
      sotto_unity(${compiled} sotto_precompiled_rooms)
    endif()
    if(NOT ROOM_PROGRAM)
      set_property(GLOBAL APPEND PROPERTY SOTTO_COMPILED ${compiled})
    endif()
  endif()
  if(NAME IN_LIST SOTTO_FILE_BY_FILE)
    set_target_properties(${compiled} PROPERTIES UNITY_BUILD OFF)
  endif()
  target_sources(${compiled} PRIVATE ${sources})
  target_link_libraries(${compiled} PUBLIC sotto_options ${ROOM_USES} ${ROOM_LIBRARIES})
  if(NOT SOTTO_TESTS)
    return()
  endif()
  sotto_tests(${NAME}_test "${tests}" quick sotto_${NAME} ${ROOM_TESTED_WITH})
  sotto_tests(${NAME}_long_test "${long_tests}" long sotto_${NAME} ${ROOM_TESTED_WITH})
  if(benches)
    add_executable(${NAME}_bench EXCLUDE_FROM_ALL ${benches})
    if("sotto_program" IN_LIST ROOM_TESTED_WITH)
      target_compile_definitions(${NAME}_bench PRIVATE SOTTO_PROGRAM="${PROJECT_BINARY_DIR}/sotto")
      add_dependencies(${NAME}_bench sotto)
    endif()
    list(REMOVE_ITEM ROOM_TESTED_WITH sotto_program sotto_source)
    target_link_libraries(${NAME}_bench PRIVATE sotto_${NAME} ${ROOM_TESTED_WITH}
                          benchmark::benchmark_main)
    target_include_directories(${NAME}_bench PRIVATE ${PROJECT_SOURCE_DIR}/tests)
    add_dependencies(benches ${NAME}_bench)
  endif()
endfunction()

# Headers and templates cost the compiler more than our own lines, and files that are compiled
# together pay for them once. So no two files of a target may give one name two meanings.
function(sotto_unity TARGET)
  if(SOTTO_UNITY_BUILD)
    set_target_properties(${TARGET} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 0)
    if(ARGN)
      target_precompile_headers(${TARGET} REUSE_FROM ${ARGN})
      # Tests are programs, and their precompiled header is made as for one.
      if("sotto_precompiled_tests" IN_LIST ARGN)
        set_target_properties(${TARGET} ${ARGN} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
      endif()
      # g++ 12 forgets that a precompiled std::string is not ours, and raises false alarms about it.
      set(alarms -Wno-array-bounds -Wno-restrict -Wno-stringop-overflow -Wno-stringop-overread)
      target_compile_options(${TARGET} PRIVATE "$<$<CXX_COMPILER_ID:GNU>:${alarms}>")
    endif()
  endif()
endfunction()

# sotto_precompiled(NAME HEADER [libraries...] [-options...]): one header for many targets.
function(sotto_precompiled NAME HEADER)
  if(SOTTO_UNITY_BUILD)
    add_library(${NAME} OBJECT ${PROJECT_SOURCE_DIR}/cmake/precompiled.cpp)
    target_link_libraries(${NAME} PRIVATE sotto_options ${ARGN})
    target_precompile_headers(${NAME} PRIVATE ${PROJECT_SOURCE_DIR}/cmake/${HEADER})
  endif()
endfunction()

add_library(sotto_cold_options INTERFACE)
target_compile_options(sotto_cold_options INTERFACE $<$<CONFIG:Release>:-O1>)
sotto_precompiled(sotto_precompiled_rooms precompiled.h nlohmann_json::nlohmann_json)
sotto_precompiled(sotto_precompiled_cold_rooms precompiled.h
  sotto_cold_options nlohmann_json::nlohmann_json)
if(SOTTO_TESTS)
  # Compiled once and run once: -O2 costs more than it gives, -O0 costs it again when they run.
  add_library(sotto_test_options INTERFACE)
  target_link_libraries(sotto_test_options INTERFACE sotto_cold_options GTest::gmock rapidcheck)
  # It is a quarter of the work, some thirty times.
  include(CheckLinkerFlag)
  check_linker_flag(CXX -fuse-ld=gold SOTTO_HAS_GOLD)
  if(SOTTO_HAS_GOLD)
    target_link_options(sotto_test_options INTERFACE -fuse-ld=gold)
  endif()
  sotto_precompiled(sotto_precompiled_tests precompiled_tests.h
    sotto_test_options nlohmann_json::nlohmann_json)
endif()

# Children of a test have it too: parties are processes.
set(tsan_options ignore_noninstrumented_modules=1
                 suppressions=${PROJECT_SOURCE_DIR}/tests/tsan.supp)
list(JOIN tsan_options " " tsan_options)
set(SOTTO_TEST_ENVIRONMENT "TSAN_OPTIONS=${tsan_options}")

# What `make test-long` and `make bench` build, and `make test` need not.
if(SOTTO_TESTS)
  add_custom_target(long_tests)
  add_custom_target(benches)
endif()

# sotto_tests(NAME "sources" quick|long [libraries...]); sotto_program stands for the program itself,
# sotto_source for the tree.
function(sotto_tests NAME SOURCES LABEL)
  if(NOT SOURCES)
    return()
  endif()
  set(libraries ${ARGN})
  list(REMOVE_ITEM libraries sotto_program sotto_source)
  add_executable(${NAME} ${SOURCES})
  target_link_libraries(${NAME} PRIVATE ${libraries} GTest::gmock_main rapidcheck)
  target_include_directories(${NAME} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  if("sotto_source" IN_LIST ARGN)
    target_compile_definitions(${NAME} PRIVATE SOTTO_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  endif()
  if("sotto_program" IN_LIST ARGN)
    target_compile_definitions(${NAME} PRIVATE SOTTO_PROGRAM="${PROJECT_BINARY_DIR}/sotto")
    add_dependencies(${NAME} sotto)
  endif()
  if(LABEL STREQUAL "long")
    sotto_unity(${NAME})
    set_target_properties(${NAME} PROPERTIES EXCLUDE_FROM_ALL ON)
    add_dependencies(long_tests ${NAME})
    gtest_discover_tests(${NAME} DISCOVERY_MODE PRE_TEST
                         PROPERTIES LABELS long TIMEOUT 1800 ENVIRONMENT "${SOTTO_TEST_ENVIRONMENT}")
  else()
    target_link_libraries(${NAME} PRIVATE sotto_test_options)
    sotto_unity(${NAME} sotto_precompiled_tests)
    # One process for all: a process for each test would take twice as long.
    add_test(NAME ${NAME} COMMAND ${NAME} --gtest_brief=1)
    set_tests_properties(${NAME} PROPERTIES LABELS quick TIMEOUT 1800
                         ENVIRONMENT "${SOTTO_TEST_ENVIRONMENT}")
  endif()
endfunction()
