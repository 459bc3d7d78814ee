#include "search/pop_shares.h"

#include <algorithm>
#include <cmath>
#include <limits>

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
IdVector<NodeId, double> distances(const Forest& forest, const IdVector<GroupId, double>& bounds) {
  constexpr double kNever = -std::numeric_limits<double>::infinity();
  IdVector<NodeId, double> inside(forest.nodes(), kNever), outside = inside, behind(forest.nodes());
  for (const GroupId g : bounds.ids()) {
    const double sum = forest.with_tails(forest.groups[g], bounds[g], inside);
    double& best = inside[forest.head_of_group(g)];
    best = std::max(best, sum);
  }
  outside.back() = 0;
  for (GroupId g = bounds.count(); g-- > 0;) {
    const double sum =
        forest.with_tails(forest.groups[g], outside[forest.head_of_group(g)] + bounds[g], inside);
    for (const NodeId tail : forest.tails_of(forest.groups[g]))
      outside[tail] = std::max(outside[tail], sum - inside[tail]);
  }
  for (const NodeId v : behind.ids())
    behind[v] = std::max(inside.back() - inside[v] - outside[v], 0.0);
  return behind;
}

}  // namespace

IdVector<NodeId, std::int32_t> share_out_pops(const Forest& forest,
                                              const IdVector<GroupId, double>& bounds,
                                              std::int32_t pop_limit) {
  const IdVector<NodeId, double> behind = distances(forest, bounds);
  const double n = forest.nodes();
  const auto length = [&](NodeId v) -> double { return forest.span[v].end - forest.span[v].begin; };
  IdVector<NodeId, double> groups(forest.nodes());
  for (const GroupId g : bounds.ids()) ++groups[forest.head_of_group(g)];
  double mean_behind = 0, mean_length = 0;
  for (const NodeId v : behind.ids()) {
    mean_behind += behind[v] / n;
    mean_length += length(v) / n;
  }
  const double reach = std::max(kReach * mean_behind, std::numeric_limits<double>::min());
  const double typical = std::clamp(mean_length, 1.0, kTypicalLength);
  IdVector<NodeId, double> shares(forest.nodes());
  for (const NodeId v : shares.ids())
    shares[v] = length(v) / typical * std::max(kFloor, kPeak * std::exp(-behind[v] / reach));
  const double sum = std::accumulate(shares.begin(), shares.end(), 0.0);
  const double part = std::min(1.0, kMostShares / sum);
  IdVector<NodeId, std::int32_t> pops(forest.nodes(), 1);
  for (const NodeId v : pops.ids()) {
    const double count = std::ceil(part * shares[v] * (pop_limit + kPopsOfGroup * groups[v]));
    if (count > 1) pops[v] = static_cast<std::int32_t>(std::min(count, 1e9));
  }
  pops.back() = std::numeric_limits<std::int32_t>::max();
  return pops;
}

}  // namespace hopefear
