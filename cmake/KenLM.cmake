# kenlm: the n-gram library, compiled from its source distribution without its programs and tests.
include_guard()
include(FetchSdist)
include(Zlib)

set(KENLM_SOURCE_DIR "" CACHE PATH "Directory of KenLM's unpacked source distribution; fetched when empty")

set(kenlm_directory "${KENLM_SOURCE_DIR}")
if(NOT kenlm_directory)
  fetch_sdist(kenlm_directory kenlm==0.3.0
    c4628bb9fb63c8a6f9240035b8b037385cfc404cb72e933cf48878291edac1e8
    "pass -DKENLM_SOURCE_DIR=<directory of its unpacked source distribution>")
endif()
if(NOT EXISTS "${kenlm_directory}/lm/left.hh")
  message(FATAL_ERROR "No KenLM in '${kenlm_directory}': KENLM_SOURCE_DIR must be the directory that holds lm/left.hh.")
endif()

# Whoever writes into a mapped model may take the key and the empty buckets that end a search in its tables: it
# ends after one turn.
set(bounded_directory "${PROJECT_BINARY_DIR}/kenlm")
file(READ "${kenlm_directory}/util/probing_hash_table.hh" table)
string(REPLACE "for (ConstIterator i(Ideal(key));; mod_.Next(begin_, end_, i))"
               "for (ConstIterator first(Ideal(key)), i(first);; Turn(first, i))" table "${table}")
string(REPLACE "for (;; mod_.Next(begin_, end_, i))" "for (ConstIterator first(i);; Turn(first, i))" table "${table}")
string(REPLACE "void FinishedInserting() {}" [[void FinishedInserting() {}

    void Turn(ConstIterator first, ConstIterator &i) const {
      mod_.Next(begin_, end_, i);
      UTIL_THROW_IF(i == first, Exception, "A table without the key and without an empty bucket");
    }]] table "${table}")
string(REGEX REPLACE "include \"(exception|mmap).hh" "include \"util/\\1.hh" table "${table}")
file(CONFIGURE OUTPUT "${bounded_directory}/util/probing_hash_table.hh" CONTENT "${table}" @ONLY)

file(GLOB kenlm_sources
  "${kenlm_directory}/lm/*.cc" "${kenlm_directory}/util/*.cc" "${kenlm_directory}/util/double-conversion/*.cc")
list(FILTER kenlm_sources EXCLUDE REGEX "(main|test|benchmark)\\.cc$")

find_package(Threads REQUIRED)
add_library(kenlm STATIC ${kenlm_sources})
target_include_directories(kenlm SYSTEM PUBLIC "${bounded_directory}" "${kenlm_directory}")
target_compile_definitions(kenlm PUBLIC KENLM_MAX_ORDER=6 PRIVATE HAVE_ZLIB HAVE_CLOCKGETTIME)
target_compile_options(kenlm PRIVATE -w)
target_link_libraries(kenlm PUBLIC Threads::Threads PRIVATE hopefear_zlib)
set_target_properties(kenlm PROPERTIES CXX_STANDARD 14)  # it uses what C++17 removed
