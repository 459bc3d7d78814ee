// The k best translations of a forest, and sums over them: what derivations share is visited once,
// not once for each of them.
//
// A derivation is an edge and a derivation of each tail. The derivations of all nodes that take
// part in the k best ones of the goal are far fewer than their edges.
#pragma once

#include "forest/kbest.h"

namespace hopefear {

class KBestSums {
 public:
  // The best derivation of each of the k best strings.
  KBestSums(std::shared_ptr<const Forest> forest, std::int32_t k);

  const Forest& forest() const { return *forest_; }
  std::int32_t count() const { return count_; }
  std::span<const Symbol> words(std::int32_t rank) const {
    return lists_.words(forest_->goal(), rank);
  }

  // The score w·f of each translation; features without a weight have 0.
  std::vector<double> scores(std::span<const double> weights) const;

  // The sum over the translations of their features times `factors`.
  struct Sum {
    FeatureId feature;
    double sum;
    bool may_vanish;  // edges have values of both signs: each translation may have 0
  };
  // Of the features that are not 0 on some edge, by number.
  std::vector<Sum> sums(std::span<const double> factors) const;

  // Which of some features, in ascending order, are not 0 in some translation; slow.
  std::vector<bool> fire(std::span<const FeatureId> features) const;

 private:
  // The edges in use of a forest, and of those that it was made from, without repetition.
  struct Level {
    const Forest* forest;
    std::vector<EdgeId> edges;
  };
  using Place = std::int32_t;  // of a derivation of a node

  Place place(NodeId node, std::int32_t rank) const { return first_[node] + rank; }
  void find_used();

  std::shared_ptr<const Forest> forest_;
  KBest lists_;
  std::int32_t count_ = 0;
  IdVector<NodeId, Place> first_;  // N + 1
  IdVector<Place, bool> used_;
  std::vector<Level> levels_;     // forest_ first
  std::vector<LocalRule> rules_;  // in use, which are the same at all levels
};

}  // namespace hopefear
