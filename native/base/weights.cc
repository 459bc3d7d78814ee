#include "base/weights.h"

#include <sys/mman.h>

#include <algorithm>
#include <mutex>
#include <new>
#include <stdexcept>

#include "base/feature_name.h"
#include "base/id_vector.h"

namespace hopefear {
namespace {

// Address space, not memory: the system backs a page when it is first written.
constexpr std::size_t kReservedWeights = std::size_t{1} << 29;

}  // namespace

Weights::Weights() : Weights(std::make_shared<Names>()) {}

Weights::Weights(const Weights* same_features) : Weights(same_features->names_) {}

Weights::Weights(std::shared_ptr<Names> names) : names_(std::move(names)) {
  for (reserved_bytes_ = kReservedWeights * sizeof(double);; reserved_bytes_ /= 2) {
    void* memory = mmap(nullptr, reserved_bytes_, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory != MAP_FAILED) {
      data_ = static_cast<double*>(memory);
      break;
    }
    if (reserved_bytes_ < (std::size_t{1} << 20)) throw std::bad_alloc();
  }
  const std::size_t room = reserved_bytes_ / sizeof(double);
  const std::unique_lock lock(names_->mutex);
  if (room < place_of(names_->interner.end())) {
    munmap(data_, reserved_bytes_);
    throw std::bad_alloc();
  }
  names_->most = std::min(names_->most, room);
}

Weights::~Weights() { munmap(data_, reserved_bytes_); }

FeatureId Weights::intern(std::string_view name) {
  if (const FeatureId id = find(name); id != Interner::kUnknown) return id;
  const std::unique_lock lock(names_->mutex);
  return intern_locked(name, Interner::hash_of(name));
}

std::vector<FeatureId> Weights::intern_all(std::span<const std::string_view> names) {
  std::vector<std::uint32_t> hashes;
  hashes.reserve(names.size());
  for (const std::string_view name : names) hashes.push_back(Interner::hash_of(name));
  std::vector<FeatureId> ids;
  ids.reserve(names.size());
  constexpr std::size_t kAhead = 8;
  const std::unique_lock lock(names_->mutex);
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i + kAhead < names.size()) names_->interner.prefetch(hashes[i + kAhead]);
    ids.push_back(intern_locked(names[i], hashes[i]));
  }
  return ids;
}

FeatureId Weights::intern_locked(std::string_view name, std::uint32_t hash) {
  if (const FeatureId id = names_->interner.find(name, hash); id != Interner::kUnknown) return id;
  if (const std::string_view fault = name_fault(name); !fault.empty()) throw NameError(name, fault);
  if (place_of(names_->interner.end()) >= names_->most) {
    throw std::length_error(
        "expected fewer features: the address space reserved for the weights is full");
  }
  return names_->interner.intern(name, hash);
}

FeatureId Weights::find(std::string_view name) const {
  const std::shared_lock lock(names_->mutex);
  return names_->interner.find(name);
}

std::string Weights::name(FeatureId id) const { return std::string(view(id)); }

std::string_view Weights::view(FeatureId id) const {
  const std::shared_lock lock(names_->mutex);
  if (id < 0 || id >= names_->interner.end())
    throw std::out_of_range("expected the number of a feature, got " + std::to_string(id));
  return names_->interner.text(id);
}

std::int32_t Weights::size() const {
  const std::shared_lock lock(names_->mutex);
  return names_->interner.end();
}

}  // namespace hopefear
