#include "search/pop_shares.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace hopefear {
namespace {

// A node's share before its length counts: kPeak on the best derivation, less by a factor of e for
// each kReach times the nodes' mean distance from it, but never below kFloor. Chosen on dev sets
// with benchmarks/decode.py, for the best model score in a given time.
constexpr double kPeak = 1.9;
constexpr double kReach = 0.63;
constexpr double kFloor = 0.05;
// Sentences whose nodes are longer than this in the mean get more pops a node.
constexpr double kTypicalLength = 5;
// A node with more groups of edges has more to choose from, which counts where the limit is low:
// cdec scores the first candidate of each edge at any limit.
constexpr double kPopsOfGroup = 0.33;

// How far the best derivation over each node stays behind the best of all, by the bounds.
std::vector<double> distances(const Forest& forest, std::span<const double> bounds) {
  constexpr double kNever = -std::numeric_limits<double>::infinity();
  const auto n = static_cast<std::size_t>(forest.nodes());
  std::vector<double> inside(n, kNever), outside(n, kNever), behind(n);
  const auto head_of = [&](std::size_t group) {
    return static_cast<std::size_t>(forest.head[static_cast<std::size_t>(forest.groups[group])]);
  };
  for (std::size_t g = 0; g < bounds.size(); ++g) {
    double sum = bounds[g];
    for (const NodeId tail : forest.tails_of(forest.groups[g])) {
      sum += inside[static_cast<std::size_t>(tail)];
    }
    inside[head_of(g)] = std::max(inside[head_of(g)], sum);
  }
  outside.back() = 0;
  for (std::size_t g = bounds.size(); g-- > 0;) {
    const std::span<const NodeId> tails = forest.tails_of(forest.groups[g]);
    double sum = outside[head_of(g)] + bounds[g];
    for (const NodeId tail : tails) sum += inside[static_cast<std::size_t>(tail)];
    for (const NodeId tail : tails) {
      const auto t = static_cast<std::size_t>(tail);
      outside[t] = std::max(outside[t], sum - inside[t]);
    }
  }
  for (std::size_t v = 0; v < n; ++v) {
    behind[v] = std::max(inside.back() - inside[v] - outside[v], 0.0);
  }
  return behind;
}

}  // namespace

std::vector<std::int32_t> share_out_pops(const Forest& forest, std::span<const double> bounds,
                                         std::int32_t pop_limit) {
  const std::vector<double> behind = distances(forest, bounds);
  const auto n = static_cast<double>(behind.size());
  const auto length = [&](std::size_t v) {
    return static_cast<double>(forest.span[2 * v + 1] - forest.span[2 * v]);
  };
  std::vector<double> groups(behind.size());
  for (std::size_t g = 0; g < bounds.size(); ++g)
    ++groups[static_cast<std::size_t>(forest.head[static_cast<std::size_t>(forest.groups[g])])];
  double mean_behind = 0, mean_length = 0;
  for (std::size_t v = 0; v < behind.size(); ++v) {
    mean_behind += behind[v] / n;
    mean_length += length(v) / n;
  }
  const double reach = std::max(kReach * mean_behind, std::numeric_limits<double>::min());
  const double typical = std::clamp(mean_length, 1.0, kTypicalLength);
  std::vector<double> shares(behind.size());
  for (std::size_t v = 0; v < behind.size(); ++v) {
    shares[v] = length(v) / typical * std::max(kFloor, kPeak * std::exp(-behind[v] / reach));
  }
  const double sum = std::accumulate(shares.begin(), shares.end(), 0.0);
  const double part = std::min(1.0, kMostShares / sum);
  std::vector<std::int32_t> pops(behind.size(), 1);
  for (std::size_t v = 0; v < behind.size(); ++v) {
    const double count = std::ceil(part * shares[v] * (pop_limit + kPopsOfGroup * groups[v]));
    if (count > 1) pops[v] = static_cast<std::int32_t>(std::min(count, 1e9));
  }
  pops.back() = std::numeric_limits<std::int32_t>::max();
  return pops;
}

}  // namespace hopefear
