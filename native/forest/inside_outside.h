// Inside and outside scores of a forest, in the log and the max semiring.
#pragma once

#include "forest/forest.h"

namespace hopefear {

enum class Semiring : std::uint8_t { kLog, kMax };

// By node. Edge scores are multiplied by `scale`.
IdVector<NodeId, double> inside(const Forest& forest, Semiring semiring, double scale = 1.0);
IdVector<NodeId, double> outside(const Forest& forest, const IdVector<NodeId, double>& inside,
                                 Semiring semiring, double scale = 1.0);

// By edge, relative to the goal: the log posterior (kLog), or the score of the best derivation
// through the edge minus the best score (kMax). Never above 0, except for rounding.
IdVector<EdgeId, double> edge_marginals(const Forest& forest, Semiring semiring,
                                        double scale = 1.0);

// Expected value of each feature that fires, by number.
std::vector<std::pair<FeatureId, double>> feature_expectations(const Forest& forest,
                                                               double scale = 1.0);

}  // namespace hopefear
