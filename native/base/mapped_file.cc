#include "base/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/input_error.h"

namespace hopefear {
namespace {

struct OpenFile {
  explicit OpenFile(const std::string& path)
      // Nobody may wait for the writer of a pipe.
      : number(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {}
  ~OpenFile() {
    if (number >= 0) close(number);
  }
  OpenFile& operator=(OpenFile&&) = delete;
  int number;
};

}  // namespace

MappedFile::MappedFile(const std::string& path) {
  const auto fail = [&](const char* what) {
    throw InputError(path, 0, what + std::string(": ") + std::strerror(errno));
  };
  const OpenFile file(path);
  if (file.number < 0) fail("cannot be opened");
  struct stat facts;
  if (fstat(file.number, &facts) != 0) fail("cannot be read");
  if (!S_ISREG(facts.st_mode)) throw InputError(path, 0, "expected a regular file");
  const auto size = static_cast<std::size_t>(facts.st_size);
  if (size == 0) return;
  void* const memory = mmap(nullptr, size, PROT_READ, MAP_SHARED, file.number, 0);
  if (memory == MAP_FAILED) fail("cannot be mapped");
  bytes_ = {static_cast<const std::byte*>(memory), size};
}

MappedFile::~MappedFile() {
  if (!bytes_.empty()) munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

void MappedFile::release_pages() const {
  if (!bytes_.empty()) madvise(const_cast<std::byte*>(bytes_.data()), bytes_.size(), MADV_DONTNEED);
}

}  // namespace hopefear
