#include "forest/inside_outside.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

namespace hopefear {
namespace {

constexpr double kDeviationRounding = 1e-9;
constexpr double kZero = -std::numeric_limits<double>::infinity();

double plus(double a, double b, Semiring semiring) {
  const double high = std::max(a, b), low = std::min(a, b);
  if (semiring == Semiring::kMax || low == kZero) return high;
  return high + std::log1p(std::exp(low - high));
}

}  // namespace

IdVector<NodeId, double> inside(const Forest& forest, Semiring semiring, double scale) {
  IdVector<NodeId, double> in(forest.nodes(), kZero);
  for (const NodeId v : in.ids()) {
    for (const EdgeId e : forest.edges_into(v)) {
      in[v] = plus(in[v], forest.with_tails(e, scale * forest.score[e], in), semiring);
    }
  }
  return in;
}

IdVector<NodeId, double> outside(const Forest& forest, const IdVector<NodeId, double>& in,
                                 Semiring semiring, double scale) {
  IdVector<NodeId, double> out(forest.nodes(), kZero);
  if (forest.empty()) return out;
  out.back() = 0;
  for (NodeId v = forest.nodes(); v-- > 0;) {
    if (out[v] == kZero) continue;
    for (const EdgeId e : forest.edges_into(v)) {
      const auto tails = forest.tails_of(e);
      for (const std::int32_t t : tails.ids()) {
        double product = out[v] + scale * forest.score[e];
        for (const std::int32_t other : tails.ids()) {
          if (other != t) product += in[tails[other]];
        }
        double& sum = out[tails[t]];
        sum = plus(sum, product, semiring);
      }
    }
  }
  return out;
}

IdVector<EdgeId, double> edge_marginals(const Forest& forest, Semiring semiring, double scale) {
  IdVector<EdgeId, double> marginal(forest.edges(), kZero);
  if (forest.empty()) return marginal;
  const IdVector<NodeId, double> in = inside(forest, semiring, scale);
  const IdVector<NodeId, double> out = outside(forest, in, semiring, scale);
  for (const EdgeId e : marginal.ids()) {
    marginal[e] =
        forest.with_tails(e, out[forest.head[e]] + scale * forest.score[e] - in.back(), in);
  }
  return marginal;
}

double score_deviation(const Forest& forest) {
  if (forest.empty()) return 0;
  const IdVector<NodeId, double> counts = inside(forest, Semiring::kLog, 0);
  IdVector<NodeId, double> mean(forest.nodes(), 0.0), variance(forest.nodes(), 0.0);
  std::vector<double> means, shares;  // of the edges into a node
  for (const NodeId v : mean.ids()) {
    means.clear();
    shares.clear();
    for (const EdgeId e : forest.edges_into(v)) {
      const double share = std::exp(forest.with_tails(e, -counts[v], counts));
      const double of_mean = forest.with_tails(e, forest.score[e], mean);
      mean[v] += share * of_mean;
      variance[v] += share * forest.with_tails(e, 0, variance);
      means.push_back(of_mean);
      shares.push_back(share);
    }
    for (std::size_t i = 0; i < means.size(); ++i)
      variance[v] += shares[i] * (means[i] - mean[v]) * (means[i] - mean[v]);
  }
  double largest = 0;
  for (const double each : mean) largest = std::max(largest, std::abs(each));
  const double deviation = std::sqrt(variance.back());
  return deviation > kDeviationRounding * largest ? deviation : 0;
}

std::vector<std::pair<FeatureId, double>> feature_expectations(const Forest& forest, double scale) {
  const IdVector<EdgeId, double> marginal = edge_marginals(forest, Semiring::kLog, scale);
  std::map<FeatureId, double> sums;
  for (const EdgeId e : marginal.ids()) {
    if (marginal[e] == kZero) continue;
    const double posterior = std::exp(marginal[e]);
    forest.visit_features(
        e, [&](FeatureId feature, double value) { sums[feature] += posterior * value; });
  }
  return {sums.begin(), sums.end()};
}

}  // namespace hopefear
