// Lazy k-best derivations: Huang & Chiang 2005, algorithm 3.
#pragma once

#include "forest/derivation.h"

namespace hopefear {

class KBest {
 public:
  // With `unique`, only the best of a node's derivations with the same words is kept.
  KBest(const Forest& forest, bool unique);

  // The k-th best derivation of the goal, k from 0; false when there are fewer.
  bool derivation(std::int32_t k, Derivation& out);

  // Makes the k-th best derivation of a node known; false when there are fewer.
  bool find(NodeId node, std::int32_t k);
  // Of the known ones: how many a node has, the edge of one, and the rank of each tail's derivation
  // in it. With `unique`, those of the tails are known too.
  std::int32_t known(NodeId node) const { return lists_[node].derivations.count(); }
  EdgeId edge(NodeId node, std::int32_t k) const { return lists_[node].derivations[k].edge; }
  std::int32_t rank_of_tail(NodeId node, std::int32_t k, std::int32_t tail) const {
    return rank_of(lists_[node].derivations[k], tail);
  }
  // With `unique`: the words of a known derivation, valid until another one becomes known.
  std::span<const Symbol> words(NodeId node, std::int32_t k) const {
    return words_of(texts_[lists_[node].derivations[k].text]);
  }

 private:
  struct Candidate {
    double score;
    EdgeId edge;
    std::int32_t ranks;  // place in ranks_ of the rank of each tail's derivation
    std::int32_t last;   // coordinates before this one are not advanced: each point is reached once
    std::int32_t text;   // in texts_, of a derivation that is known, when unique
  };
  // The words of a derivation of a node.
  struct Text {
    std::uint64_t hash;
    NodeId node;
    std::int32_t begin, length;  // in symbols_
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
    bool has_pending = false;  // the last derivation's neighbours are not in the heap yet
  };

  void start(NodeId node);
  void push_neighbours(NodeId node, const Candidate& candidate);
  // Whether no better derivation of the node has the same words; if so, sets `candidate.text`.
  bool is_new(NodeId node, Candidate& candidate);
  std::span<const Symbol> words_of(const Text& text) const {
    return {symbols_.data() + text.begin, place_of(text.length)};
  }
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
  // when unique
  IdVector<std::int32_t, Text> texts_;
  IdVector<std::int32_t, Symbol> symbols_;
  ProbingSlots<std::int32_t> slots_{0};  // numbers of texts plus 1
};

}  // namespace hopefear
