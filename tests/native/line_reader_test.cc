#include "base/line_reader.h"

#include "check.h"
#include "files.h"

using namespace hopefear;

static std::vector<std::string> lines_of(const std::string& path) {
  LineReader reader(path);
  std::vector<std::string> lines;
  std::string_view line;
  while (reader.next(line)) lines.emplace_back(line);
  CHECK_EQUAL(reader.line_number(), lines.size());
  return lines;
}

TEST(plain_and_compressed) {
  const std::string text = "one\r\n\ntwo words\n" + std::string(700000, 'x') + "\nno end of line";
  for (const std::string& content : {text, gzip(text)}) {
    const TemporaryFile file(content);
    const auto lines = lines_of(file.path());
    CHECK_EQUAL(lines.size(), 5u);
    CHECK_EQUAL(lines[0], "one");
    CHECK_EQUAL(lines[1], "");
    CHECK_EQUAL(lines[3].size(), 700000u);
    CHECK_EQUAL(lines[4], "no end of line");
  }
}

TEST(members_of_a_compressed_file_follow_each_other) {
  const TemporaryFile file(gzip("a\nb") + gzip("c\n"));
  CHECK_EQUAL(lines_of(file.path()).at(1), "bc");
}

TEST(a_byte_order_mark_is_no_part_of_the_text) {
  const std::string mark = "\xef\xbb\xbf";
  for (const std::string& content :
       {mark + "a\r\r\n" + mark + "b", gzip(mark + "a\n" + mark + "b\n")}) {
    const TemporaryFile file(content);
    const auto lines = lines_of(file.path());
    CHECK_EQUAL(lines.size(), 2u);
    CHECK_EQUAL(lines[0], "a");
    CHECK_EQUAL(lines[1], mark + "b");
  }
  const TemporaryFile only(mark), latin(mark + "a\xe9\n");
  CHECK_EQUAL(lines_of(only.path()).at(0), "");
  CHECK_INPUT_ERROR(lines_of(latin.path()), 1u, "expected UTF-8, got byte 0xe9 at byte 2");
}

TEST(an_empty_file_has_no_lines) {
  const TemporaryFile file, compressed(gzip(""));
  CHECK_EQUAL(lines_of(file.path()).size(), 0u);
  CHECK_EQUAL(lines_of(compressed.path()).size(), 0u);
}

TEST(what_cannot_be_read_is_refused) {
  const std::string whole = gzip("a\nb\n" + std::string(1000, 'y') + "\n");
  const TemporaryFile truncated(whole.substr(0, whole.size() - 9)), zero({"a\n\0b\n", 5}),
      latin("a\nb\n\xe9t\xe9\n");
  std::string damaged_text = whole;
  damaged_text[whole.size() - 6] ^= 0x55;
  const TemporaryFile damaged(damaged_text);
  CHECK_INPUT_ERROR(lines_of("/nowhere/file"), 0u, "cannot be opened: No such file");
  CHECK_INPUT_ERROR(lines_of(std::filesystem::temp_directory_path().string()), 0u, "directory");
  CHECK_INPUT_ERROR(lines_of(zero.path()), 2u, "zero byte");
  CHECK_INPUT_ERROR(lines_of(latin.path()), 3u, "expected UTF-8, got byte 0xe9 at byte 1");
  CHECK_THROWS(lines_of(truncated.path()), InputError);
  CHECK_THROWS(lines_of(damaged.path()), InputError);
}

TEST(utf8) {
  for (const char* good :
       {"", "abcdefghijk", "\xc3\xa9", "\xe6\xbe\xb3", "\xf0\x9f\x98\x80", "12345678\xc3\xa9"}) {
    CHECK_EQUAL(find_bad_utf8(good), std::string_view::npos);
  }
  for (const char* bad : {"\x80", "\xc3", "\xc0\xaf", "\xe0\x80\xaf", "\xed\xa0\x80",
                          "\xf4\x90\x80\x80", "\xff", "abc\xe6\xbe"}) {
    CHECK_EQUAL(find_bad_utf8(bad), std::string_view(bad).starts_with("abc") ? 3u : 0u);
  }
}
