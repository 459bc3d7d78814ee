# hopefear._native: the bindings over the core, and their type stubs.
include_guard()
include(Core)

find_package(Python 3.10 REQUIRED COMPONENTS Interpreter Development.Module)
execute_process(COMMAND "${Python_EXECUTABLE}" -m nanobind --cmake_dir
                OUTPUT_VARIABLE nanobind_ROOT OUTPUT_STRIP_TRAILING_WHITESPACE)
find_package(nanobind CONFIG REQUIRED)

file(GLOB binding_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/native/bindings/*.cc")
nanobind_add_module(_native NB_STATIC ${binding_sources})  # compiled for size; the speed is in the core
set_source_files_properties("${PROJECT_SOURCE_DIR}/native/bindings/module.cc" PROPERTIES
                            COMPILE_DEFINITIONS "HOPEFEAR_VERSION=\"${PROJECT_VERSION}\"")
target_compile_options(_native PRIVATE -Wall -Wextra)
target_link_libraries(_native PRIVATE hopefear_core)
if(NOT APPLE)
  target_link_options(_native PRIVATE -Wl,--exclude-libs,ALL)
endif()

nanobind_add_stub(_native_stub
  MODULE _native
  OUTPUT _native.pyi
  PYTHON_PATH "$<TARGET_FILE_DIR:_native>"
  DEPENDS _native)

install(TARGETS _native LIBRARY DESTINATION hopefear COMPONENT python)
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/_native.pyi" DESTINATION hopefear COMPONENT python)
