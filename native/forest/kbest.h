// Lazy k-best derivations: Huang & Chiang 2005, algorithm 3.
#pragma once

#include <cstdint>
#include <unordered_set>
#include <vector>

#include "forest/derivation.h"

namespace hopefear {

class KBest {
 public:
  // With `unique`, only the best of a node's derivations with the same words is kept.
  KBest(const Forest& forest, bool unique);

  // The k-th best derivation of the goal, k from 0; false when there are fewer.
  bool derivation(std::int32_t k, Derivation& out);

 private:
  struct Candidate {
    double score;
    EdgeId edge;
    std::int32_t ranks;  // place in ranks_ of the rank of each tail's derivation
    std::int32_t last;   // coordinates before this one are not advanced: each point is reached once
  };
  struct Better {
    bool operator()(const Candidate& a, const Candidate& b) const {
      return a.score < b.score || (a.score == b.score && a.edge > b.edge);
    }
  };
  struct NodeLists {
    bool started = false;
    IdVector<std::int32_t, Candidate> derivations;  // found, best first
    std::vector<Candidate> heap;
    IdVector<std::int32_t, std::vector<Symbol>> words;  // of the derivations, when unique
    std::unordered_set<std::uint64_t> seen;
    bool has_pending = false;  // the last derivation's neighbours are not in the heap yet
  };

  bool find(NodeId node, std::int32_t k);
  void start(NodeId node);
  void push_neighbours(NodeId node, const Candidate& candidate);
  bool is_new(NodeId node, const Candidate& candidate);
  std::int32_t rank_of(const Candidate& candidate, std::int32_t tail) const {
    return ranks_[candidate.ranks + tail];
  }
  double score_of(NodeId node, std::int32_t k) { return lists_[node].derivations[k].score; }
  void append(NodeId node, std::int32_t k, Derivation& out);

  const Forest& forest_;
  bool unique_;
  IdVector<NodeId, double> best_;  // score of each node's best derivation
  IdVector<NodeId, NodeLists> lists_;
  IdVector<std::int32_t, std::int32_t> ranks_;
};

}  // namespace hopefear
