// The best derivations that begin with typed words, as a forest.
#pragma once

#include "forest/prefix_scores.h"

namespace hopefear {

// The derivations with the fewest edits whose scores differ from the best one's by no more than a
// beam. The nodes are split by what they meet.
std::shared_ptr<Forest> narrowed(const std::shared_ptr<const Forest>& forest,
                                 const TargetSuffixes& target,
                                 const IdVector<NodeId, double>& inside, PrefixScores& scores,
                                 Place typed, double beam);

}  // namespace hopefear
