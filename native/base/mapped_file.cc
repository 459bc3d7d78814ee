#include "base/mapped_file.h"

#include <sys/mman.h>

#include <cerrno>
#include <cstring>

#include "base/input_error.h"

namespace hopefear {

MappedFile::MappedFile(const std::string& path) : WatchedFile(path) {
  if (size() == 0) return;
  void* const memory = mmap(nullptr, size(), PROT_READ, MAP_SHARED, descriptor(), 0);
  if (memory == MAP_FAILED)
    throw InputError(path, 0, std::string("cannot be mapped: ") + std::strerror(errno));
  bytes_ = {static_cast<const std::byte*>(memory), size()};
}

MappedFile::~MappedFile() {
  if (!bytes_.empty()) munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

void MappedFile::release_pages() const {
  if (!bytes_.empty()) madvise(const_cast<std::byte*>(bytes_.data()), bytes_.size(), MADV_DONTNEED);
}

}  // namespace hopefear
