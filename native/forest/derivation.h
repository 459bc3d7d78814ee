// A derivation is the list of its edges in preorder, tails in the order of the rule's source side.
#pragma once

#include "forest/forest.h"

namespace hopefear {

using Derivation = std::vector<EdgeId>;

// The target words.
void target_words(const Forest& forest, const Derivation& derivation, std::vector<Symbol>& words);
std::string to_text(const Vocabulary& vocabulary, const std::vector<Symbol>& words);
std::string text_of(const Forest& forest, const Derivation& derivation);

enum class Side { kSource, kTarget };
// `(S (X a b) (X c))`; the goal's own edge is not shown.
std::string tree(const Forest& forest, const Derivation& derivation, Side side);

// Sums over the edges, by feature number, without zeros.
std::vector<std::pair<FeatureId, double>> features(const Forest& forest,
                                                   const Derivation& derivation);
double score(const Forest& forest, const Derivation& derivation);

// The best derivation; empty for an empty forest.
Derivation viterbi(const Forest& forest);

// Derivations drawn from the distribution that a forest's scores define, p(d) ~ exp(scale * score).
std::vector<Derivation> sample(const Forest& forest, std::size_t count, std::uint64_t seed,
                               double scale = 1.0);

}  // namespace hopefear
