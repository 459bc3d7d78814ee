// The suffixes of some sentences in order: all occurrences of a phrase are neighbours, found by
// binary search (Lopez 2007). A suffix ends with its sentence.
#pragma once

#include "extraction/bitext.h"

namespace hopefear {

class SuffixArray {
 public:
  struct Range {
    std::uint32_t begin = 0, end = 0;
    std::uint32_t size() const { return end - begin; }
  };

  // Of the sentences first, first + 1, ..., last - 1.
  SuffixArray(const BitextSide& side, std::size_t first, std::size_t last);

  std::size_t first() const { return first_; }
  std::size_t last() const { return last_; }
  Range all() const { return {0, count_of<std::uint32_t>(suffixes_)}; }
  // Of the suffixes in `range`, which agree on `depth` words, those that go on with `word`.
  Range narrow(const BitextSide& side, Range range, int depth, Word word) const;
  // Appends the positions of the phrase of `range` and `depth` >= 1 words, in the order of the
  // text.
  void positions(Range range, int depth, std::vector<std::int32_t>& out) const;

 private:
  std::size_t first_, last_;
  std::vector<std::int32_t> suffixes_;
  // The same with ties after the first word in the order of the text: the longest lists, which
  // would be the slowest to sort.
  std::vector<std::int32_t> by_word_;
};

// Suffix arrays over a growing text. Each array has more sentences than the next one, so there are
// few arrays, and a sentence is sorted again only a few times.
class PhraseIndex {
 public:
  using Ranges = std::vector<SuffixArray::Range>;  // one a suffix array

  // Over nothing until the first update(), and later over the sentences from `first` on.
  explicit PhraseIndex(const BitextSide& side, std::size_t first = 0)
      : side_(side), first_(first) {}

  const BitextSide& side() const { return side_; }
  std::size_t first() const { return first_; }
  // Adds the sentences that the text has received since the last update.
  void update();
  // Forgets the sentences from this number on, which the text is about to lose.
  void cut(std::size_t sentences);

  Ranges all() const;
  Ranges narrow(const Ranges& ranges, int depth, Word word) const;
  std::vector<std::int32_t> positions(const Ranges& ranges, int depth) const;
  static std::size_t count(const Ranges& ranges);

 private:
  const BitextSide& side_;
  const std::size_t first_;
  std::vector<SuffixArray> arrays_;
};

}  // namespace hopefear
