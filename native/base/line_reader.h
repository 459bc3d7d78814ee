// Lines of a plain or compressed file (gz, bz2, xz), with their numbers. A truncated or corrupt
// file, one that unpacks to more than a text can, and a line that is too long, not valid UTF-8 or
// has a zero byte are InputErrors. A byte order mark at the beginning of the file is skipped.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace hopefear {

enum class FileKind { kAny, kRegular };

// Writes the next unpacked bytes of a file, at most that many; returns their number, 0 at the end.
using Unpack = std::function<std::size_t(char* out, std::size_t most)>;

// The most bytes that this many compressed ones may unpack to, as hopefear.base.unpacking has it.
std::uint64_t most_unpacked(std::uint64_t packed);

// Opens bz2 and xz files. Python's modules unpack them; without Python they are refused.
using Unpacker = std::function<Unpack(const std::string& path)>;
void set_unpacker(Unpacker unpacker);

// Whether a file that begins so is bz2 or xz.
bool is_bz2_or_xz(std::string_view begin);

class LineReader {
 public:
  // With kRegular, a pipe, a device or a folder is an InputError, and is not waited for.
  explicit LineReader(const std::string& path, FileKind kind = FileKind::kAny);
  ~LineReader();
  LineReader& operator=(LineReader&&) = delete;

  // The next line without its end of line, valid until the next call; false at the end of the file.
  bool next(std::string_view& line);

  // Reads the rest of the file, for the errors of a compressed file alone.
  void check_rest();

  std::size_t line_number() const { return line_number_; }  // 1-based, of the last line given
  std::size_t bytes() const { return bytes_; }              // consumed so far, uncompressed
  const std::string& path() const { return path_; }

 private:
  bool fill();
  std::size_t read(char* out, std::size_t most);

  std::string path_;
  void* file_;     // gzFile
  Unpack unpack_;  // of a bz2 or xz file
  std::vector<char> buffer_;
  std::size_t begin_ = 0, end_ = 0;
  std::size_t line_number_ = 0, bytes_ = 0;
  std::uint64_t unpacked_ = 0;
  bool at_end_ = false;
};

// The position of the first byte that is not valid UTF-8; npos if there is none.
std::size_t find_bad_utf8(std::string_view text);

}  // namespace hopefear
