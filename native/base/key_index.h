// Numbers for 64-bit keys, such as pairs of words, in the order of their first occurrence.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace hopefear {

class KeyIndex {
 public:
  static constexpr std::int32_t kUnknown = -1;

  // `slots` is a power of 2, twice as many as the keys that are expected.
  explicit KeyIndex(std::size_t slots = 64) : slots_(slots, kUnknown) {}

  std::int32_t size() const { return static_cast<std::int32_t>(keys_.size()); }
  std::int64_t key(std::int32_t number) const { return keys_[static_cast<std::size_t>(number)]; }
  std::int32_t find(std::int64_t key) const {
    for (std::size_t slot = first_slot(key);; slot = (slot + 1) & (slots_.size() - 1)) {
      if (slots_[slot] < 0 || keys_[static_cast<std::size_t>(slots_[slot])] == key)
        return slots_[slot];
    }
  }
  // Prefetches the memory that finding keys[i + some] will read: with many keys, waiting for memory
  // takes most of the time.
  void prefetch(std::span<const std::int64_t> keys, std::size_t i) const {
    constexpr std::size_t kAhead = 8;
    if (i + 2 * kAhead < keys.size()) __builtin_prefetch(&slots_[first_slot(keys[i + 2 * kAhead])]);
    if (i + kAhead >= keys.size()) return;
    const std::int32_t number = slots_[first_slot(keys[i + kAhead])];
    if (number >= 0) __builtin_prefetch(&keys_[static_cast<std::size_t>(number)]);
  }
  // The key's number; an unknown key gets a new one.
  std::int32_t insert(std::int64_t key);

 private:
  std::size_t first_slot(std::int64_t key) const {
    const auto h = static_cast<std::uint64_t>(key) * 0x9E3779B97F4A7C15ULL;
    return (h ^ (h >> 32)) & (slots_.size() - 1);
  }
  void grow();

  std::vector<std::int64_t> keys_;
  std::vector<std::int32_t> slots_;
};

}  // namespace hopefear
