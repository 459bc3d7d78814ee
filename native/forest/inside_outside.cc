#include "forest/inside_outside.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

namespace hopefear {
namespace {

constexpr double kZero = -std::numeric_limits<double>::infinity();

// The sum in a semiring of numbers that come one by one.
class LogSum {
 public:
  void add(double x) {
    if (x > high_) {
      sum_ = sum_ * std::exp(high_ - x) + 1;
      high_ = x;
    } else if (x != kZero) {
      sum_ += std::exp(x - high_);
    }
  }
  double total() const { return sum_ == 1 ? high_ : high_ + std::log(sum_); }

 private:
  double high_ = kZero, sum_ = 1;
};

class Maximum {
 public:
  void add(double x) { high_ = std::max(high_, x); }
  double total() const { return high_; }

 private:
  double high_ = kZero;
};

template <class Sum>
IdVector<NodeId, double> inside_sums(const Forest& forest, double scale) {
  IdVector<NodeId, double> in(forest.nodes());
  for (const NodeId v : in.ids()) {
    Sum sum;
    for (const EdgeId e : forest.edges_into(v))
      sum.add(forest.with_tails(e, scale * forest.score[e], in));
    in[v] = sum.total();
  }
  return in;
}

template <class Sum>
IdVector<NodeId, double> outside_sums(const Forest& forest, const IdVector<NodeId, double>& in,
                                      double scale) {
  IdVector<NodeId, double> out(forest.nodes(), kZero);
  if (forest.empty()) return out;
  IdVector<NodeId, Sum> sums(forest.nodes());
  sums.back().add(0);
  for (NodeId v = forest.nodes(); v-- > 0;) {
    out[v] = sums[v].total();
    if (out[v] == kZero) continue;
    for (const EdgeId e : forest.edges_into(v)) {
      const auto tails = forest.tails_of(e);
      for (const std::int32_t t : tails.ids()) {
        double product = out[v] + scale * forest.score[e];
        for (const std::int32_t other : tails.ids()) {
          if (other != t) product += in[tails[other]];
        }
        sums[tails[t]].add(product);
      }
    }
  }
  return out;
}

}  // namespace

IdVector<NodeId, double> inside(const Forest& forest, Semiring semiring, double scale) {
  return semiring == Semiring::kLog ? inside_sums<LogSum>(forest, scale)
                                    : inside_sums<Maximum>(forest, scale);
}

IdVector<NodeId, double> outside(const Forest& forest, const IdVector<NodeId, double>& in,
                                 Semiring semiring, double scale) {
  return semiring == Semiring::kLog ? outside_sums<LogSum>(forest, in, scale)
                                    : outside_sums<Maximum>(forest, in, scale);
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
