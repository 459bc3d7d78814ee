// The tables of KenLM binaries. KenLM maps a binary and follows what is in it: the checks here,
// once for a file, are what its lookups rely on.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace hopefear {

// The header of a KenLM binary.
struct ModelHeader {
  std::uint64_t bytes;  // where the tables begin
  float probing_multiplier;
  std::uint32_t model_type;  // as lm::ngram::ModelType
  bool has_words;            // the words are behind the tables
  std::vector<std::uint64_t> counts;
};

// Throws InputError unless lookups in the file end and stay inside it, and find finite numbers:
//  - in a probing model, each hash table has a free place, where the search for what is not in it
//    ends, and the words' numbers are below their count;
//  - in a trie, the hashes of words ascend, and so do the pointers of n-grams to longer ones, up to
//    the number of these at most;
//  - the words behind the tables are as many as the model has.
// Reads the file once, from its begin to its end.
void check_model_tables(const std::string& path, const ModelHeader& header);

}  // namespace hopefear
