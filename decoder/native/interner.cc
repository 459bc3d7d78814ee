#include "interner.h"

#include <cassert>
#include <cstring>
#include <functional>

namespace hopefear {
namespace {

constexpr std::size_t kBlockSize = 1 << 16;

}  // namespace

Interner::Interner(std::int32_t first) : first_(first), slots_(16, -1) {}

Interner::Interner(std::shared_ptr<const Interner> parent)
    : parent_(std::move(parent)), first_(parent_->end()), slots_(16, -1) {}

std::uint32_t Interner::hash_of(std::string_view text) {
  const std::uint64_t h = std::hash<std::string_view>{}(text);
  return static_cast<std::uint32_t>(h ^ (h >> 32));
}

std::int32_t Interner::intern(std::string_view text, std::uint32_t hash) {
  if (parent_) {
    if (const std::int32_t id = parent_->find(text); id != kUnknown) return id;
  }
  if (const std::int32_t id = find_own(text, hash); id != kUnknown) return id;
  if (2 * (entries_.size() + 1) > slots_.size()) grow();
  entries_.push_back({store(text), static_cast<std::uint32_t>(text.size()), hash});
  const std::size_t mask = slots_.size() - 1;
  std::size_t slot = hash & mask;
  while (slots_[slot] >= 0) slot = (slot + 1) & mask;
  slots_[slot] = static_cast<std::int32_t>(entries_.size()) - 1;
  return end() - 1;
}

std::int32_t Interner::find(std::string_view text) const {
  if (parent_) {
    if (const std::int32_t id = parent_->find(text); id != kUnknown) return id;
  }
  return find_own(text, hash_of(text));
}

std::string_view Interner::text(std::int32_t id) const {
  if (id < first_) {
    assert(parent_);
    return parent_->text(id);
  }
  const Entry& entry = entries_[static_cast<std::size_t>(id - first_)];
  return {entry.data, entry.length};
}

std::int32_t Interner::find_own(std::string_view text, std::uint32_t hash) const {
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t slot = hash & mask; slots_[slot] >= 0; slot = (slot + 1) & mask) {
    const Entry& entry = entries_[static_cast<std::size_t>(slots_[slot])];
    if (entry.hash == hash && std::string_view(entry.data, entry.length) == text) {
      return first_ + slots_[slot];
    }
  }
  return kUnknown;
}

const char* Interner::store(std::string_view text) {
  if (text.size() > block_left_) {
    block_left_ = std::max(kBlockSize, text.size());
    blocks_.push_back(std::make_unique<char[]>(block_left_));
    block_next_ = blocks_.back().get();
  }
  char* data = block_next_;
  if (!text.empty()) std::memcpy(data, text.data(), text.size());
  block_next_ += text.size();
  block_left_ -= text.size();
  return data;
}

void Interner::grow() {
  slots_.assign(slots_.size() * 2, -1);
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    std::size_t slot = entries_[i].hash & mask;
    while (slots_[slot] >= 0) slot = (slot + 1) & mask;
    slots_[slot] = static_cast<std::int32_t>(i);
  }
}

}  // namespace hopefear
