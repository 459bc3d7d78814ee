// How often a pattern occurs in a text.
#pragma once

#include <cstddef>

#include "pattern_walk.h"

namespace hopefear {

// Occurrences of at most `max_span` words, each gap of one word or more, not in the parts `out`.
// What is looked at is the neighbourhood of the chunk that is least frequent.
std::size_t count_occurrences(const PhraseIndex& index, const Pattern& pattern, int max_span,
                              const TextParts& out);

}  // namespace hopefear
