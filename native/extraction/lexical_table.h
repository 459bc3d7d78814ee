// Counts of links between words: word translation probabilities by relative frequency, as in cdec's
// extractor. A word without a link is linked to the empty word.
#pragma once

#include <cstdint>
#include <vector>

#include "base/key_index.h"
#include "extraction/bitext.h"

namespace hopefear {

class LexicalTable {
 public:
  static constexpr Word kNull = 0;  // the empty word

  void add(const Bitext& bitext, std::size_t sentence) { change(bitext, sentence, 1); }
  void remove(const Bitext& bitext, std::size_t sentence) { change(bitext, sentence, -1); }
  void add(Word source, Word target) { change(source, target, 1); }  // a link

  std::int32_t pair(Word source, Word target) const {
    const std::int32_t number = pairs_.find(key(source, target));
    return number == KeyIndex::kUnknown ? 0 : counts_[static_cast<std::size_t>(number)];
  }
  std::int32_t source(Word word) const { return at(sources_, word); }
  std::int32_t target(Word word) const { return at(targets_, word); }

 private:
  void change(const Bitext& bitext, std::size_t sentence, std::int32_t by);
  void change(Word source, Word target, std::int32_t by);
  static std::int64_t key(Word source, Word target) {
    return (static_cast<std::int64_t>(source) << 32) | target;
  }
  static std::int32_t at(const std::vector<std::int32_t>& counts, Word word) {
    const auto i = static_cast<std::size_t>(word);
    return i < counts.size() ? counts[i] : 0;
  }

  KeyIndex pairs_;
  std::vector<std::int32_t> counts_;             // by number of the pair
  std::vector<std::int32_t> sources_, targets_;  // by word
};

}  // namespace hopefear
