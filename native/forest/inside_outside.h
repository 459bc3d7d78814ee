// Inside and outside scores of a forest, in the log and the max semiring.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "forest/forest.h"

namespace hopefear {

enum class Semiring : std::uint8_t { kLog, kMax };

// By node. Edge scores are multiplied by `scale`.
std::vector<double> inside(const Forest& forest, Semiring semiring, double scale = 1.0);
std::vector<double> outside(const Forest& forest, const std::vector<double>& inside,
                            Semiring semiring, double scale = 1.0);

// By edge, relative to the goal: the log posterior (kLog), or the score of the best derivation
// through the edge minus the best score (kMax). Never above 0, except for rounding.
std::vector<double> edge_marginals(const Forest& forest, Semiring semiring, double scale = 1.0);

// Expected value of each feature that fires, by number.
std::vector<std::pair<FeatureId, double>> feature_expectations(const Forest& forest,
                                                               double scale = 1.0);

}  // namespace hopefear
