// Shares out the pops of cube pruning among the nodes of a forest: the more, the more words a node
// covers, and the nearer the best derivation over it comes to the best of all.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "forest.h"

namespace hopefear {

// Candidates to score at each node, at least one; all of them at the goal. `bounds` has the bound
// of the best edge of each group; a node of a sentence of usual length gets about `pop_limit`.
std::vector<std::int32_t> share_out_pops(const Forest& forest, std::span<const double> bounds,
                                         std::int32_t pop_limit);

}  // namespace hopefear
