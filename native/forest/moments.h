// Expectations, covariances and third moments of what derivations sum over their edges, under
// p(d) ~ exp(scale * score): the first- and second-order expectation semirings (Li & Eisner 2009)
// and their derivatives. A derivation is drawn from the goal down, each edge with a probability
// among those of its head; deviations from the means of nodes take the place of the semirings'
// products, so nothing large cancels.
//
// Values of edges have a row for each edge. Derivatives are by the edges' scores, divided by
// `scale`: the covariance of a sum and how often a derivation has the edge is that of the sum's
// expectation, the third moment with another sum that of the covariance.
#pragma once

#include "forest/forest.h"

namespace hopefear {

class Moments {
 public:
  Moments(const Forest& forest, double scale);

  // log of the sum of exp(scale * score).
  double log_partition() const { return log_partition_; }
  // How often a derivation is expected to have a node, or an edge: the posteriors.
  const IdVector<NodeId, double>& nodes() const { return nodes_; }
  IdVector<EdgeId, double> edges() const;

  // By node: the expected sums of its derivations, a row for each node. The goal has the last row.
  std::vector<double> means(std::span<const double> values, std::size_t columns) const;
  // By column of `values`, then of `others`.
  std::vector<double> covariances(std::span<const double> values, std::size_t columns,
                                  std::span<const double> others, std::size_t other_columns) const;
  IdVector<EdgeId, double> edge_covariances(std::span<const double> values) const;
  IdVector<EdgeId, double> edge_third_moments(std::span<const double> first,
                                              std::span<const double> second) const;

 private:
  IdVector<EdgeId, double> deviations(std::span<const double> values) const;
  // Sums of edges' values, each times that edge's probability, from the goal down.
  template <class OfEdge>
  IdVector<EdgeId, double> spread(OfEdge&& of_edge) const;

  const Forest& forest_;
  double log_partition_;
  IdVector<EdgeId, double> share_;  // of an edge among the derivations of its head
  IdVector<NodeId, double> nodes_;
};

// The standard deviation of the scores of all derivations, each counted once; 0 where they differ
// by rounding only.
double score_deviation(const Forest& forest);

}  // namespace hopefear
