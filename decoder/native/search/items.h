// The results of cube pruning: the items of each node of the source forest, best first, and the
// popped candidates of each item. Items become nodes of the new forest, popped candidates become
// edges.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "search/scorer.h"

namespace hopefear {

class Items {
 public:
  // `stride` bytes of state an item, `values` values of scorers a popped candidate.
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
  const std::byte* state(std::int32_t item) const {
    return states_.data() + static_cast<std::size_t>(item) * stride_;
  }

  // The goal has one item only.
  void start_node(bool is_goal) {
    is_goal_ = is_goal;
    first_ = static_cast<std::int32_t>(items_.size());
    std::fill(slots_.begin(), slots_.end(), -1);
  }

  // Makes room for the states of the next candidates, after the states of all items; the states of
  // new items stay there.
  void reserve(std::size_t candidates) {
    const std::size_t needed = (items_.size() + candidates) * stride_;
    if (states_.size() < needed) states_.resize(2 * needed);
  }
  std::byte* new_state(std::size_t candidate) {
    return states_.data() + (items_.size() + candidate) * stride_;
  }
  // The values of the candidate that was laid out last; valid until the next candidate is laid out.
  float* new_values() {
    values_.resize(values_.size() + value_count_);
    return values_.data() + values_.size() - value_count_;
  }
  // The tail items of a candidate that is laid out.
  std::span<std::int32_t> new_tails(std::size_t arity) {
    tails_.resize(tails_.size() + arity);
    return std::span(tails_).last(arity);
  }
  std::int32_t next_tails() const { return static_cast<std::int32_t>(tails_.size()); }

  // Adds a scored candidate to the item with its state, or to a new item. Candidates are added in
  // the order in which they were laid out. equal(state, state) compares states.
  template <class Equal>
  void add(EdgeId edge, std::int32_t tails, double edge_score, double total, const std::byte* state,
           std::uint64_t hash, const Equal& equal) {
    const std::int32_t item = recombine(state, hash, total, equal);
    const auto popped = static_cast<std::int32_t>(popped_.size());
    popped_.push_back({edge_score, edge, tails, -1});
    Item& head = items_[static_cast<std::size_t>(item)];
    if (head.last >= 0) popped_[static_cast<std::size_t>(head.last)].next = popped;
    if (head.first < 0) head.first = popped;
    head.last = popped;
  }

  void finish_node();

  // Writes the nodes and edges that are on a derivation of the goal. `marks` of scorers, one for
  // each popped candidate, are reduced to those edges.
  void write(Forest& out, std::span<Marks* const> marks) const;

 private:
  // A candidate scored in full.
  struct Popped {
    double score;  // of the edge alone
    EdgeId edge;
    std::int32_t tails;  // place of its tail items
    std::int32_t next;   // of the same item, -1 for the last
  };
  // Candidates of a node with equal states, which recombine.
  struct Item {
    double score;  // of the best derivation
    std::uint64_t hash;
    std::int32_t first, last;  // popped
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
    const std::size_t mask = slots_.size() - 1;
    std::size_t slot = (hash >> 20) & mask;
    for (; slots_[slot] >= 0; slot = (slot + 1) & mask) {
      const std::int32_t item = slots_[slot];
      if (items_[static_cast<std::size_t>(item)].hash == hash && equal(state, this->state(item)))
        return keep_best(item);
    }
    std::byte* own = new_state(0);
    if (own != state) std::copy_n(state, stride_, own);
    slots_[slot] = static_cast<std::int32_t>(items_.size());
    items_.push_back({total, hash, -1, -1});
    if (2 * (items_.size() - static_cast<std::size_t>(first_)) > slots_.size()) grow_slots();
    return static_cast<std::int32_t>(items_.size()) - 1;
  }

  void grow_slots();
  std::span<const std::int32_t> tails_of(const Popped& popped) const {
    return {tails_.data() + popped.tails, source_.tails_of(popped.edge).size()};
  }
  std::vector<bool> find_useful() const;

  const Forest& source_;
  std::size_t stride_, value_count_;

  std::vector<Item> items_;
  std::vector<std::byte> states_;  // of items_
  std::vector<Popped> popped_;
  std::vector<float> values_;        // of popped_
  std::vector<std::int32_t> tails_;  // of popped_: items

  // The items of source node v, best first, are at [ranked_begin_[v], ranked_begin_[v + 1]).
  std::vector<Ranked> ranked_;
  std::vector<std::int32_t> ranked_begin_{0};

  // of the node at work
  bool is_goal_ = false;
  std::int32_t first_ = 0;
  std::vector<std::int32_t> slots_ = std::vector<std::int32_t>(256, -1);  // items by hash
};

}  // namespace hopefear
