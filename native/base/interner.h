// Strings to dense integers and back. An interner may have a parent: what the parent knows keeps
// the parent's number, and new strings get numbers above it. A sentence's own words live in such a
// child, so that a decoder's vocabulary does not grow with the sentences it has seen.
//
// It is made for tens of millions of feature names: besides its text, a string takes 2 bytes for
// its position and between 5.3 and 16 bytes in the hash table.
#pragma once

#include <memory>
#include <string_view>

#include "base/probing.h"

namespace hopefear {

class Interner {
 public:
  static constexpr std::int32_t kUnknown = -1;

  // Numbers start at `first`. The parent must not grow while a child is alive.
  explicit Interner(std::int32_t first = 0);
  explicit Interner(std::shared_ptr<const Interner> parent);
  // One of the same strings and the same parent, which may grow.
  std::shared_ptr<Interner> copy() const;

  std::int32_t intern(std::string_view text) { return intern(text, hash_of(text)); }
  std::int32_t intern(std::string_view text, std::uint32_t hash);
  static std::uint32_t hash_of(std::string_view text);
  // Prefetches the memory that intern() will read, for a caller with many texts.
  void prefetch(std::uint32_t hash) const { __builtin_prefetch(&slots_.first(hash)); }
  // kUnknown when absent.
  std::int32_t find(std::string_view text) const { return find(text, hash_of(text)); }
  std::int32_t find(std::string_view text, std::uint32_t hash) const;
  // Valid as long as the interner lives.
  std::string_view text(std::int32_t id) const;

  // One past the largest number in use.
  std::int32_t end() const { return first_ + static_cast<std::int32_t>(size_); }
  std::int32_t first() const { return first_; }

 private:
  // Eight texts one after the other, each with a byte for its length. A text of kLong bytes or more
  // is replaced by a Long, in a field of kLong bytes.
  struct Group {
    const char* texts;
    std::uint64_t lengths;
  };
  struct Long {
    const char* data;
    std::size_t size;
  };
  static constexpr std::size_t kGroup = 8, kLong = 255;

  std::int32_t find_own(std::string_view text, std::uint32_t hash) const;
  std::string_view own_text(std::size_t index) const;
  void store(std::string_view text);
  // Memory for `size` more bytes after the last group's `used` bytes; the group may move.
  char* make_room(std::size_t used, std::size_t size);
  void lay_out(std::size_t slots);
  void grow();

  // A slot has an index plus 1 in its lower bits and bits of the hash in the others: texts are
  // compared only if these bits are equal.
  std::uint32_t tag(std::uint32_t hash) const { return hash << index_bits_; }
  void place(std::size_t index, std::uint32_t hash) {
    slots_.place(hash, tag(hash) | static_cast<std::uint32_t>(index + 1));
  }

  std::shared_ptr<const Interner> parent_;
  std::int32_t first_;
  std::size_t size_ = 0,
              room_ = 0;  // number of strings, and of strings that the slots have room for
  std::vector<Group> groups_;
  ProbingSlots<std::uint32_t> slots_;
  unsigned index_bits_;
  std::vector<std::unique_ptr<char[]>> blocks_;
  std::size_t block_left_ = 0;
  char* block_next_ = nullptr;
};

}  // namespace hopefear
