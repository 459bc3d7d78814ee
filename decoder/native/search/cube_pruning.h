// Intersects a forest with stateful scorers by cube pruning (Chiang 2007), scoring lazily.
//
// The candidates of a node are ordered by a bound: the edge's own score, the scorers' estimate of
// its rule, and the scores of its tails. Only popped candidates are scored in full. The difference
// between the score and the bound of a candidate then corrects the bounds of its neighbours in the
// cube. The number of pops at a node depends on the number of words that the node covers, and on
// the distance between the best derivation through the node and the best of all, by the bounds (see
// pop_shares.h).
#pragma once

#include <memory>
#include <span>

#include "search/scorer.h"

namespace hopefear {

struct SearchOptions {
  // Candidates to score in full at a node of usual length, see pop_shares.h; 0 for all.
  std::int32_t pop_limit = 200;
  // Factor of the source forest's own scores.
  double scale = 1.0;
};

// The result has only nodes and edges that lie on a derivation of the goal.
std::shared_ptr<Forest> rescore(const std::shared_ptr<const Forest>& source,
                                std::span<const StatefulScorer* const> scorers,
                                const double* weights, const SearchOptions& options);

}  // namespace hopefear
