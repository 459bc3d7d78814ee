#include "extraction/pattern_count.h"

#include <algorithm>

namespace hopefear {
namespace {

// The ways to place chunks k, k + 1, ... in [from, to), where chunk `rarest` can only be at
// `place`.
class Placing {
 public:
  Placing(const Word* text, const Pattern& pattern, std::size_t rarest, int max_span)
      : text_(text), pattern_(pattern), rarest_(rarest), max_span_(max_span) {
    for (std::size_t k = 0, word = 0; k < pattern.chunks.size(); ++k) {
      first_word_.push_back(word);
      word += place_of(pattern.chunks[k]);
    }
  }

  std::size_t count(std::int32_t begin, std::int32_t end, std::int32_t place) {
    place_ = place;
    std::size_t ways = 0;
    const std::int32_t last = std::min(place, end - pattern_.chunks[0]);
    for (std::int32_t i = std::max(begin, place - max_span_ + 1); i <= last; ++i) {
      if (fits(0, i)) ways += behind(1, i + pattern_.chunks[0] + 1, std::min(end, i + max_span_));
    }
    return ways;
  }

 private:
  std::size_t behind(std::size_t k, std::int32_t from, std::int32_t to) const {
    if (k == pattern_.chunks.size()) return 1;
    std::size_t ways = 0;
    for (std::int32_t i = from; i + pattern_.chunks[k] <= to; ++i) {
      if (fits(k, i)) ways += behind(k + 1, i + pattern_.chunks[k] + 1, to);
    }
    return ways;
  }

  bool fits(std::size_t k, std::int32_t i) const {
    if (k == rarest_) return i == place_;
    return std::equal(text_ + i, text_ + i + pattern_.chunks[k],
                      pattern_.words.data() + first_word_[k]);
  }

  const Word* text_;
  const Pattern& pattern_;
  const std::size_t rarest_;
  const int max_span_;
  std::vector<std::size_t> first_word_;
  std::int32_t place_ = 0;
};

}  // namespace

OccurrenceCount count_occurrences(const PhraseIndex& index, const Pattern& pattern, int max_span,
                                  const TextParts& out, std::int32_t end) {
  std::vector<PhraseIndex::Ranges> ranges;
  std::size_t word = 0;
  for (const int size : pattern.chunks) {
    ranges.push_back(index.all());
    for (int depth = 0; depth < size; ++depth)
      ranges.back() = index.narrow(ranges.back(), depth, pattern.words[word++]);
  }
  const std::size_t rarest =
      id_at(ranges, std::ranges::min_element(ranges, {}, &PhraseIndex::count));
  const bool has_more = std::cmp_less(end, index.side().text.size());
  if (pattern.chunks.size() == 1 && out.empty() && !has_more) {
    const std::size_t count = PhraseIndex::count(ranges[0]);
    return {count, count};
  }
  std::vector<std::int32_t> places = index.positions(ranges[rarest], pattern.chunks[rarest]);
  out.remove_from(places);
  Placing placing(index.side().text.data(), pattern, rarest, max_span);
  OccurrenceCount sum;
  for (const std::int32_t place : places) {
    const std::size_t sentence = index.side().sentence_at(place);
    const std::int32_t begin = index.side().begin[sentence];
    const std::size_t ways =
        pattern.chunks.size() == 1
            ? 1
            : placing.count(begin, begin + index.side().length(sentence), place);
    sum.all += ways;
    if (place < end) sum.before += ways;
  }
  return sum;
}

}  // namespace hopefear
