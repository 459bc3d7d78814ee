// How often a pattern occurs in a text.
#pragma once

#include "extraction/pattern_walk.h"

namespace hopefear {

// Occurrences of at most `max_span` words, with gaps of at least one word, outside the parts `out`.
// Only the neighbourhood of the least frequent chunk is searched.
struct OccurrenceCount {
  std::size_t all = 0, before = 0;  // those before the position `end`
};
OccurrenceCount count_occurrences(const PhraseIndex& index, const Pattern& pattern, int max_span,
                                  const TextParts& out, std::int32_t end);

}  // namespace hopefear
