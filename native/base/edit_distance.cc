#include "base/edit_distance.h"

#include <algorithm>

namespace hopefear {

EditDistance::EditDistance(std::span<const std::uint32_t> reference)
    : length_(reference.size()),
      blocks_((length_ + 63) / 64),
      symbols_(reference.begin(), reference.end()) {
  std::ranges::sort(symbols_);
  symbols_.erase(std::ranges::unique(symbols_).begin(), symbols_.end());
  positions_.resize((symbols_.size() + 1) * blocks_);
  for (std::size_t i = 0; i < reference.size(); ++i) {
    const auto symbol = std::ranges::lower_bound(symbols_, reference[i]) - symbols_.begin();
    positions_[static_cast<std::size_t>(symbol) * blocks_ + i / 64] |= std::uint64_t{1} << i % 64;
  }
}

EditDistance::Row EditDistance::first() const {
  return {std::vector(blocks_, ~std::uint64_t{0}), std::vector<std::uint64_t>(blocks_), length_};
}

void EditDistance::extend(Row& row, std::uint32_t symbol) const {
  auto found = std::ranges::lower_bound(symbols_, symbol);
  if (found != symbols_.end() && *found != symbol) found = symbols_.end();
  const auto* positions =
      positions_.data() + static_cast<std::size_t>(found - symbols_.begin()) * blocks_;
  const std::size_t last = (length_ + 63) % 64;  // the column of the whole reference in its block
  // Whether the new row is above or below the old at the column before the block.
  bool up = true, down = false;
  for (std::size_t b = 0; b < blocks_; ++b) {
    const std::uint64_t rises = row.rises[b], falls = row.falls[b];
    const std::uint64_t vertical = positions[b] | falls;
    const std::uint64_t match = positions[b] | std::uint64_t{down};
    const std::uint64_t horizontal = (((match & rises) + rises) ^ rises) | match;
    std::uint64_t higher = falls | ~(horizontal | rises), lower = rises & horizontal;
    const std::size_t end = b + 1 == blocks_ ? last : 63;
    const bool next_up = higher >> end & 1, next_down = lower >> end & 1;
    higher = higher << 1 | std::uint64_t{up};
    lower = lower << 1 | std::uint64_t{down};
    row.rises[b] = lower | ~(vertical | higher);
    row.falls[b] = higher & vertical;
    up = next_up;
    down = next_down;
  }
  row.distance = row.distance + up - down;
}

std::size_t EditDistance::operator()(std::span<const std::uint32_t> sequence) const {
  Row row = first();
  for (const std::uint32_t symbol : sequence) extend(row, symbol);
  return row.distance;
}

}  // namespace hopefear
