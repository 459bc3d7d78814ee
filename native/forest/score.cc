#include "forest/score.h"

#include <cstdio>
#include <limits>

namespace hopefear {
namespace {

std::string text(double number) {
  char out[32];
  std::snprintf(out, sizeof out, "%g", number);
  return out;
}

const std::string kExpected = "expected scores between -1e+100 and 1e+100, got ";

}  // namespace

ScoreError::ScoreError(double score) : std::runtime_error(kExpected + text(score)) {}

ScoreError::ScoreError(double score, const Weights& weights, FeatureId feature,
                       std::optional<double> value)
    : std::runtime_error(kExpected + text(score) + ": " + weights.name(feature) +
                         " has the weight " + text(weights.data()[feature]) +
                         (value ? " and the value " + text(*value) : "")) {}

void Parts::add(FeatureId feature, std::optional<double> value) {
  const double product = weights_.data()[feature] * value.value_or(1);
  const double size =
      std::isnan(product) ? std::numeric_limits<double>::infinity() : std::abs(product);
  if (size <= largest_) return;
  largest_ = size;
  feature_ = feature;
  value_ = value;
}

ScoreError Parts::error(double score) const {
  return largest_ < 0 ? ScoreError(score) : ScoreError(score, weights_, feature_, value_);
}

}  // namespace hopefear
