#include "forest/moments.h"

#include <algorithm>
#include <cmath>

#include "forest/inside_outside.h"

namespace hopefear {
namespace {

constexpr double kDeviationRounding = 1e-9;

}  // namespace

Moments::Moments(const Forest& forest, double scale)
    : forest_(forest), share_(forest.edges()), nodes_(forest.nodes(), 0.0) {
  const IdVector<NodeId, double> in = inside(forest, Semiring::kLog, scale);
  log_partition_ = in.empty() ? -std::numeric_limits<double>::infinity() : in.back();
  if (!in.empty()) nodes_.back() = 1;
  for (NodeId v = forest.nodes(); v-- > 0;) {
    for (const EdgeId e : forest.edges_into(v)) {
      share_[e] = std::exp(forest.with_tails(e, scale * forest.score[e], in) - in[v]);
      for (const NodeId tail : forest.tails_of(e)) nodes_[tail] += nodes_[v] * share_[e];
    }
  }
}

IdVector<EdgeId, double> Moments::edges() const {
  IdVector<EdgeId, double> posterior(forest_.edges());
  for (const EdgeId e : posterior.ids()) posterior[e] = nodes_[forest_.head[e]] * share_[e];
  return posterior;
}

std::vector<double> Moments::means(std::span<const double> values, std::size_t columns) const {
  std::vector<double> mean(place_of(forest_.nodes()) * columns, 0.0);
  const auto row = [&](NodeId v) { return mean.data() + place_of(v) * columns; };
  for (const NodeId v : forest_.category.ids()) {
    double* const sum = row(v);
    for (const EdgeId e : forest_.edges_into(v)) {
      const double* const value = values.data() + place_of(e) * columns;
      for (std::size_t j = 0; j < columns; ++j) sum[j] += share_[e] * value[j];
      for (const NodeId tail : forest_.tails_of(e)) {
        const double* const below = row(tail);
        for (std::size_t j = 0; j < columns; ++j) sum[j] += share_[e] * below[j];
      }
    }
  }
  return mean;
}

// The variance of a sum is that of each choice of an edge, given the choices above it.
std::vector<double> Moments::covariances(std::span<const double> values, std::size_t columns,
                                         std::span<const double> others,
                                         std::size_t other_columns) const {
  const std::vector<double> mean = means(values, columns), other = means(others, other_columns);
  std::vector<double> sums(columns * other_columns, 0.0), left(columns), right(other_columns);
  const auto deviate = [&](EdgeId e, std::span<const double> of_edge,
                           const std::vector<double>& of_node, std::vector<double>& out) {
    const auto at = [&](const auto& rows, auto id, std::size_t j) {
      return rows[place_of(id) * out.size() + j];
    };
    for (std::size_t j = 0; j < out.size(); ++j) {
      out[j] = at(of_edge, e, j) - at(of_node, forest_.head[e], j);
      for (const NodeId tail : forest_.tails_of(e)) out[j] += at(of_node, tail, j);
    }
  };
  for (const EdgeId e : share_.ids()) {
    const double posterior = nodes_[forest_.head[e]] * share_[e];
    if (posterior == 0) continue;
    deviate(e, values, mean, left);
    deviate(e, others, other, right);
    for (std::size_t i = 0; i < columns; ++i)
      for (std::size_t j = 0; j < other_columns; ++j)
        sums[i * other_columns + j] += posterior * left[i] * right[j];
  }
  return sums;
}

IdVector<EdgeId, double> Moments::deviations(std::span<const double> values) const {
  const IdVector<NodeId, double> mean(means(values, 1));
  IdVector<EdgeId, double> deviation(forest_.edges());
  for (const EdgeId e : deviation.ids())
    deviation[e] = forest_.with_tails(e, values[place_of(e)] - mean[forest_.head[e]], mean);
  return deviation;
}

template <class OfEdge>
IdVector<EdgeId, double> Moments::spread(OfEdge&& of_edge) const {
  IdVector<EdgeId, double> by_edge(forest_.edges());
  IdVector<NodeId, double> by_node(forest_.nodes(), 0.0);
  for (NodeId v = forest_.nodes(); v-- > 0;) {
    for (const EdgeId e : forest_.edges_into(v)) {
      by_edge[e] = share_[e] * (of_edge(v, e) + by_node[v]);
      for (const NodeId tail : forest_.tails_of(e)) by_node[tail] += by_edge[e];
    }
  }
  return by_edge;
}

IdVector<EdgeId, double> Moments::edge_covariances(std::span<const double> values) const {
  const IdVector<EdgeId, double> deviation = deviations(values);
  return spread([&](NodeId v, EdgeId e) { return nodes_[v] * deviation[e]; });
}

// The derivative of edge_covariances(first) as the scores move by `second`.
IdVector<EdgeId, double> Moments::edge_third_moments(std::span<const double> first,
                                                     std::span<const double> second) const {
  const IdVector<EdgeId, double> left = deviations(first), right = deviations(second);
  IdVector<NodeId, double> covariance(forest_.nodes(), 0.0);  // of a node's derivations
  for (const NodeId v : covariance.ids()) {
    for (const EdgeId e : forest_.edges_into(v))
      covariance[v] += share_[e] * forest_.with_tails(e, left[e] * right[e], covariance);
  }
  // How the expected number of a node moves with each of both sums.
  IdVector<NodeId, double> by_left(forest_.nodes(), 0.0), by_right(forest_.nodes(), 0.0);
  return spread([&](NodeId v, EdgeId e) {
    const double of_left = nodes_[v] * left[e] + by_left[v];
    const double of_right = nodes_[v] * right[e] + by_right[v];
    for (const NodeId tail : forest_.tails_of(e)) {
      by_left[tail] += share_[e] * of_left;
      by_right[tail] += share_[e] * of_right;
    }
    return right[e] * of_left + by_right[v] * left[e] +
           nodes_[v] * forest_.with_tails(e, -covariance[v], covariance);
  });
}

double score_deviation(const Forest& forest) {
  if (forest.empty()) return 0;
  const Moments moments(forest, 0);
  double largest = 0;
  for (const double mean : moments.means(forest.score, 1))
    largest = std::max(largest, std::abs(mean));
  const double deviation = std::sqrt(moments.covariances(forest.score, 1, forest.score, 1)[0]);
  return deviation > kDeviationRounding * largest ? deviation : 0;
}

}  // namespace hopefear
