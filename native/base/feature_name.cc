#include "base/feature_name.h"

#include <algorithm>
#include <cstdio>

#include "base/line_reader.h"

namespace hopefear {
namespace {

constexpr std::size_t kShown = 80;

std::string message(std::string_view what, std::string_view name, std::string_view fault) {
  std::string text = std::string(what) + " " + std::string(fault);
  if (name.empty()) return text;
  text += ", got '";
  for (const char c : name.substr(0, kShown)) {
    char escaped[8];
    const auto byte = static_cast<unsigned char>(c);
    std::snprintf(escaped, sizeof escaped, byte < 0x20 || byte == 0x7F ? "\\x%02x" : "%c", byte);
    text += escaped;
  }
  return text + (name.size() > kShown ? "…'" : "'");
}

}  // namespace

std::string_view name_part_fault(std::string_view part) {
  if (part.empty()) return "must not be empty";
  if (std::ranges::any_of(part, is_blank)) return "must not contain white space";
  if (part.find('\0') != part.npos) return "must not contain a zero byte";
  if (find_bad_utf8(part) != part.npos) return "must be valid Unicode text";
  return {};
}

std::string_view name_fault(std::string_view name) {
  if (const std::string_view fault = name_part_fault(name); !fault.empty()) return fault;
  if (name.front() == '#') return "must not begin with '#', which begins a comment";
  if (name.starts_with("\xEF\xBB\xBF")) return "must not begin with a byte order mark";
  return {};
}

NameError::NameError(std::string_view name, std::string_view fault, std::string_view what)
    : std::invalid_argument(message(what, name, fault)) {}

}  // namespace hopefear
