// The results of cube pruning: the items of each node of the source forest, best first, and the
// accepted candidates of each item. Items become nodes of the new forest, accepted candidates
// become edges.
#pragma once

#include <algorithm>

#include "search/scored_candidates.h"
#include "search/scorer.h"

namespace hopefear {

class Items {
 public:
  // `stride` bytes of state an item, `values` values of scorers a accepted candidate.
  Items(const Forest& source, std::size_t stride, std::size_t values)
      : source_(source), stride_(stride), value_count_(values) {}

  struct Ranked {
    double score;  // with the rest cost
    ItemId item;
    float rest_cost;
  };

  // The items of a finished node, from the best; valid until the next node is finished.
  IdSpan<std::int32_t, const Ranked> ranked(NodeId v) const { return ranked_[v]; }
  const std::byte* state(ItemId item) const { return states_.data() + place_of(item) * stride_; }

  // The goal has one item only. About `candidates` are going to be added.
  void start_node(bool is_goal, std::int32_t candidates) {
    is_goal_ = is_goal;
    first_ = items_.count();
    slots_.clear(2 * place_of(candidates) + 2);
  }

  // Adds a scored candidate to the item with its state, or to a new item. equal(state, state)
  // compares states.
  template <class Equal>
  void add(const Scored& scored, std::span<const ItemId> tails, const std::byte* state,
           std::span<const float> values, const Equal& equal) {
    const ItemId item = recombine(state, scored.hash, scored.total, scored.rest_cost, equal);
    const AcceptedId accepted = accepted_.count();
    accepted_.push_back({scored.edge_score, scored.edge, tails_.count(), -1});
    for (const ItemId tail : tails) tails_.push_back(tail);
    for (const float value : values) values_.push_back(value);
    Item& head = items_[item];
    if (head.last >= 0) accepted_[head.last].next = accepted;
    if (head.first < 0) head.first = accepted;
    head.last = accepted;
  }

  void finish_node();

  // Writes the nodes and edges that are on a derivation of the goal. `marks` of scorers, one for
  // each accepted candidate, are reduced to those edges.
  void write(Forest& out, std::span<Marks* const> marks) const;

 private:
  using AcceptedId = std::int32_t;
  struct Accepted {
    double score;  // of the edge alone
    EdgeId edge;
    std::int32_t tails;  // place of its tail items
    AcceptedId next;     // of the same item, -1 for the last
  };
  // Candidates of a node with equal states, which recombine.
  struct Item {
    double score;  // of the best derivation, with the rest cost
    std::uint64_t hash;
    AcceptedId first, last;
    float rest_cost;
  };

  template <class Equal>
  ItemId recombine(const std::byte* state, std::uint64_t hash, double total, float rest_cost,
                   const Equal& equal) {
    const auto keep_best = [&](ItemId item) {
      double& best = items_[item].score;
      if (total > best) {  // states may say more of the best derivation than what recombines
        best = total;
        std::copy_n(state, stride_, states_.data() + place_of(item) * stride_);
      }
      return item;
    };
    if (is_goal_ && first_ < items_.count()) return keep_best(first_);
    std::int32_t& slot = slots_.find(slot_hash(hash), [&](std::int32_t slot) {
      return items_[slot - 1].hash == hash && equal(state, this->state(slot - 1));
    });
    if (!is_free(slot)) return keep_best(slot - 1);
    const std::size_t place = items_.size() * stride_;
    if (states_.size() < place + stride_) states_.resize(2 * (place + stride_));
    std::copy_n(state, stride_, states_.data() + place);
    items_.push_back({total, hash, -1, -1, rest_cost});
    slot = items_.count();
    slots_.added([this](std::int32_t slot) { return slot_hash(items_[slot - 1].hash); });
    return items_.count() - 1;
  }

  static std::uint32_t slot_hash(std::uint64_t hash) {
    return static_cast<std::uint32_t>(hash >> 32);
  }
  std::span<const ItemId> tails_of(const Accepted& accepted) const {
    return {tails_.data() + accepted.tails, source_.tails_of(accepted.edge).size()};
  }
  IdVector<ItemId, bool> find_useful() const;

  const Forest& source_;
  std::size_t stride_, value_count_;

  IdVector<ItemId, Item> items_;
  std::vector<std::byte> states_;  // of items_
  IdVector<AcceptedId, Accepted> accepted_;
  std::vector<float> values_;             // of accepted_
  IdVector<std::int32_t, ItemId> tails_;  // of accepted_

  IdRows<NodeId, Ranked> ranked_;  // by node of the source forest, best first

  // of the node at work
  bool is_goal_ = false;
  ItemId first_ = 0;
  ProbingSlots<std::int32_t> slots_{0};  // items plus 1
};

}  // namespace hopefear
