# hopefear_zlib: zlib's interface. By default zlib-ng, which inflates a grammar in half of zlib's time and
# comes from the source distribution of its Python binding, so that no system headers are needed.
include_guard()
include(FetchSdist)

option(HOPEFEAR_SYSTEM_ZLIB "Use the system's zlib and its headers" OFF)
set(ZLIB_SOURCE_DIR "" CACHE PATH "Directory of zlib-ng's C sources; fetched when empty")

function(add_zlib_ng directory)
  set(ZLIB_COMPAT ON)
  set(BUILD_SHARED_LIBS OFF)
  set(BUILD_TESTING OFF)
  set(CMAKE_C_EXTENSIONS ON)
  set(CMAKE_MESSAGE_LOG_LEVEL WARNING)
  add_subdirectory("${directory}" "${PROJECT_BINARY_DIR}/zlib-ng" EXCLUDE_FROM_ALL)
  target_compile_options(zlib-ng PRIVATE -w)
endfunction()

add_library(hopefear_zlib INTERFACE)
if(HOPEFEAR_SYSTEM_ZLIB)
  find_package(ZLIB REQUIRED)
  target_link_libraries(hopefear_zlib INTERFACE ZLIB::ZLIB)
else()
  set(zlib_directory "${ZLIB_SOURCE_DIR}")
  if(NOT zlib_directory)
    fetch_sdist(zlib_sdist zlib-ng==1.1.0
      08a3a8468d4f130e3dc80d28ec42fcc7a878a57dfed616233e791066327d78a3
      "pass -DZLIB_SOURCE_DIR=<directory of zlib-ng's C sources> or -DHOPEFEAR_SYSTEM_ZLIB=ON")
    set(zlib_directory "${zlib_sdist}/src/zlib_ng/zlib-ng")
  endif()
  if(NOT EXISTS "${zlib_directory}/zlib.h.in")
    message(FATAL_ERROR "No zlib-ng in '${zlib_directory}': ZLIB_SOURCE_DIR must be the directory of its zlib.h.in.")
  endif()
  add_zlib_ng("${zlib_directory}")
  target_link_libraries(hopefear_zlib INTERFACE zlib-ng)
endif()
