#include "forest/score.h"

#include <cstdio>
#include <string>

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

ScoreError::ScoreError(const Weights& weights, FeatureId feature, double value)
    : std::runtime_error(kExpected + text(weights.data()[feature] * value) + ": " +
                         weights.name(feature) + " has the weight " +
                         text(weights.data()[feature]) + " and the value " + text(value)) {}

}  // namespace hopefear
