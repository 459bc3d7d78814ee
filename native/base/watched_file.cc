#include "base/watched_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <mutex>

#include "base/input_error.h"

namespace hopefear {
namespace {

thread_local sigjmp_buf* current_exit = nullptr;
struct sigaction next_action{};  // of whoever handled SIGBUS before

void on_bus_error(int number, siginfo_t* facts, void* context) {
  if (current_exit != nullptr && facts->si_code == BUS_ADRERR) siglongjmp(*current_exit, 1);
  const struct sigaction next = std::exchange(next_action, {});
  if ((next.sa_flags & SA_SIGINFO) != 0) return next.sa_sigaction(number, facts, context);
  if (next.sa_handler != SIG_DFL && next.sa_handler != SIG_IGN) return next.sa_handler(number);
  std::signal(number, SIG_DFL);
  raise(number);
}

// Also if another handler came after ours.
void handle_bus_errors() {
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  struct sigaction now{};
  if (sigaction(SIGBUS, nullptr, &now) != 0 || now.sa_sigaction == &on_bus_error) return;
  next_action = now;
  struct sigaction ours{};
  ours.sa_sigaction = &on_bus_error;
  ours.sa_flags = SA_SIGINFO | SA_NODEFER;  // the handler may not return
  sigemptyset(&ours.sa_mask);
  sigaction(SIGBUS, &ours, nullptr);
}

timespec written_at(const struct stat& facts) {
#ifdef __APPLE__
  return facts.st_mtimespec;
#else
  return facts.st_mtim;
#endif
}

}  // namespace

WatchedFile::WatchedFile(const std::string& path)
    : path_(path),
      // Nobody may wait for the writer of a pipe.
      descriptor_(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
  const auto fail = [&](const std::string& what) {
    if (descriptor_ >= 0) close(descriptor_);
    throw InputError(path_, 0, what);
  };
  struct stat facts{};
  if (descriptor_ < 0) fail(std::string("cannot be opened: ") + std::strerror(errno));
  if (fstat(descriptor_, &facts) != 0) fail(std::string("cannot be read: ") + std::strerror(errno));
  if (!S_ISREG(facts.st_mode)) fail("expected a regular file");
  size_ = static_cast<std::size_t>(facts.st_size);
  written_ = written_at(facts);
  handle_bus_errors();
}

WatchedFile::~WatchedFile() { close(descriptor_); }

void WatchedFile::expect_unchanged() const {
  struct stat facts{};
  if (fstat(descriptor_, &facts) != 0) refuse();
  const timespec written = written_at(facts);
  if (std::cmp_not_equal(facts.st_size, size_) || written.tv_sec != written_.tv_sec ||
      written.tv_nsec != written_.tv_nsec)
    refuse();
}

void WatchedFile::refuse() const {
  throw InputError(path_, 0,
                   "expected a file that stays as it is while it is used, got one that was cut or "
                   "written: start again, and replace such files by renaming");
}

FaultExit::FaultExit(sigjmp_buf* exit) : outer_(std::exchange(current_exit, exit)) {}

FaultExit::~FaultExit() { current_exit = outer_; }

void expect_unchanged(WatchedFiles files) {
  for (const WatchedFile* const file : files) file->expect_unchanged();
}

}  // namespace hopefear
