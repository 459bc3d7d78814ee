# Source distributions from the package index, pinned by their hash.
include_guard()

set(HOPEFEAR_SOURCES "${PROJECT_BINARY_DIR}/sources" CACHE PATH
    "Where fetched source distributions are unpacked; builds may share it")

# fetch_sdist(<result> <requirement> <sha256> <advice>)
#
# Unpacks the source distribution of <requirement>, such as `kenlm==0.3.0`, unless that was done before,
# and sets <result> to its directory. <advice> tells a user without network what to pass instead.
function(fetch_sdist result requirement sha256 advice)
  string(REPLACE "==" "-" name "${requirement}")
  string(REGEX REPLACE "==.*" "" package "${requirement}")
  set(home "${HOPEFEAR_SOURCES}/${name}")
  if(NOT EXISTS "${home}/unpacked")
    message(STATUS "Fetching ${requirement}")
    file(REMOVE_RECURSE "${home}")
    file(WRITE "${home}/requirements.txt" "${requirement} --hash=sha256:${sha256}\n")
    find_package(Python 3.10 REQUIRED COMPONENTS Interpreter)
    # pip asks the package's build backend for metadata: what that requires must come as wheels, or CMake and
    # ninja would be compiled. The package itself must not.
    execute_process(
      COMMAND "${Python_EXECUTABLE}" -m pip download --quiet --no-deps --only-binary :all:
              --no-binary "${package}" --require-hashes --retries 2
              --dest "${home}" --requirement "${home}/requirements.txt"
      RESULT_VARIABLE status)
    if(NOT status EQUAL 0)
      message(FATAL_ERROR "Cannot download ${requirement}: ${advice} (through pip: -C cmake.define.NAME=VALUE).")
    endif()
    file(GLOB archive "${home}/*.tar.gz")
    file(ARCHIVE_EXTRACT INPUT "${archive}" DESTINATION "${home}/tree")
    file(TOUCH "${home}/unpacked")  # last, so that an interrupted fetch starts again
  endif()
  file(GLOB directory "${home}/tree/*")
  set(${result} "${directory}" PARENT_SCOPE)
endfunction()
