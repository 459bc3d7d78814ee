// The results of cube pruning: the items of each node of the source forest, best first, and the
// accepted candidates of each item. Items become nodes of the new forest, accepted candidates
// become edges.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/probing.h"
#include "search/scored_candidates.h"
#include "search/scorer.h"

namespace hopefear {

class Items {
 public:
  // `stride` bytes of state an item, `values` values of scorers a accepted candidate.
  Items(const Forest& source, std::size_t stride, std::size_t values)
      : source_(source), stride_(stride), value_count_(values) {}

  struct Ranked {
    double score;
    std::int32_t item;
  };

  // The items of a finished node, from the best.
  std::int32_t count(NodeId v) const {
    return ranked_begin_[static_cast<std::size_t>(v) + 1] -
           ranked_begin_[static_cast<std::size_t>(v)];
  }
  const Ranked& at(NodeId v, std::int32_t rank) const {
    return ranked_[static_cast<std::size_t>(ranked_begin_[static_cast<std::size_t>(v)] + rank)];
  }
  // Valid until the next node is finished.
  std::span<const Ranked> ranked(NodeId v) const {
    return {ranked_.data() + ranked_begin_[static_cast<std::size_t>(v)],
            static_cast<std::size_t>(count(v))};
  }
  const std::byte* state(std::int32_t item) const {
    return states_.data() + static_cast<std::size_t>(item) * stride_;
  }

  // The goal has one item only. About `candidates` are going to be added.
  void start_node(bool is_goal, std::int32_t candidates) {
    is_goal_ = is_goal;
    first_ = static_cast<std::int32_t>(items_.size());
    slots_.clear(2 * static_cast<std::size_t>(candidates) + 2);
  }

  // Adds a scored candidate to the item with its state, or to a new item. equal(state, state)
  // compares states.
  template <class Equal>
  void add(const Scored& scored, std::span<const std::int32_t> tails, const std::byte* state,
           std::span<const float> values, const Equal& equal) {
    const std::int32_t item = recombine(state, scored.hash, scored.total, equal);
    const auto accepted = static_cast<std::int32_t>(accepted_.size());
    accepted_.push_back(
        {scored.edge_score, scored.edge, static_cast<std::int32_t>(tails_.size()), -1});
    for (const std::int32_t tail : tails) tails_.push_back(tail);
    for (const float value : values) values_.push_back(value);
    Item& head = items_[static_cast<std::size_t>(item)];
    if (head.last >= 0) accepted_[static_cast<std::size_t>(head.last)].next = accepted;
    if (head.first < 0) head.first = accepted;
    head.last = accepted;
  }

  void finish_node();

  // Writes the nodes and edges that are on a derivation of the goal. `marks` of scorers, one for
  // each accepted candidate, are reduced to those edges.
  void write(Forest& out, std::span<Marks* const> marks) const;

 private:
  struct Accepted {
    double score;  // of the edge alone
    EdgeId edge;
    std::int32_t tails;  // place of its tail items
    std::int32_t next;   // of the same item, -1 for the last
  };
  // Candidates of a node with equal states, which recombine.
  struct Item {
    double score;  // of the best derivation
    std::uint64_t hash;
    std::int32_t first, last;  // accepted
  };

  template <class Equal>
  std::int32_t recombine(const std::byte* state, std::uint64_t hash, double total,
                         const Equal& equal) {
    const auto keep_best = [&](std::int32_t item) {
      double& best = items_[static_cast<std::size_t>(item)].score;
      if (total > best) {  // states may say more of the best derivation than what recombines
        best = total;
        std::copy_n(state, stride_, states_.data() + static_cast<std::size_t>(item) * stride_);
      }
      return item;
    };
    if (is_goal_ && static_cast<std::size_t>(first_) < items_.size()) return keep_best(first_);
    std::int32_t& slot = slots_.find(slot_hash(hash), [&](std::int32_t slot) {
      return items_[static_cast<std::size_t>(slot - 1)].hash == hash &&
             equal(state, this->state(slot - 1));
    });
    if (!is_free(slot)) return keep_best(slot - 1);
    const std::size_t place = items_.size() * stride_;
    if (states_.size() < place + stride_) states_.resize(2 * (place + stride_));
    std::copy_n(state, stride_, states_.data() + place);
    items_.push_back({total, hash, -1, -1});
    slot = static_cast<std::int32_t>(items_.size());
    slots_.added([this](std::int32_t slot) {
      return slot_hash(items_[static_cast<std::size_t>(slot - 1)].hash);
    });
    return static_cast<std::int32_t>(items_.size()) - 1;
  }

  static std::uint32_t slot_hash(std::uint64_t hash) {
    return static_cast<std::uint32_t>(hash >> 32);
  }
  std::span<const std::int32_t> tails_of(const Accepted& accepted) const {
    return {tails_.data() + accepted.tails, source_.tails_of(accepted.edge).size()};
  }
  std::vector<bool> find_useful() const;

  const Forest& source_;
  std::size_t stride_, value_count_;

  std::vector<Item> items_;
  std::vector<std::byte> states_;  // of items_
  std::vector<Accepted> accepted_;
  std::vector<float> values_;        // of accepted_
  std::vector<std::int32_t> tails_;  // of accepted_: items

  // The items of source node v, best first, are at [ranked_begin_[v], ranked_begin_[v + 1]).
  std::vector<Ranked> ranked_;
  std::vector<std::int32_t> ranked_begin_{0};

  // of the node at work
  bool is_goal_ = false;
  std::int32_t first_ = 0;
  ProbingSlots<std::int32_t> slots_{0};  // items plus 1
};

}  // namespace hopefear
