#include "base/interner.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/id_vector.h"

namespace hopefear {
namespace {

constexpr std::size_t kBlockSize = 1 << 16;
constexpr std::size_t kFewSlots = 16;
// From here on the memory matters more than the time: tables get fuller, and grow by less.
constexpr std::size_t kManySlots = 1 << 24;

// The sum of the lowest n of eight bytes, n < 8.
std::size_t sum_of_bytes(std::uint64_t bytes, std::size_t n) {
  constexpr std::uint64_t kEven = 0x00FF00FF00FF00FF;
  const std::uint64_t wanted = bytes & ((std::uint64_t{1} << (8 * n)) - 1);
  return (((wanted & kEven) + ((wanted >> 8) & kEven)) * 0x0001000100010001) >> 48;
}

}  // namespace

Interner::Interner(std::int32_t first) : first_(first), slots_(kFewSlots) { lay_out(kFewSlots); }

Interner::Interner(std::shared_ptr<const Interner> parent) : Interner(parent->end()) {
  parent_ = std::move(parent);
}

std::shared_ptr<Interner> Interner::copy() const {
  auto made = parent_ ? std::make_shared<Interner>(parent_) : std::make_shared<Interner>(first_);
  for (std::int32_t id = first_; id < end(); ++id) made->intern(text(id));
  return made;
}

std::uint32_t Interner::hash_of(std::string_view text) {
  const std::uint64_t h = std::hash<std::string_view>{}(text);
  return static_cast<std::uint32_t>(h ^ (h >> 32));
}

std::int32_t Interner::intern(std::string_view text, std::uint32_t hash) {
  if (parent_) {
    if (const std::int32_t id = parent_->find(text, hash); id != kUnknown) return id;
  }
  if (const std::int32_t id = find_own(text, hash); id != kUnknown) return id;
  if (size_ == room_) grow();
  store(text);
  place(size_ - 1, hash);
  return end() - 1;
}

std::int32_t Interner::find(std::string_view text, std::uint32_t hash) const {
  if (parent_) {
    if (const std::int32_t id = parent_->find(text, hash); id != kUnknown) return id;
  }
  return find_own(text, hash);
}

std::string_view Interner::text(std::int32_t id) const {
  if (id < first_) {
    assert(parent_);
    return parent_->text(id);
  }
  return own_text(place_of(id - first_));
}

std::string_view Interner::own_text(std::size_t index) const {
  const Group& group = groups_[index / kGroup];
  const std::size_t place = index % kGroup;
  const char* text = group.texts + sum_of_bytes(group.lengths, place);
  const std::size_t length = (group.lengths >> (8 * place)) & 0xFF;
  if (length < kLong) return {text, length};
  Long elsewhere;
  std::memcpy(&elsewhere, text, sizeof elsewhere);
  return {elsewhere.data, elsewhere.size};
}

std::int32_t Interner::find_own(std::string_view text, std::uint32_t hash) const {
  const std::uint32_t mine = tag(hash), index_mask = (std::uint32_t{1} << index_bits_) - 1;
  const std::uint32_t slot = slots_.find(hash, [&](std::uint32_t slot) {
    return (slot & ~index_mask) == mine && own_text((slot & index_mask) - 1) == text;
  });
  return is_free(slot) ? kUnknown : first_ + static_cast<std::int32_t>(slot & index_mask) - 1;
}

void Interner::store(std::string_view text) {
  const std::size_t place = size_ % kGroup, length = std::min(text.size(), kLong);
  if (place == 0) groups_.push_back({block_next_, 0});
  Long elsewhere{nullptr, text.size()};
  if (length == kLong) {
    blocks_.push_back(std::make_unique_for_overwrite<char[]>(text.size()));
    std::memcpy(blocks_.back().get(), text.data(), text.size());
    elsewhere.data = blocks_.back().get();
  }
  char* const data = make_room(sum_of_bytes(groups_.back().lengths, place), length);
  if (length == kLong) {
    std::memcpy(data, &elsewhere, sizeof elsewhere);
  } else if (length > 0) {
    std::memcpy(data, text.data(), length);
  }
  groups_.back().lengths |= std::uint64_t{length} << (8 * place);
  ++size_;
}

char* Interner::make_room(std::size_t used, std::size_t size) {
  if (block_left_ < size) {
    // The group's texts stand together: those that it has are copied. The old ones stay, too, for
    // those who look at them.
    blocks_.push_back(std::make_unique_for_overwrite<char[]>(kBlockSize));
    char* const moved = blocks_.back().get();
    if (used > 0) std::memcpy(moved, groups_.back().texts, used);
    groups_.back().texts = moved;
    block_next_ = moved + used;
    block_left_ = kBlockSize - used;
  }
  char* const data = block_next_;
  block_next_ += size;
  block_left_ -= size;
  return data;
}

void Interner::lay_out(std::size_t slots) {
  slots_.clear(slots);
  room_ = slots < kManySlots ? slots / 2 : slots / 4 * 3;
  index_bits_ = static_cast<unsigned>(std::bit_width(room_));
}

void Interner::grow() {
  const std::size_t slots = slots_.size() < kManySlots ? 2 * slots_.size() : slots_.size() / 4 * 5;
  lay_out(slots);
  for (std::size_t i = 0; i < size_; ++i) place(i, hash_of(own_text(i)));
}

}  // namespace hopefear
