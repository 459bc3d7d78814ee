// Checks of language model files before and after KenLM reads them: KenLM checks neither headers
// nor tables, and its errors have byte offsets, not lines.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/input_error.h"

namespace hopefear {

// Throws InputError if the header of an ARPA file (plain or gz) is wrong, if the header or a table
// of a KenLM binary is, or if the file cannot be read; may throw KenLM's exceptions.
void check_model_file(const std::string& path);

// Whether it is a KenLM binary, which KenLM maps.
bool is_model_binary(const std::string& path);

// The number in a line such as `ngram 1=7` of a header, with blanks where SRILM or IRSTLM writes
// them.
std::optional<std::uint64_t> ngram_count(std::string_view line, std::size_t order);

// A plain copy of a bz2 or xz file, which KenLM cannot unpack; any other file itself.
class PlainFile {
 public:
  explicit PlainFile(const std::string& path);
  ~PlainFile();
  PlainFile(const PlainFile&) = delete;
  PlainFile& operator=(const PlainFile&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string path_;
  bool is_copy_ = false;
};

// The error of a KenLM exception, with the line of its byte offset.
InputError model_file_error(const std::string& path, std::string_view what);

}  // namespace hopefear
