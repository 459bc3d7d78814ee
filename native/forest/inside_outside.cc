#include "forest/inside_outside.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

namespace hopefear {
namespace {

constexpr double kZero = -std::numeric_limits<double>::infinity();

double plus(double a, double b, Semiring semiring) {
  const double high = std::max(a, b), low = std::min(a, b);
  if (semiring == Semiring::kMax || low == kZero) return high;
  return high + std::log1p(std::exp(low - high));
}

}  // namespace

std::vector<double> inside(const Forest& forest, Semiring semiring, double scale) {
  std::vector<double> in(forest.category.size(), kZero);
  for (std::size_t v = 0; v < in.size(); ++v) {
    for (EdgeId e = forest.edges_begin[v]; e < forest.edges_begin[v + 1]; ++e) {
      double product = scale * forest.score[static_cast<std::size_t>(e)];
      for (const NodeId tail : forest.tails_of(e)) product += in[static_cast<std::size_t>(tail)];
      in[v] = plus(in[v], product, semiring);
    }
  }
  return in;
}

std::vector<double> outside(const Forest& forest, const std::vector<double>& in, Semiring semiring,
                            double scale) {
  std::vector<double> out(forest.category.size(), kZero);
  if (forest.empty()) return out;
  out.back() = 0;
  for (std::size_t v = out.size(); v-- > 0;) {
    if (out[v] == kZero) continue;
    for (EdgeId e = forest.edges_begin[v]; e < forest.edges_begin[v + 1]; ++e) {
      const std::span<const NodeId> tails = forest.tails_of(e);
      for (std::size_t t = 0; t < tails.size(); ++t) {
        double product = out[v] + scale * forest.score[static_cast<std::size_t>(e)];
        for (std::size_t other = 0; other < tails.size(); ++other) {
          if (other != t) product += in[static_cast<std::size_t>(tails[other])];
        }
        double& sum = out[static_cast<std::size_t>(tails[t])];
        sum = plus(sum, product, semiring);
      }
    }
  }
  return out;
}

std::vector<double> edge_marginals(const Forest& forest, Semiring semiring, double scale) {
  std::vector<double> marginal(forest.local_rule.size(), kZero);
  if (forest.empty()) return marginal;
  const std::vector<double> in = inside(forest, semiring, scale);
  const std::vector<double> out = outside(forest, in, semiring, scale);
  for (std::size_t e = 0; e < marginal.size(); ++e) {
    double product =
        out[static_cast<std::size_t>(forest.head[e])] + scale * forest.score[e] - in.back();
    for (const NodeId tail : forest.tails_of(static_cast<EdgeId>(e)))
      product += in[static_cast<std::size_t>(tail)];
    marginal[e] = product;
  }
  return marginal;
}

std::vector<std::pair<FeatureId, double>> feature_expectations(const Forest& forest, double scale) {
  const std::vector<double> marginal = edge_marginals(forest, Semiring::kLog, scale);
  std::map<FeatureId, double> sums;
  for (std::size_t e = 0; e < marginal.size(); ++e) {
    if (marginal[e] == kZero) continue;
    const double posterior = std::exp(marginal[e]);
    forest.visit_features(static_cast<EdgeId>(e), [&](FeatureId feature, double value) {
      sums[feature] += posterior * value;
    });
  }
  return {sums.begin(), sums.end()};
}

}  // namespace hopefear
