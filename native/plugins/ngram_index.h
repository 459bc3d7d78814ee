// Numbers for n-grams of one order, in the order of their first occurrence.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <span>
#include <vector>

#include "base/id_vector.h"
#include "base/key_index.h"

namespace hopefear {

using Ngram = std::span<const std::int32_t>;  // numbers of units

// A chain of pairs: (first unit, second unit), (number of that, third unit) and so on.
class NgramIndex {
 public:
  static constexpr std::int32_t kUnknown = KeyIndex::kUnknown;

  explicit NgramIndex(int order, std::size_t slots = 64)
      : links_(place_of(std::max(order - 1, 1)), KeyIndex(slots)) {}

  std::int32_t size() const { return links_.back().size(); }
  std::int32_t find(Ngram ngram) const {
    if (ngram.size() == 1) return links_[0].find(ngram[0]);
    std::int32_t head = ngram[0];
    for (std::size_t i = 1; i < ngram.size(); ++i) {
      head = links_[i - 1].find(KeyIndex::pair(head, ngram[i]));
      if (head == kUnknown) break;
    }
    return head;
  }
  std::int32_t insert(Ngram ngram) {
    if (ngram.size() == 1) return links_[0].insert(ngram[0]);
    std::int32_t head = ngram[0];
    for (std::size_t i = 1; i < ngram.size(); ++i) {
      head = links_[i - 1].insert(KeyIndex::pair(head, ngram[i]));
    }
    return head;
  }

 private:
  std::vector<KeyIndex> links_;
};

}  // namespace hopefear
