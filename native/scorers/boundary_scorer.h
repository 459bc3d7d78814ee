// The words at both ends of what a node yields, as far as n-grams over its borders need them; and a
// scorer that scores nothing: it splits a forest by these words.
#pragma once

#include <algorithm>
#include <array>

#include "search/scorer.h"

namespace hopefear {

inline constexpr std::int32_t kMostOrder = 4;  // of n-grams

// Of a yield of fewer words than the order, all words, on both sides.
struct BoundaryWords {
  using Words = std::array<Symbol, kMostOrder - 1>;
  Words first{};            // the first words, in their order
  Words last{};             // the last words, the last one first
  std::int32_t length = 0;  // of the yield, at most the order
};

// Reads the target words of a rule and the boundary words of its tails from left to right. For each
// word that it reads it calls visit(words, inside): the last words up to this one, in reverse, and
// how many of them are of the same tail. N-grams of more words end here and are formed by the rule.
template <class Visit>
class BoundaryReader {
 public:
  BoundaryReader(std::int32_t order, Visit visit) : order_(order), visit_(std::move(visit)) {}

  void word(Symbol word) { read(word, 0); }

  void tail(const BoundaryWords& tail) {
    const std::int32_t known = std::min(tail.length, order_ - 1);
    for (const std::int32_t i : ids(0, known)) read(tail.first[place_of(i)], i + 1);
    if (tail.length == known) return;
    std::ranges::copy(tail.last, recent_.begin());
    recent_count_ = order_ - 1;
    yield_.length = order_;
  }

  const BoundaryWords& yield() {
    std::copy_n(recent_.begin(), order_ - 1, yield_.last.begin());
    return yield_;
  }

 private:
  void read(Symbol word, std::int32_t inside) {
    if (yield_.length < order_ - 1) yield_.first[place_of(yield_.length)] = word;
    yield_.length = std::min(yield_.length + 1, order_);
    std::shift_right(recent_.begin(), recent_.end(), 1);
    recent_[0] = word;
    recent_count_ = std::min(recent_count_ + 1, order_);
    visit_(std::span<const Symbol>(recent_.data(), place_of(recent_count_)), inside);
  }

  std::int32_t order_;
  Visit visit_;
  BoundaryWords yield_;
  std::array<Symbol, kMostOrder> recent_{};  // the last one first
  std::int32_t recent_count_ = 0;
};

class BoundaryScorer final : public StatefulScorer {
 public:
  explicit BoundaryScorer(std::int32_t order) : order_(order) {}

  std::size_t state_size() const override { return sizeof(BoundaryWords); }
  std::unique_ptr<SentenceScorer> begin(const Forest& forest, const double* weights) const override;

 private:
  std::int32_t order_;
};

}  // namespace hopefear
