#include "extraction/exclusion.h"

#include <algorithm>
#include <iterator>

namespace hopefear {

void TextParts::add(std::int32_t begin, std::int32_t end) {
  auto next = parts_.empty() || parts_.back().end <= begin
                  ? parts_.end()
                  : std::ranges::lower_bound(parts_, begin, {}, &Part::begin);
  if (next != parts_.end() && next->begin == end) {
    next->begin = begin;
  } else {
    next = parts_.insert(next, {begin, end});
  }
  if (next != parts_.begin() && std::prev(next)->end == begin) {
    std::prev(next)->end = next->end;
    parts_.erase(next);
  }
}

void TextParts::remove_from(std::vector<std::int32_t>& positions, std::int32_t from) const {
  auto part = parts_.begin();
  if (part == parts_.end()) return;
  const auto first = std::ranges::lower_bound(positions, from);
  const auto rest = std::remove_if(first, positions.end(), [&](std::int32_t position) {
    if (part != parts_.end() && position >= part->end) {
      part = std::ranges::upper_bound(part, parts_.end(), position, {}, &Part::end);
    }
    return part != parts_.end() && position >= part->begin;
  });
  positions.erase(rest, positions.end());
}

std::span<const TextParts::Part> TextParts::before(std::int32_t position) const {
  const auto end = std::ranges::lower_bound(parts_, position, {}, &Part::begin);
  return {parts_.begin(), end};
}

Exclusion::Exclusion(const Bitext& bitext, std::vector<std::int64_t> sentences,
                     std::size_t corrections_from) {
  std::ranges::sort(sentences);
  sentences.erase(std::ranges::unique(sentences).begin(), sentences.end());
  for (const std::int64_t sentence : sentences) add(bitext, sentence, corrections_from);
}

void Exclusion::add(const Bitext& bitext, std::int64_t sentence, std::size_t corrections_from) {
  expect(sentence >= 0 && std::cmp_less(sentence, bitext.size()),
         "expected sentence pairs from 0 to below ", bitext.size(), ", got ", sentence);
  const std::size_t i = place_of(sentence);
  source_.add(bitext.source.begin[i], bitext.source.begin[i + 1]);
  target_.add(bitext.target.begin[i], bitext.target.begin[i + 1]);
  links_.add(bitext, i);
  if (i < corrections_from) links_of_text_.add(bitext, i);
}

}  // namespace hopefear
