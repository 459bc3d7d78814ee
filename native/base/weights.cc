#include "base/weights.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <mutex>
#include <new>
#include <system_error>

#include "base/feature_name.h"
#include "base/id_vector.h"
#include "base/message.h"

namespace hopefear {
namespace {

// Address space, not memory: the system backs a page when it is first written.
constexpr std::size_t kReservedWeights = std::size_t{1} << 29;

// A file that nobody else can open and that is gone when it is closed.
int open_unnamed_file() {
#ifdef __linux__
  const int file = memfd_create("weights", MFD_CLOEXEC);
#else
  const char* folder = std::getenv("TMPDIR");
  std::string path = std::string(folder == nullptr ? "/tmp" : folder) + "/weights.XXXXXX";
  const int file = mkstemp(path.data());
  if (file >= 0) unlink(path.c_str());
#endif
  if (file < 0) throw std::system_error(errno, std::generic_category(), "weights");
  return file;
}

void write_all(int file, const char* data, std::size_t size) {
  while (size > 0) {
    const ssize_t written = write(file, data, size);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) throw std::system_error(errno, std::generic_category(), "weights");
    data += written;
    size -= static_cast<std::size_t>(written);
  }
}

}  // namespace

Weights::Weights() : Weights(std::make_shared<Names>()) {}

Weights::Weights(const Weights* same_features) : Weights(same_features->names_) {}

Weights::Weights(const WeightSnapshot& first) : Weights(first.names_) {
  if (first.bytes_ == 0) return;
  void* memory = mmap(data_, first.bytes_, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE, first.file_, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
}

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

std::vector<FeatureId> Weights::intern_all(std::string_view text,
                                           std::span<const std::size_t> ends) {
  std::vector<std::string_view> names;
  names.reserve(ends.size());
  std::size_t begin = 0;
  for (const std::size_t end : ends) {
    names.push_back(text.substr(begin, end - begin));
    begin = end;
  }
  return intern_all(names);
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
    throw std::out_of_range(concat("expected the number of a feature, got ", id));
  return names_->interner.text(id);
}

std::int32_t Weights::size() const {
  const std::shared_lock lock(names_->mutex);
  return names_->interner.end();
}

WeightSnapshot::WeightSnapshot(const Weights& weights)
    : names_(weights.names_),
      bytes_(place_of(weights.size()) * sizeof(double)),
      file_(open_unnamed_file()) {
  try {
    write_all(file_, reinterpret_cast<const char*>(weights.data()), bytes_);
  } catch (...) {
    close(file_);
    throw;
  }
}

WeightSnapshot::~WeightSnapshot() { close(file_); }

}  // namespace hopefear
