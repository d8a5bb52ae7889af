# Unit tests with GoogleTest, one executable a room or topic:
#
#   skein_add_unit_test(thread-stack SOURCES stack.cpp [IN_THREAD] [LIBRARIES ...] [TIMEOUT 60])
#
# links the runtime and GoogleTest's main, and registers unit/<name> with ctest. main stays an ordinary main and the runtime is not
# started, unless IN_THREAD: then main is wrapped as in a program, and the tests run in Skein's first thread.
find_package(GTest REQUIRED)

# Nothing but the headers that all of them read, compiled as for an executable.
add_library(test-headers OBJECT EXCLUDE_FROM_ALL ${PROJECT_SOURCE_DIR}/test/unit/headers.cpp)
set_target_properties(test-headers PROPERTIES POSITION_INDEPENDENT_CODE OFF)
target_compile_options(test-headers PRIVATE -fPIE)
skein_target_options(test-headers)
target_compile_definitions(test-headers PRIVATE _GNU_SOURCE)
target_link_libraries(test-headers PRIVATE GTest::gtest)
skein_precompile_headers(test-headers <gtest/gtest.h> <atomic> <string> <vector>)

function(skein_add_unit_test name)
  cmake_parse_arguments(PARSE_ARGV 1 test "IN_THREAD" "TIMEOUT" "SOURCES;LIBRARIES")
  add_executable(test-${name} ${test_SOURCES})
  set_target_properties(test-${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/test/unit)
  skein_target_options(test-${name})
  target_include_directories(test-${name} PRIVATE ${PROJECT_SOURCE_DIR}/runtime)
  target_compile_definitions(test-${name} PRIVATE _GNU_SOURCE)
  skein_precompile_headers(test-${name} REUSE_FROM test-headers)
  target_link_libraries(test-${name} PRIVATE ${test_LIBRARIES} skein GTest::gtest GTest::gtest_main)
  if(test_IN_THREAD)
    target_link_options(test-${name} PRIVATE -Wl,--wrap=main)
  else()
    target_link_options(test-${name} PRIVATE -Wl,--defsym=__real_main=main)
  endif()
  # The runtime finds its frame maps between these; a test without compiled maps has none.
  target_link_options(test-${name} PRIVATE -Wl,-z,nostart-stop-gc -Wl,--build-id=sha1)
  if(NOT test_TIMEOUT)
    set(test_TIMEOUT 60)
  endif()
  add_test(NAME unit/${name} COMMAND test-${name})
  # What a test leaves behind ends with its process; records of the runtime are never given back at all.
  set_tests_properties(unit/${name} PROPERTIES TIMEOUT ${test_TIMEOUT} ENVIRONMENT ASAN_OPTIONS=detect_leaks=0)
endfunction()
