// The edits of translation edit rate: insertions, deletions, substitutions and shifts of words
// (Snover, Dorr, Schwartz, Micciulla & Makhoul 2006), by the greedy search of Tercom and sacrebleu.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace hopefear {

// How many edits make a hypothesis the reference, words given as numbers. The search is
// sacrebleu's, limit for limit, so that the number is equal to that of its TER.
std::size_t shifted_edits(std::span<const std::uint32_t> hypothesis,
                          std::span<const std::uint32_t> reference);

}  // namespace hopefear
