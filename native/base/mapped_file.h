// A file as read-only memory, which all processes that map it share.
#pragma once

#include <cstddef>
#include <span>

#include "base/watched_file.h"

namespace hopefear {

class MappedFile : public WatchedFile {
 public:
  // Throws InputError unless it is a regular file that can be read. What reads its bytes does so
  // inside reading().
  explicit MappedFile(const std::string& path);
  ~MappedFile();

  std::span<const std::byte> bytes() const { return bytes_; }
  // Gives the pages that have been read back to the system, which reads them again if it must.
  void release_pages() const;

 private:
  std::span<const std::byte> bytes_;
};

}  // namespace hopefear
