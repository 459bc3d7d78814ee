// Numbers for 64-bit keys, such as pairs of words, in the order of their first occurrence.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/probing.h"

namespace hopefear {

class KeyIndex {
  static std::uint32_t hash_of(std::int64_t key) {
    return probing_hash(static_cast<std::uint64_t>(key));
  }
  static std::size_t number_in(std::int32_t slot) { return static_cast<std::size_t>(slot) - 1; }
  auto is(std::int64_t key) const {
    return [this, key](std::int32_t slot) { return keys_[number_in(slot)] == key; };
  }

 public:
  static constexpr std::int32_t kUnknown = -1;

  // `slots` is twice the number of keys that are expected.
  explicit KeyIndex(std::size_t slots = 64) : slots_(slots) {}

  std::int32_t size() const { return static_cast<std::int32_t>(keys_.size()); }
  std::int64_t key(std::int32_t number) const { return keys_[static_cast<std::size_t>(number)]; }
  std::int32_t find(std::int64_t key) const { return slots_.find(hash_of(key), is(key)) - 1; }
  // Prefetches the memory that finding keys[i + some] will read: with many keys, waiting for memory
  // takes most of the time.
  void prefetch(std::span<const std::int64_t> keys, std::size_t i) const {
    constexpr std::size_t kAhead = 8;
    if (i + 2 * kAhead < keys.size())
      __builtin_prefetch(&slots_.first(hash_of(keys[i + 2 * kAhead])));
    if (i + kAhead >= keys.size()) return;
    const std::int32_t slot = slots_.first(hash_of(keys[i + kAhead]));
    if (!is_free(slot)) __builtin_prefetch(&keys_[number_in(slot)]);
  }
  // The key's number; an unknown key gets a new one.
  std::int32_t insert(std::int64_t key) {
    std::int32_t& slot = slots_.find(hash_of(key), is(key));
    if (!is_free(slot)) return slot - 1;
    keys_.push_back(key);
    slot = size();
    slots_.added([this](std::int32_t slot) { return hash_of(keys_[number_in(slot)]); });
    return size() - 1;
  }

 private:
  std::vector<std::int64_t> keys_;
  ProbingSlots<std::int32_t> slots_;  // numbers plus 1
};

}  // namespace hopefear
