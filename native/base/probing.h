// The slots of a hash table with open addressing and linear probing: an entry stands in the first
// slot that was free, counted from the one that its hash names, from the last on to the first.
//
// A slot is an entry itself, with is_free(), or a number by which the table's owner finds the
// entry, such as its index plus 1; 0 is free. The owner also has the entries' hashes and says what
// is equal:
//
//   Slot& slot = slots.find(hash, [&](const Slot& slot) { return key_of(slot) == key; });
//   if (is_free(slot)) {
//     slot = ...;                                                            // becomes an entry
//     slots.added([&](const Slot& slot) { return probing_hash(key_of(slot)); });  // may grow
//   }
//
// A hash has 32 bits, of which the highest name the slot: there may be any number of slots. Entries
// are never removed one by one.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace hopefear {

// Spreads the bits of a key (Knuth 1998, The Art of Computer Programming 3, section 6.4); more of
// them with more than one round.
constexpr std::uint64_t spread(std::uint64_t key) {
  key *= 0x9E3779B97F4A7C15ULL;
  return key ^ (key >> 32);
}
constexpr std::uint32_t probing_hash(std::uint64_t key) {
  return static_cast<std::uint32_t>((key * 0x9E3779B97F4A7C15ULL) >> 32);
}

template <class Slot>
constexpr bool is_free(const Slot& slot) {
  if constexpr (std::integral<Slot>) {
    return slot == 0;
  } else {
    return slot.is_free();
  }
}

template <class Slot>
class ProbingSlots {
 public:
  explicit ProbingSlots(std::size_t slots) : slots_(slots) {}

  std::size_t size() const { return slots_.size(); }

  // The slot of the entry for which is_it(slot) holds; if there is none, the free slot where it
  // belongs.
  template <std::predicate<const Slot&> IsIt>
  const Slot& find(std::uint32_t hash, IsIt&& is_it) const {
    const Slot* slot = &first(hash);
    while (!is_free(*slot) && !is_it(*slot)) {
      if (++slot == slots_.data() + slots_.size()) slot = slots_.data();
    }
    return *slot;
  }
  template <std::predicate<const Slot&> IsIt>
  Slot& find(std::uint32_t hash, IsIt&& is_it) {
    return const_cast<Slot&>(std::as_const(*this).find(hash, is_it));
  }
  // Puts an entry, which is not in the table, into its slot.
  void place(std::uint32_t hash, const Slot& slot) {
    find(hash, [](const Slot&) { return false; }) = slot;
  }
  // To be called after a free slot has become an entry: doubles the slots when more than half of
  // them are in use. hash_of(slot) is the hash of an entry.
  template <class HashOf>
  void added(HashOf&& hash_of) {
    if (2 * ++count_ > slots_.size()) [[unlikely]]
      grow(hash_of);
  }

  // So many slots, all of them free. If they need more memory, the old one is freed first.
  void clear(std::size_t slots) {
    if (slots > slots_.capacity()) slots_ = {};
    slots_.assign(slots, Slot{});
    count_ = 0;
  }

  // The slot where the search for a hash begins.
  const Slot& first(std::uint32_t hash) const {
    return slots_[(std::uint64_t{hash} * slots_.size()) >> 32];
  }

 private:
  // Apart, so that what calls added() stays small.
  template <class HashOf>
  [[gnu::noinline]] void grow(HashOf hash_of) {
    ProbingSlots larger(2 * slots_.size());
    larger.count_ = count_;
    for (const Slot& slot : slots_) {
      if (!is_free(slot)) larger.place(hash_of(slot), slot);
    }
    *this = std::move(larger);
  }

  std::vector<Slot> slots_;
  std::size_t count_ = 0;
};

}  // namespace hopefear
