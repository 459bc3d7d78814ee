// Numbers for 64-bit keys, such as pairs of words, in the order of their first occurrence.
#pragma once

#include "base/id_vector.h"
#include "base/probing.h"

namespace hopefear {

class KeyIndex {
 public:
  static constexpr std::int32_t kUnknown = -1;
  // The key of a pair.
  static constexpr std::int64_t pair(std::int32_t first, std::int32_t second) {
    return std::int64_t{first} << 32 | static_cast<std::uint32_t>(second);
  }

  // `slots` is twice the number of keys that are expected.
  explicit KeyIndex(std::size_t slots = 64) : slots_(slots) {}

  std::int32_t size() const { return keys_.count(); }
  std::int64_t key(std::int32_t number) const { return keys_[number]; }
  std::int32_t find(std::int64_t key) const {
    return slots_.find(hash_of(key), [&](std::int32_t slot) { return keys_[slot - 1] == key; }) - 1;
  }
  // Prefetches the memory that finding keys[i + some] will read: with many keys, waiting for memory
  // takes most of the time.
  void prefetch(std::span<const std::int64_t> keys, std::size_t i) const {
    constexpr std::size_t kAhead = 8;
    if (i + 2 * kAhead < keys.size())
      __builtin_prefetch(&slots_.first(hash_of(keys[i + 2 * kAhead])));
    if (i + kAhead >= keys.size()) return;
    const std::int32_t slot = slots_.first(hash_of(keys[i + kAhead]));
    if (!is_free(slot)) __builtin_prefetch(&keys_[slot - 1]);
  }
  // The key's number; an unknown key gets a new one.
  std::int32_t insert(std::int64_t key) {
    std::int32_t& slot =
        slots_.find(hash_of(key), [&](std::int32_t slot) { return keys_[slot - 1] == key; });
    if (!is_free(slot)) return slot - 1;
    keys_.push_back(key);
    slot = size();
    slots_.added([this](std::int32_t slot) { return hash_of(keys_[slot - 1]); });
    return size() - 1;
  }

 private:
  static std::uint32_t hash_of(std::int64_t key) {
    return probing_hash(static_cast<std::uint64_t>(key));
  }

  IdVector<std::int32_t, std::int64_t> keys_;
  ProbingSlots<std::int32_t> slots_;  // numbers plus 1
};

}  // namespace hopefear
