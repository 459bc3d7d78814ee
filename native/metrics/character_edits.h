// The edits of CharacTER (Wang, Peter, Rosendahl & Ney 2016): shifts of words, and insertions,
// deletions and substitutions of characters.
#pragma once

#include <string_view>

namespace hopefear {

// How many edits make a hypothesis the reference, words divided by single spaces. First words are
// shifted: of all longest runs of words that stand elsewhere in the reference, the one is moved to
// its place there with which the fewest words differ, as long as fewer and fewer do. A run of words
// that has moved to the right costs the mean length of its words; then each character costs 1.
double character_edits(std::u32string_view hypothesis, std::u32string_view reference);

}  // namespace hopefear
