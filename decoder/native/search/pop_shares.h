// Distributes the pops of cube pruning among the nodes of a forest. A node gets more pops the more
// words it covers, and the nearer the best derivation through it is to the best of all.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "forest/forest.h"

namespace hopefear {

// Number of candidates to score at each node, at least one; at the goal, all of them. `bounds` has
// the bound of the best edge of each group. A node of a sentence of usual length gets about
// `pop_limit`.
std::vector<std::int32_t> share_out_pops(const Forest& forest, std::span<const double> bounds,
                                         std::int32_t pop_limit);

}  // namespace hopefear
