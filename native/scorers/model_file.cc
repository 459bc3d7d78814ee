#include "scorers/model_file.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include "base/feature_name.h"
#include "base/line_reader.h"
#include "scorers/model_tables.h"

namespace hopefear {
namespace {

constexpr std::size_t kMaxOrder = 6;  // KENLM_MAX_ORDER
constexpr std::string_view kMagic = "mmap lm http://kheafield.com/code format version 5\n";
constexpr std::uint32_t kModelTypes = 6;
constexpr std::uint64_t kLeastNgram = 4;  // bytes of a line such as "0\ta"

using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

[[noreturn]] void fail(const std::string& path, const auto&... message) {
  throw InputError(path, 0, "expected a KenLM binary ", message...);
}

// KenLM's layout: magic and a zero padded to 8 bytes, test values, then these.
struct Header {
  static constexpr std::size_t kPlace = (kMagic.size() + 2 + 7) / 8 * 8 + 32;
  std::uint8_t order;
  float probing_multiplier;
  std::uint32_t model_type;
  std::uint8_t has_words;
  std::uint32_t search_version;
};

void check_binary(const std::string& path, std::FILE* file, std::uint64_t size) {
  Header header;
  if (std::fseek(file, Header::kPlace, SEEK_SET) != 0 ||
      std::fread(&header, sizeof header, 1, file) != 1) {
    fail(path, "with a complete header, got a truncated file");
  }
  if (header.order < 2 || header.order > kMaxOrder) {
    fail(path, "of order 2 to 6, got order ", header.order);
  }
  if (header.model_type >= kModelTypes) fail(path, "of a known type, got type ", header.model_type);
  if (!(header.probing_multiplier >= 1) || header.probing_multiplier > 100) {
    fail(path, "with a probing multiplier from 1 to 100, got ", header.probing_multiplier);
  }
  if (header.has_words > 1)
    fail(path, "that says with 0 or 1 whether it has words, got ", header.has_words);
  std::vector<std::uint64_t> counts(header.order);
  if (std::fread(counts.data(), sizeof counts[0], counts.size(), file) != counts.size()) {
    fail(path, "with a complete header, got a truncated file");
  }
  for (const std::uint64_t count : counts) {
    if (count > 8 * size) fail(path, "with room for ", count, " n-grams, got a shorter file");
  }
  const std::uint64_t bytes = Header::kPlace + sizeof header + 8 * counts.size();
  check_model_tables(path, {(bytes + 7) / 8 * 8, header.probing_multiplier, header.model_type,
                            header.has_words == 1, counts});
}

// `\data\`, then `ngram 1=…`, `ngram 2=…` and so on, up to an empty line.
void check_arpa(const std::string& path, std::uint64_t size, bool is_packed) {
  const std::uint64_t most_bytes = is_packed ? most_unpacked(size) : size;
  LineReader reader(path);
  std::string_view line;
  const auto complain = [&](const std::string& expected) {
    const std::string got = line.data() == nullptr ? "the end of the file"
                                                   : "'" + std::string(line.substr(0, 80)) + "'";
    throw InputError(path, reader.line_number(), "expected " + expected + ", got " + got);
  };
  const auto is_blank = [&] {
    return line.find_first_not_of(" \t\r\v\f") == std::string_view::npos;
  };
  const auto next = [&] {
    if (!reader.next(line)) line = {};
    return line.data() != nullptr;
  };
  while (next() && (is_blank() || line.front() == '#')) {
  }
  if (line != "\\data\\") complain("an n-gram model: \\data\\ of an ARPA file, or a KenLM binary");
  std::size_t order = 0;
  while (next() && !is_blank()) {
    const std::optional<std::uint64_t> count = ngram_count(line, ++order);
    if (!count || order > kMaxOrder) {
      complain(order <= kMaxOrder ? "'ngram " + std::to_string(order) + "=' and a number"
                                  : "n-grams of order 6 at most");
    }
    if (*count > most_bytes / kLeastNgram + 1)
      complain("a number of n-grams that fits the size of the file");
  }
  if (order < 2)
    complain(concat("'ngram ", order + 1, "=' and a number: a model has order 2 at least"));
  if (is_packed) reader.check_rest();
}

// Removes `begin` and what follows it up to `end` (exclusive) or the end of the text.
std::string cut(std::string& text, std::string_view begin, std::string_view end) {
  const std::size_t at = text.find(begin);
  if (at == std::string::npos) return {};
  const std::size_t stop = std::min(text.find(end, at + begin.size()), text.size());
  const std::string inside = text.substr(at + begin.size(), stop - at - begin.size());
  text.erase(at, stop - at);
  return inside;
}

// The line that the byte before `offset` is on.
std::size_t line_of(const std::string& path, std::uint64_t offset) {
  LineReader reader(path);
  std::string_view line;
  while (reader.bytes() < offset && reader.next(line)) {
  }
  return reader.line_number();
}

// A header that counts other n-grams than the file has, of which KenLM says something else.
std::optional<InputError> wrong_count(const std::string& path) {
  struct Count {
    std::uint64_t said = 0, ngrams = 0;
    std::size_t line = 0;
  };
  std::vector<Count> counts;
  std::size_t order = 0;
  try {
    LineReader reader(path);
    std::string_view line;
    while (reader.next(line)) {
      if (line.starts_with("\\end\\")) break;
      if (order == 0) {
        if (const auto said = ngram_count(line, counts.size() + 1))
          counts.push_back({*said, 0, reader.line_number()});
      }
      if (line.starts_with('\\') && line.find("-grams:") != line.npos) {
        ++order;
      } else if (order > 0 && order <= counts.size() &&
                 line.find_first_not_of(kBlank) != line.npos) {
        ++counts[order - 1].ngrams;
      }
    }
  } catch (const InputError&) {
    return std::nullopt;
  }
  for (std::size_t i = 0; i < std::min(order, counts.size()); ++i) {
    const auto [said, ngrams, line] = counts[i];
    if (said != ngrams) {
      return InputError(path, line, "expected the number of ", i + 1, "-grams that follow, ",
                        ngrams, ", got ", said);
    }
  }
  return std::nullopt;
}

// What a user of hopefear can do, in place of KenLM's advice to run its programs.
std::string with_own_advice(const std::string& text) {
  if (text.find("probing_multiplier") != text.npos) {
    return "n-grams are missing whose continuations are in the model: prune those, too, or "
           "estimate the model anew with hopefear ngrams";
  }
  if (const std::size_t end = text.find(" and the model is configured"); end != text.npos)
    return text.substr(0, end) + ": estimate it of whole sentences, as hopefear ngrams does";
  for (const std::string_view advice :
       {"build_binary", "rebuild your binary", "rebuild the binary", "zcat", "compile-lm"}) {
    if (text.find(advice) == text.npos) continue;
    const std::size_t end = std::min({text.find("  "), text.find(" so you"), text.size()});
    return text.substr(0, end) + "; give the ARPA file that the binary was made of";
  }
  return text;
}

}  // namespace

std::optional<std::uint64_t> ngram_count(std::string_view line, std::size_t order) {
  const auto skip_blanks = [&line] {
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
  };
  const auto number = [&line]() -> std::optional<std::uint64_t> {
    std::uint64_t value = 0;
    const auto [stop, error] = std::from_chars(line.data(), line.data() + line.size(), value);
    if (error != std::errc()) return std::nullopt;
    line.remove_prefix(static_cast<std::size_t>(stop - line.data()));
    return value;
  };
  if (!line.starts_with("ngram ")) return std::nullopt;
  line.remove_prefix(6);
  skip_blanks();
  if (number() != order || !line.starts_with('=')) return std::nullopt;
  line.remove_prefix(1);
  skip_blanks();
  const std::optional<std::uint64_t> count = number();
  skip_blanks();
  return line.empty() ? count : std::nullopt;
}

PlainFile::PlainFile(const std::string& path) : path_(path) {
  {
    std::array<char, 6> start{};
    const File file(std::fopen(path.c_str(), "rb"), &std::fclose);
    const std::size_t got = file ? std::fread(start.data(), 1, start.size(), file.get()) : 0;
    if (!is_bz2_or_xz({start.data(), got})) return;
  }
  std::string name = (std::filesystem::temp_directory_path() / "hopefear-XXXXXX").string();
  const int number = mkstemp(name.data());
  const File copy(number < 0 ? nullptr : fdopen(number, "wb"), &std::fclose);
  if (!copy) throw InputError(name, 0, "cannot be written: ", std::strerror(errno));
  path_ = name;
  is_copy_ = true;
  try {
    LineReader reader(path);
    std::string_view line;
    bool good = true;
    while (good && reader.next(line)) {
      good = std::fwrite(line.data(), 1, line.size(), copy.get()) == line.size() &&
             std::fputc('\n', copy.get()) != EOF;
    }
    if (!good || std::fflush(copy.get()) != 0)
      throw InputError(name, 0, "cannot be written: ", std::strerror(errno));
  } catch (...) {
    std::remove(name.c_str());
    throw;
  }
}

PlainFile::~PlainFile() {
  if (is_copy_) std::remove(path_.c_str());
}

bool is_model_binary(const std::string& path) {
  std::array<char, kMagic.size()> start{};
  const File file(std::fopen(path.c_str(), "rb"), &std::fclose);
  const std::size_t got = file ? std::fread(start.data(), 1, start.size(), file.get()) : 0;
  return std::string_view(start.data(), got) == kMagic;
}

void check_model_file(const std::string& path) {
  const File file(std::fopen(path.c_str(), "rb"), &std::fclose);
  if (!file) throw InputError(path, 0, std::string("cannot be opened: ") + std::strerror(errno));
  std::array<char, kMagic.size()> start;
  errno = 0;
  const std::size_t got = std::fread(start.data(), 1, start.size(), file.get());
  if (std::ferror(file.get()))
    throw InputError(path, 0, std::string("cannot be read: ") + std::strerror(errno));
  std::fseek(file.get(), 0, SEEK_END);
  const auto size = static_cast<std::uint64_t>(std::max(std::ftell(file.get()), 0L));
  const std::string_view text(start.data(), got);
  if (text == kMagic) {
    check_binary(path, file.get(), size);
  } else if (!text.starts_with(
                 kMagic.substr(0, 34))) {  // KenLM reports the error in files of other versions
    check_arpa(path, size, text.starts_with("\x1f\x8b"));
  }
}

InputError model_file_error(const std::string& path, std::string_view what) {
  std::string text(what);
  if (std::optional<InputError> error = wrong_count(path)) return *error;
  const bool at_start = text.find("ParseNumberException") != std::string::npos;
  if (const std::size_t place = text.find(".\n"); place != std::string::npos)
    text.erase(0, place + 2);
  const std::string bytes = cut(text, " Byte: ", " ");
  cut(text, " at byte ", " ");
  cut(text, " File: ", "\n");
  std::erase(text, '\n');
  std::uint64_t offset = 0;
  std::from_chars(bytes.data(), bytes.data() + bytes.size(), offset);
  const std::size_t line = bytes.empty() ? 0 : line_of(path, offset + (at_start ? 1 : 0));
  return {path, line,
          "expected a language model" +
              (text.empty() ? ", got a truncated file" : ": " + with_own_advice(text))};
}

}  // namespace hopefear
