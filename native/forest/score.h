// The bound of scores: what is added to scores, and compared, is never infinite and never "not a
// number", which would leave derivations without an order.
#pragma once

#include <cmath>
#include <optional>
#include <stdexcept>

#include "base/weights.h"

namespace hopefear {

// Of an edge, to either side. A sum over 1e200 edges is still finite.
inline constexpr double kLargestScore = 1e100;

// False for what is not a number, too.
inline bool is_usable(double score) { return std::abs(score) <= kLargestScore; }

// A score that is not usable; the message names the feature to blame, if one is known.
class ScoreError : public std::runtime_error {
 public:
  explicit ScoreError(double score);
  ScoreError(double score, const Weights& weights, FeatureId feature, std::optional<double> value);
};

// The parts of a score that is not usable: the feature with the largest one is to blame.
class Parts {
 public:
  explicit Parts(const Weights& weights) : weights_(weights) {}
  // No value if it is not known, but about 1.
  void add(FeatureId feature, std::optional<double> value);
  ScoreError error(double score) const;

 private:
  const Weights& weights_;
  double largest_ = -1;
  FeatureId feature_ = 0;
  std::optional<double> value_;
};

}  // namespace hopefear
