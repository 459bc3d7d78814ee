// Intersects a forest with stateful scorers by cube pruning (Chiang 2007), scoring lazily.
//
// The candidates of a node are ordered by a bound: the edge's own score, what the scorers know of
// its rule, and the scores of its tails. Only a candidate that is popped is scored in full; how far
// its score missed its bound then corrects the bounds of its neighbours in the cube. How many are
// popped at a node depends on how many words it covers, and on how near the best derivation through
// it comes, by the bounds, to the best of all: the effort goes where the result will be.
#pragma once

#include <memory>
#include <span>

#include "scorer.h"

namespace hopefear {

struct SearchOptions {
  // How many candidates to score in full at a node of usual length, see pop_shares.h; all of them
  // where it is 0.
  std::int32_t pop_limit = 200;
  // The source forest's own scores count this much beside the scorers'.
  double scale = 1.0;
};

// The result has only nodes and edges that lie on a derivation of the goal.
std::shared_ptr<Forest> rescore(const std::shared_ptr<const Forest>& source,
                                std::span<const StatefulScorer* const> scorers,
                                const double* weights, const SearchOptions& options);

}  // namespace hopefear
