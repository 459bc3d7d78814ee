// Edit distance (Levenshtein 1966) of sequences of numbers to a reference, 64 columns of the table
// at a time (Myers 1999; Hyyrö 2003).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace hopefear {

class EditDistance {
 public:
  // The distances of a sequence to all beginnings of the reference: where they rise and fall by 1
  // from one beginning to the next, a bit each, and the distance to the whole reference.
  struct Row {
    std::vector<std::uint64_t> rises, falls;
    std::size_t distance;
  };

  explicit EditDistance(std::span<const std::uint32_t> reference);

  std::size_t length() const { return length_; }  // of the reference
  // The row of the empty sequence.
  Row first() const;

  // Makes the row of a sequence that of the sequence with one more symbol.
  void extend(Row& row, std::uint32_t symbol) const;

  std::size_t operator()(std::span<const std::uint32_t> sequence) const;

 private:
  std::size_t length_, blocks_;
  std::vector<std::uint32_t> symbols_;    // of the reference, in order
  std::vector<std::uint64_t> positions_;  // of each symbol, and of others: `blocks_` numbers each
};

}  // namespace hopefear
