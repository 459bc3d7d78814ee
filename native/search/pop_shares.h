// Distributes the pops of cube pruning among the nodes of a forest. A node gets more pops the more
// words it covers, the more groups of edges it has, and the nearer the best derivation through it
// is to the best of all.
#pragma once

#include "forest/forest.h"

namespace hopefear {

// Pops of a sentence, in pop limits: more nodes than these share them. It bounds the memory of
// sentences of more than some 500 words; shorter ones need fewer.
inline constexpr double kMostShares = 1 << 14;

// Number of candidates to accept at each node, at least one; at the goal, all of them. `bounds` has
// the bound of the best edge of each group. A node of usual length and distance gets about
// `pop_limit`, and one more for every three of its groups.
IdVector<NodeId, std::int32_t> share_out_pops(const Forest& forest,
                                              const IdVector<GroupId, double>& bounds,
                                              std::int32_t pop_limit);

}  // namespace hopefear
