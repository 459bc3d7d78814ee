// The references of a sentence, to compute BLEU's statistics of its translations.
#pragma once

#include <optional>

#include "base/key_index.h"

namespace hopefear {

class BleuReferences {
 public:
  using Word = std::int32_t;         // a word of the references, from 1
  static constexpr Word kOther = 0;  // any word that is in no reference

  // `order` is the length of the longest n-grams. The effective reference length is `length`, or
  // the length closest to the translation's; of two equally close lengths the shorter.
  BleuReferences(const std::vector<std::vector<Word>>& references, std::size_t order,
                 std::optional<double> length);

  std::size_t size() const { return 2 + 2 * order_; }
  // The length of a translation, the effective reference length, the number of n-grams for each n
  // up to the order, and how many of these are in the references. An n-gram counts there at most as
  // often as in the reference that has it most often (Papineni, Roukos, Ward & Zhu 2002,
  // section 2.1).
  void statistics(std::span<const Word> translation, std::span<double> statistics) const;

 private:
  double effective_length(std::size_t translation) const;
  void count_matches(std::span<const Word> translation, std::span<double> matches) const;

  std::size_t order_;
  std::optional<double> length_;
  std::vector<std::size_t> lengths_;  // ascending
  // An n-gram's key is the number of its first n - 1 words as an n-gram, from 1, and its last word.
  KeyIndex ngrams_;
  IdVector<std::int32_t, std::int32_t> most_;  // occurrences in one reference, by n-gram
};

}  // namespace hopefear
