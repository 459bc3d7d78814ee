#include "extraction/suffix_array.h"

#include <algorithm>

namespace hopefear {

SuffixArray::SuffixArray(const BitextSide& side, std::size_t first, std::size_t last)
    : first_(first), last_(last) {
  const Word* const text = side.text.data();
  const std::int32_t begin = side.begin[first], end = side.begin[last];
  IdVector<Word, std::uint32_t> bucket(side.words.end() + 1, 0);
  for (std::int32_t i = begin; i < end; ++i) ++bucket[text[i] + 1];
  bucket[1] = 0;  // ends of sentences are no suffixes
  std::partial_sum(bucket.begin(), bucket.end(), bucket.begin());
  by_word_.resize(bucket.back());
  {
    IdVector<Word, std::uint32_t> next = bucket;
    for (std::int32_t i = begin; i < end; ++i) {
      if (text[i] != BitextSide::kEnd) by_word_[next[text[i]]++] = i;
    }
  }
  suffixes_ = by_word_;
  const auto before = [text](std::int32_t a, std::int32_t b) {
    for (std::int32_t k = 1;; ++k) {
      const Word left = text[a + k], right = text[b + k];
      if (left != right) return left < right;
      if (left == BitextSide::kEnd) return a < b;
    }
  };
  for (Word word = 0; word + 1 < bucket.count(); ++word) {
    std::sort(suffixes_.begin() + bucket[word], suffixes_.begin() + bucket[word + 1], before);
  }
}

SuffixArray::Range SuffixArray::narrow(const BitextSide& side, Range range, int depth,
                                       Word word) const {
  const auto found =
      std::ranges::equal_range(suffixes_.begin() + range.begin, suffixes_.begin() + range.end, word,
                               {}, [&](std::int32_t suffix) { return side.text[suffix + depth]; });
  return {id_at<std::uint32_t>(suffixes_, found.begin()),
          id_at<std::uint32_t>(suffixes_, found.end())};
}

void SuffixArray::positions(Range range, int depth, std::vector<std::int32_t>& out) const {
  const auto& order = depth == 1 ? by_word_ : suffixes_;
  const auto begin = out.insert(out.end(), order.begin() + range.begin, order.begin() + range.end);
  if (depth > 1) std::sort(begin, out.end());
}

void PhraseIndex::update() {
  const std::size_t known = arrays_.empty() ? first_ : arrays_.back().last();
  std::size_t first = known;
  if (first >= side_.sentences()) return;
  while (!arrays_.empty() && first - arrays_.back().first() <= side_.sentences() - first) {
    first = arrays_.back().first();
    arrays_.pop_back();
  }
  arrays_.emplace_back(side_, first, side_.sentences());
}

void PhraseIndex::cut(std::size_t sentences) {
  while (!arrays_.empty() && arrays_.back().last() > sentences) arrays_.pop_back();
}

PhraseIndex::Ranges PhraseIndex::all() const {
  Ranges ranges;
  for (const SuffixArray& array : arrays_) ranges.push_back(array.all());
  return ranges;
}

PhraseIndex::Ranges PhraseIndex::narrow(const Ranges& ranges, int depth, Word word) const {
  Ranges narrowed(ranges.size());
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    if (ranges[i].size() > 0) narrowed[i] = arrays_[i].narrow(side_, ranges[i], depth, word);
  }
  return narrowed;
}

std::vector<std::int32_t> PhraseIndex::positions(const Ranges& ranges, int depth) const {
  std::vector<std::int32_t> out;
  out.reserve(count(ranges));
  for (std::size_t i = 0; i < ranges.size(); ++i) arrays_[i].positions(ranges[i], depth, out);
  return out;
}

std::size_t PhraseIndex::count(const Ranges& ranges) {
  std::size_t sum = 0;
  for (const SuffixArray::Range range : ranges) sum += range.size();
  return sum;
}

}  // namespace hopefear
