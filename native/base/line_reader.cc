#include "base/line_reader.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "base/id_vector.h"
#include "base/input_error.h"

namespace hopefear {
namespace {

constexpr std::size_t kChunk = 1 << 18;
constexpr std::size_t kLongestLine = std::size_t{1} << 28;
constexpr std::uint64_t kMostInflation = 200, kInflatedFreely = std::uint64_t{16} << 20;
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

Unpacker& unpacker() {
  static Unpacker unpacker = [](const std::string& path) -> Unpack {
    throw InputError(path, 0, "expected a plain or gz file, got a bz2 or xz file");
  };
  return unpacker;
}

// An open regular file. A special file is looked at before it is opened, because opening may act on
// it, and once more after that, because it may have been put there meanwhile.
int open_regular(const std::string& path) {
  const auto check = [&](bool good) {
    if (!good) throw InputError(path, 0, std::string("cannot be opened: ") + std::strerror(errno));
  };
  const auto expect_regular = [&](const struct stat& facts) {
    if (!S_ISREG(facts.st_mode))
      throw InputError(path, 0, "expected a regular file, got a pipe, a device or a folder");
  };
  struct stat facts;
  check(stat(path.c_str(), &facts) == 0);
  expect_regular(facts);
  const int number = open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  check(number >= 0);
  try {
    check(fstat(number, &facts) == 0);
    expect_regular(facts);
  } catch (...) {
    close(number);
    throw;
  }
  return number;
}

}  // namespace

std::uint64_t most_unpacked(std::uint64_t packed) {
  return std::max(kInflatedFreely, packed * kMostInflation);
}

void set_unpacker(Unpacker other) { unpacker() = std::move(other); }

bool is_bz2_or_xz(std::string_view begin) {
  const bool is_bz2 = begin.starts_with("BZh") && begin.size() > 5 &&
                      (begin.substr(4, 2) == "1A" || begin.substr(4, 2) == "\x17\x72");
  return is_bz2 || begin.starts_with(std::string_view("\xFD"
                                                      "7zXZ\0",
                                                      6));
}

LineReader::LineReader(const std::string& path, FileKind kind) : path_(path), buffer_(kChunk) {
  errno = 0;
  const int number = kind == FileKind::kRegular ? open_regular(path) : -1;
  gzFile file = number >= 0 ? gzdopen(number, "rb") : gzopen(path.c_str(), "rb");
  if (file == nullptr) {
    if (number >= 0) close(number);
    throw InputError(path, 0, std::string("cannot be opened: ") + std::strerror(errno));
  }
  gzbuffer(file, kChunk);
  file_ = file;
}

LineReader::~LineReader() { gzclose(static_cast<gzFile>(file_)); }

bool LineReader::next(std::string_view& line) {
  std::size_t searched = 0;
  for (;;) {
    const char* begin = buffer_.data() + begin_;
    const std::size_t length = std::string_view(begin, end_ - begin_).find('\n', searched);
    if (length != std::string_view::npos) {
      line = {begin, length};
      begin_ += length + 1;
      bytes_ += length + 1;
      break;
    }
    searched = end_ - begin_;
    if (!fill()) {
      if (begin_ == end_) return false;
      line = {buffer_.data() + begin_, end_ - begin_};
      bytes_ += end_ - begin_;
      begin_ = end_;
      break;
    }
  }
  ++line_number_;
  if (line_number_ == 1 && line.starts_with(kByteOrderMark)) line.remove_prefix(3);
  while (line.ends_with('\r')) line.remove_suffix(1);
  if (const std::size_t bad = find_bad_utf8(line); bad != std::string_view::npos) {
    char message[64];
    std::snprintf(message, sizeof message, "expected UTF-8, got byte 0x%02x at byte %zu",
                  static_cast<unsigned char>(line[bad]), bad + 1);
    throw InputError(path_, line_number_, message);
  }
  if (std::memchr(line.data(), '\0', line.size()) != nullptr) {
    throw InputError(path_, line_number_, "expected text, got a zero byte");
  }
  return true;
}

void LineReader::check_rest() {
  do begin_ = end_;
  while (fill());
}

bool LineReader::fill() {
  if (at_end_) return false;
  if (begin_ > 0) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  if (end_ >= kLongestLine)
    throw InputError(path_, line_number_ + 1, "expected lines below ", kLongestLine >> 20, " MB");
  if (end_ == buffer_.size()) buffer_.resize(2 * buffer_.size());
  const bool at_begin = bytes_ == 0 && end_ == 0 && !unpack_;
  std::size_t got = read(buffer_.data() + end_, buffer_.size() - end_);
  if (at_begin && is_bz2_or_xz({buffer_.data(), got})) {
    unpack_ = unpacker()(path_);
    got = read(buffer_.data(), buffer_.size());
  }
  at_end_ = got == 0;
  end_ += got;
  return got > 0;
}

std::size_t LineReader::read(char* out, std::size_t most) {
  if (unpack_) {
    try {
      return unpack_(out, most);
    } catch (const InputError& error) {
      throw InputError(path_, line_number_ + 1, error.what());
    }
  }
  const gzFile file = static_cast<gzFile>(file_);
  const int got = gzread(file, out, static_cast<unsigned>(most));
  int status = Z_OK;
  const char* message = gzerror(file, &status);
  if (status == Z_ERRNO)
    throw InputError(path_, 0, std::string("cannot be read: ") + std::strerror(errno));
  if (got < 0 || (status != Z_OK && status != Z_STREAM_END)) {
    throw InputError(path_, line_number_ + 1,
                     status == Z_BUF_ERROR
                         ? "the compressed file is truncated"
                         : std::string("the compressed file is damaged: ") + message);
  }
  unpacked_ += static_cast<std::uint64_t>(got);
  const auto packed = static_cast<std::int64_t>(gzoffset(file));  // -1 of a pipe
  if (packed >= 0 && gzdirect(file) == 0 &&
      unpacked_ > most_unpacked(static_cast<std::uint64_t>(packed))) {
    throw InputError(path_, line_number_ + 1, "expected a compressed file that unpacks to at most ",
                     kMostInflation, " times its size");
  }
  return static_cast<std::size_t>(got);
}

std::size_t find_bad_utf8(std::string_view text) {
  const auto* p = reinterpret_cast<const unsigned char*>(text.data());
  const auto* end = p + text.size();
  while (p < end) {
    std::uint64_t eight;
    if (end - p >= 8 && (std::memcpy(&eight, p, 8), (eight & 0x8080808080808080ULL) == 0)) {
      p += 8;
      continue;
    }
    const unsigned char lead = *p;
    if (lead < 0x80) {
      ++p;
      continue;
    }
    const int more = lead >= 0xC2 && lead < 0xE0   ? 1
                     : lead >= 0xE0 && lead < 0xF0 ? 2
                     : lead >= 0xF0 && lead < 0xF5 ? 3
                                                   : 0;
    const std::size_t place = text.size() - place_of(end - p);
    if (more == 0 || end - p <= more) return place;
    // The second byte rules out overlong forms, surrogates and numbers past U+10FFFF.
    const unsigned char low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
    const unsigned char high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
    if (p[1] < low || p[1] > high) return place;
    for (int i = 2; i <= more; ++i) {
      if ((p[i] & 0xC0) != 0x80) return place;
    }
    p += more + 1;
  }
  return std::string_view::npos;
}

}  // namespace hopefear
