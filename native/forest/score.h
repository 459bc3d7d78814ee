// The bound of scores: what is added to scores, and compared, is never infinite and never "not a
// number", which would leave derivations without an order.
#pragma once

#include <cmath>
#include <stdexcept>

#include "base/weights.h"

namespace hopefear {

// Of an edge, to either side. A sum over 1e200 edges is still finite.
inline constexpr double kLargestScore = 1e100;

// False for what is not a number, too.
inline bool is_usable(double score) { return std::abs(score) <= kLargestScore; }

// A score that is not usable; the message names the feature if its product alone is to blame.
class ScoreError : public std::runtime_error {
 public:
  explicit ScoreError(double score);
  ScoreError(const Weights& weights, FeatureId feature, double value);
};

}  // namespace hopefear
