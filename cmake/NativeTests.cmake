# native_tests: one program of all tests/native/NAME_test.cc; ctest runs each test in a process of its own.
include_guard()
include(Core)

file(GLOB test_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tests/native/*_test.cc")
add_executable(native_tests "${PROJECT_SOURCE_DIR}/tests/native/main.cc" ${test_sources})
target_compile_options(native_tests PRIVATE -Wall -Wextra -UNDEBUG)
target_link_libraries(native_tests PRIVATE hopefear_core)

# Most of the time goes into the standard library's templates: several files together share them.
set_target_properties(hopefear_core native_tests PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 9)
set_source_files_properties("${PROJECT_SOURCE_DIR}/native/scorers/language_model.cc"
  "${PROJECT_SOURCE_DIR}/native/scorers/model_tables.cc"
  "${PROJECT_SOURCE_DIR}/tests/native/model_tables_test.cc"
  "${PROJECT_SOURCE_DIR}/tests/native/pieces_test.cc"
  PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)  # they alone include KenLM

foreach(source IN LISTS test_sources)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${source}")  # names of tests may change
  file(STRINGS "${source}" tests REGEX "^TEST\\(")
  foreach(test IN LISTS tests)
    string(REGEX REPLACE "^TEST\\(([a-z0-9_]+)\\).*" "\\1" name "${test}")
    add_test(NAME ${name} COMMAND native_tests ${name} WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}/tests/native")
    if(source MATCHES "fuzz_test")
      set_tests_properties(${name} PROPERTIES COST 100)  # the longest begin first
    endif()
  endforeach()
endforeach()
