// Links of word alignments as text, such as 0-0 1-2: a position of each side, from 0.
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>

namespace hopefear {

// A link as given in a file or by a caller: whether its positions are in the sentences is not
// checked yet.
struct GivenLink {
  std::int64_t first, second;
};

// Reads one link; nothing for a text that is not a link.
inline std::optional<GivenLink> parse_link(std::string_view text) {
  const char* const end = text.data() + text.size();
  GivenLink link{};
  const auto [dash, error] = std::from_chars(text.data(), end, link.first);
  if (error != std::errc() || text.front() == '-' || dash == end || *dash != '-') return {};
  const auto [stop, second_error] = std::from_chars(dash + 1, end, link.second);
  if (second_error != std::errc() || dash[1] == '-' || stop != end) return {};
  return link;
}

}  // namespace hopefear
