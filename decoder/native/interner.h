// Strings to dense integers and back. An interner may have a parent: what the parent knows keeps
// the parent's number, and new strings get numbers above it. A sentence's own words live in such a
// child, so that a decoder's vocabulary does not grow with the sentences it has seen.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

namespace hopefear {

class Interner {
 public:
  static constexpr std::int32_t kUnknown = -1;

  // Numbers start at `first`. The parent must not grow while a child is alive.
  explicit Interner(std::int32_t first = 0);
  explicit Interner(std::shared_ptr<const Interner> parent);

  std::int32_t intern(std::string_view text) { return intern(text, hash_of(text)); }
  std::int32_t intern(std::string_view text, std::uint32_t hash);
  static std::uint32_t hash_of(std::string_view text);
  // Fetches what intern() will look at, for a caller with many texts at hand.
  void prefetch(std::uint32_t hash) const {
    __builtin_prefetch(&slots_[hash & (slots_.size() - 1)]);
  }
  std::int32_t find(std::string_view text) const;  // kUnknown when absent
  std::string_view text(std::int32_t id) const;

  // One past the largest number in use.
  std::int32_t end() const { return first_ + static_cast<std::int32_t>(entries_.size()); }
  std::int32_t first() const { return first_; }

 private:
  struct Entry {
    const char* data;
    std::uint32_t length;
    std::uint32_t hash;
  };

  std::int32_t find_own(std::string_view text, std::uint32_t hash) const;
  const char* store(std::string_view text);
  void grow();

  std::shared_ptr<const Interner> parent_;
  std::int32_t first_;
  std::vector<Entry> entries_;
  std::vector<std::int32_t> slots_;  // open addressing over entries_, -1 where free
  std::vector<std::unique_ptr<char[]>> blocks_;
  std::size_t block_left_ = 0;
  char* block_next_ = nullptr;
};

}  // namespace hopefear
