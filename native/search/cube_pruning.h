// Intersects a forest with stateful scorers by cube pruning (Chiang 2007), scoring lazily.
//
// A candidate's score is predicted: that of the first of a cube from a bound, which is the edge's
// own score, the scorers' estimate of its rule, and the scores of its tails; the others' from a
// neighbour in the cube. A candidate is scored in full when its prediction and up to two standard
// deviations of such predictions' errors exceed all scores known at its node; it is accepted when
// its score does. The number of accepted candidates is limited, see pop_shares.h. Where a node has
// no more candidates than the limit, all are accepted; a small forest is searched in full.
#pragma once

#include "search/scorer.h"

namespace hopefear {

struct SearchOptions {
  // Candidates to accept at a node of usual length, see pop_shares.h, more in small forests; 0 for
  // all.
  std::int32_t pop_limit = 200;
  // Factor of the source forest's own scores.
  double scale = 1.0;
};

// The result has only nodes and edges that lie on a derivation of the goal. No weights where no
// scorer has features. Throws ScoreError, and std::invalid_argument for a pop limit below 0.
std::shared_ptr<Forest> rescore(const std::shared_ptr<const Forest>& source,
                                std::span<const StatefulScorer* const> scorers,
                                const Weights* weights, const SearchOptions& options);

}  // namespace hopefear
