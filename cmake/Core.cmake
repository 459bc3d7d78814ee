# hopefear_core: the engine, a static library that knows nothing of Python.
include_guard()
include(KenLM)
include(Zlib)

file(GLOB_RECURSE core_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/native/*.cc")
list(FILTER core_sources EXCLUDE REGEX "/native/bindings/")
add_library(hopefear_core STATIC ${core_sources})
target_include_directories(hopefear_core PUBLIC "${PROJECT_SOURCE_DIR}/native")
target_compile_options(hopefear_core PRIVATE -Wall -Wextra)
# An index outside a vector or a span ends the process with its place, in what users install too: at most a
# twentieth of the time.
target_compile_definitions(hopefear_core PUBLIC _GLIBCXX_ASSERTIONS)
target_link_libraries(hopefear_core PUBLIC kenlm hopefear_zlib Threads::Threads)

if(HOPEFEAR_SANITIZE)
  # The libraries below the core stay as they are: only our own code is on trial.
  target_compile_options(hopefear_core PUBLIC
    -O0 -g1 -UNDEBUG -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(hopefear_core PUBLIC -fsanitize=address,undefined)
endif()
