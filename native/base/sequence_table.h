// Numbers for short sequences of integers, such as some words of a rule. Number 0 is the empty one.
#pragma once

#include <mutex>

#include "base/key_index.h"

namespace hopefear {

class SequenceTable {  // thread-safe
 public:
  // All numbers are below.
  std::int32_t size() const;
  // The numbers of n sequences. Item i (at least 0) belongs to sequence rows[i]; rows are in
  // ascending order. Throws std::invalid_argument otherwise.
  std::vector<std::int32_t> numbers(std::size_t n, std::span<const std::int64_t> rows,
                                    std::span<const std::int32_t> items);

  using Items = IdRows<std::int32_t, std::int32_t>;
  // Throws std::out_of_range if a number is unknown.
  Items items(std::span<const std::int64_t> numbers) const;

 private:
  mutable std::mutex mutex_;
  // A sequence is stored as the sequence without its last item, and that item; its number is one
  // more than the number in this index.
  KeyIndex index_;
};

}  // namespace hopefear
