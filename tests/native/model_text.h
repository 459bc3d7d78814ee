// A language model in ARPA format, small enough to score by hand, and the header of a binary one.
#pragma once

#include <cstdint>
#include <string>

inline constexpr const char* kArpa =
    "\\data\\\nngram 1=5\nngram 2=4\nngram 3=1\n\n"
    "\\1-grams:\n-2\t<unk>\n-9\t<s>\t-0.5\n-1\t</s>\n-0.7\tu\t-0.25\n-0.9\tw\t-0.125\n\n"
    "\\2-grams:\n-0.3\t<s> u\t-0.0625\n-0.4\tu w\t-0.2\n-0.6\tw </s>\n-0.8\tw u\n\n"
    "\\3-grams:\n-0.1\t<s> u w\n\n\\end\\\n";

// Up to the parameters, which come after 56 bytes of magic and 32 of test values.
inline std::string binary_header() {
  std::string header = "mmap lm http://kheafield.com/code format version 5\n";
  header.resize(56, '\0');
  const auto put = [&header](auto value) {
    header.append(reinterpret_cast<const char*>(&value), sizeof value);
  };
  for (const float value : {0.0f, 1.0f, -0.5f}) put(value);
  for (const std::uint32_t value : {1u, 0xffffffffu, 0u}) put(value);
  put(std::uint64_t{1});
  return header;
}
