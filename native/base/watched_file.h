// Files that are read through memory, by MappedFile and by KenLM. Whoever cuts such a file takes
// the memory behind its new end from its readers: the signal SIGBUS would end their process.
#pragma once

#include <csetjmp>
#include <ctime>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

namespace hopefear {

class WatchedFile {
 public:
  // Throws InputError unless it is a regular file that can be read.
  explicit WatchedFile(const std::string& path);
  ~WatchedFile();
  WatchedFile& operator=(WatchedFile&&) = delete;

  const std::string& path() const { return path_; }
  std::size_t size() const { return size_; }
  // Throws InputError if the file was cut or written since it was opened. A file that another one
  // replaced by its name stays as it was.
  void expect_unchanged() const;
  [[noreturn]] void refuse() const;

 protected:
  int descriptor() const { return descriptor_; }

 private:
  std::string path_;
  int descriptor_;
  std::size_t size_ = 0;
  timespec written_{};
};

// Where this thread goes on after SIGBUS, until the object is gone; nullptr: as without one.
class FaultExit {
 public:
  explicit FaultExit(sigjmp_buf* exit);
  ~FaultExit();
  FaultExit& operator=(FaultExit&&) = delete;

 private:
  sigjmp_buf* outer_;
};

using WatchedFiles = std::span<const WatchedFile* const>;

void expect_unchanged(WatchedFiles files);

// Calls what reads files through memory. Throws InputError if one changes before the call ends,
// whatever came out of the call. After SIGBUS the call never ends: what it has allocated is lost,
// as in LLVM's CrashRecoveryContext. It must hold no lock while it reads such memory.
template <class Call>
[[gnu::noinline]] auto reading(WatchedFiles files, Call&& call) {
  if (files.empty()) return call();
  expect_unchanged(files);
  sigjmp_buf exit;
  const FaultExit fault_exit(&exit);
  if (sigsetjmp(exit, 0) != 0) {
    expect_unchanged(files);
    files.front()->refuse();  // the disk fails
  }
  try {
    if constexpr (std::is_void_v<decltype(call())>) {
      call();
      expect_unchanged(files);
    } else {
      auto result = call();
      expect_unchanged(files);
      return result;
    }
  } catch (...) {
    expect_unchanged(files);
    throw;
  }
}

// The same with one file, or none.
template <class Call>
auto reading(const WatchedFile* file, Call&& call) {
  return reading(file == nullptr ? WatchedFiles() : WatchedFiles(&file, 1),
                 std::forward<Call>(call));
}

}  // namespace hopefear
