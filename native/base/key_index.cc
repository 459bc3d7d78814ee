#include "base/key_index.h"

namespace hopefear {

std::int32_t KeyIndex::insert(std::int64_t key) {
  if (const std::int32_t number = find(key); number != kUnknown) return number;
  if (2 * (keys_.size() + 1) > slots_.size()) grow();
  std::size_t slot = first_slot(key);
  while (slots_[slot] >= 0) slot = (slot + 1) & (slots_.size() - 1);
  slots_[slot] = size();
  keys_.push_back(key);
  return slots_[slot];
}

void KeyIndex::grow() {
  slots_.assign(2 * slots_.size(), kUnknown);
  for (std::int32_t number = 0; number < size(); ++number) {
    std::size_t slot = first_slot(key(number));
    while (slots_[slot] >= 0) slot = (slot + 1) & (slots_.size() - 1);
    slots_[slot] = number;
  }
}

}  // namespace hopefear
