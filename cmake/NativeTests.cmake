# Every tests/native/NAME_test.cc is a program that fails with a non-zero status.
include_guard()
include(Core)

file(GLOB test_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tests/native/*_test.cc")
foreach(source IN LISTS test_sources)
  get_filename_component(name "${source}" NAME_WE)
  add_executable(${name} "${source}")
  target_compile_options(${name} PRIVATE -Wall -Wextra -UNDEBUG)
  target_link_libraries(${name} PRIVATE hopefear_core)
  add_test(NAME ${name} COMMAND ${name} WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}/tests/native")
endforeach()
