// The candidates of the node at work that the scorers have scored: what items and edges are made of
// when the candidates are accepted.
#pragma once

#include "forest/forest.h"

namespace hopefear {

using ItemId = std::int32_t;

struct Scored {
  EdgeId edge;
  std::int32_t tails;  // place of its tail items
  double edge_score;
  double total;  // with the scores of the tails and the rest cost
  std::uint64_t hash;
  float rest_cost;
};

class ScoredCandidates {
 public:
  // `stride` bytes of state and `values` values of scorers for each candidate.
  ScoredCandidates(std::size_t stride, std::size_t values)
      : stride_(stride), value_count_(values) {}

  std::int32_t count() const { return count_; }

  // Adds a candidate and returns its number. Pointers to candidates become invalid.
  std::int32_t add(EdgeId edge, std::int32_t arity) {
    if (count_ == scored_.count()) {
      scored_.resize(2 * count_ + 16);
      states_.resize(scored_.size() * stride_);
      values_.resize(scored_.size() * value_count_);
    }
    scored_[count_] = {edge, tail_count_, 0, 0, 0, 0};
    tail_count_ += arity;
    if (tails_.count() < tail_count_) tails_.resize(2 * tail_count_);
    return count_++;
  }
  // Forgets all candidates but the first `count`.
  void shrink(std::int32_t count) {
    if (count == count_) return;
    tail_count_ = scored_[count].tails;
    count_ = count;
  }

  Scored& operator[](std::int32_t i) { return scored_[i]; }
  IdSpan<std::int32_t, ItemId> tails(const Scored& scored, std::int32_t arity) {
    return {tails_.data() + scored.tails, place_of(arity)};
  }
  std::byte* state(std::int32_t i) { return states_.data() + place_of(i) * stride_; }
  std::span<float> values(std::int32_t i) {
    return {values_.data() + place_of(i) * value_count_, value_count_};
  }

 private:
  std::size_t stride_, value_count_;
  std::int32_t count_ = 0, tail_count_ = 0;  // in use of what follows
  IdVector<std::int32_t, Scored> scored_;
  IdVector<std::int32_t, ItemId> tails_;
  std::vector<std::byte> states_;
  std::vector<float> values_;
};

}  // namespace hopefear
