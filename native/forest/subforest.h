// Parts of a forest: those made of some of its edges, and of some of its derivations.
#pragma once

#include "forest/derivation.h"

namespace hopefear {

// Keeps the marked edges that are on a derivation of marked edges only; the order of the edges
// stays. The result is empty if no derivation remains.
std::shared_ptr<Forest> subforest(const Forest& forest, const IdVector<EdgeId, bool>& keep);

// Removes each edge whose best derivation is more than `beam` below the best derivation (0: no
// beam), and keeps at most about `density` times as many edges as the best derivation has (0: no
// limit): pruning by max-marginals, as cdec does it.
std::shared_ptr<Forest> prune(const Forest& forest, double beam, double density);

// Translations of the whole sentence that no derivation needs to have: a rule each, without
// features.
struct WholeTranslations {
  std::vector<std::string> source;
  std::vector<std::vector<std::string>> targets;
  std::vector<std::vector<AlignmentPoint>> alignments;
};

// A forest of these derivations alone, and of whole translations behind them. Each scores what
// `scores` says; features are those of the derivations.
std::shared_ptr<Forest> list_forest(const std::shared_ptr<const Forest>& forest,
                                    const std::vector<Derivation>& derivations,
                                    std::span<const double> scores,
                                    const WholeTranslations& whole = {});

}  // namespace hopefear
