#include "bitext.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <stdexcept>
#include <utility>

#include "input_error.h"
#include "line_reader.h"

namespace hopefear {
namespace {

void split(std::string_view line, std::vector<std::string_view>& words) {
  words.clear();
  for (std::size_t i = line.find_first_not_of(" \t"); i != std::string_view::npos;) {
    const std::size_t end = std::min(line.find_first_of(" \t", i), line.size());
    words.push_back(line.substr(i, end - i));
    i = line.find_first_not_of(" \t", end);
  }
}

void append(BitextSide& side, std::span<const std::string_view> words) {
  for (const std::string_view word : words) side.text.push_back(side.words.intern(word));
  side.text.push_back(BitextSide::kEnd);
  side.linked.resize(side.text.size());
  side.begin.push_back(static_cast<std::int32_t>(side.text.size()));
}

void widen(LinkedSpan& span, std::uint16_t position) {
  span.first = std::min(span.first, position);
  span.last = std::max(span.last, position);
}

// With so much room behind the last word that a phrase's end is a position, too.
bool fits(const BitextSide& side, std::size_t more) {
  return side.text.size() + more < std::numeric_limits<std::int32_t>::max() - 0xff;
}

std::string outside(std::size_t source_words, std::size_t target_words, std::string_view link) {
  return "expected links between " + std::to_string(source_words) + " and " +
         std::to_string(target_words) + " words, got " + std::string(link.substr(0, 80));
}

// A link such as 3-4; numbers that no sentence has become Bitext::kLongest.
bool parse_link(std::string_view text, Link& link) {
  std::size_t source = 0, target = 0;
  const char* const end = text.data() + text.size();
  const auto [dash, error] = std::from_chars(text.data(), end, source);
  if (error != std::errc() || dash == end || *dash != '-') return false;
  const auto [stop, error2] = std::from_chars(dash + 1, end, target);
  if (error2 != std::errc() || stop != end) return false;
  link = {static_cast<std::uint16_t>(std::min(source, Bitext::kLongest)),
          static_cast<std::uint16_t>(std::min(target, Bitext::kLongest))};
  return true;
}

}  // namespace

std::size_t BitextSide::sentence_at(std::int32_t position) const {
  return static_cast<std::size_t>(std::ranges::upper_bound(begin, position) - begin.begin()) - 1;
}

void Bitext::add(std::span<const std::string_view> source_words,
                 std::span<const std::string_view> target_words, std::vector<Link> points) {
  if (std::max(source_words.size(), target_words.size()) > kLongest) {
    throw std::invalid_argument(kTooLong);
  }
  if (!fits(source, source_words.size()) || !fits(target, target_words.size())) {
    throw std::invalid_argument("expected fewer than 2^31 words on each side");
  }
  for (const Link link : points) {
    if (link.source < source_words.size() && link.target < target_words.size()) continue;
    throw std::invalid_argument(
        outside(source_words.size(), target_words.size(),
                std::to_string(link.source) + "-" + std::to_string(link.target)));
  }
  std::ranges::sort(points);
  points.erase(std::ranges::unique(points).begin(), points.end());
  append(source, source_words);
  append(target, target_words);
  LinkedSpan* const source_spans =
      &source.linked[static_cast<std::size_t>(*(source.begin.end() - 2))];
  LinkedSpan* const target_spans =
      &target.linked[static_cast<std::size_t>(*(target.begin.end() - 2))];
  for (const Link link : points) {
    widen(source_spans[link.source], link.target);
    widen(target_spans[link.target], link.source);
  }
  links.insert(links.end(), points.begin(), points.end());
  link_begin.push_back(links.size());
}

void Bitext::read(const std::string& source_path, const std::string& target_path,
                  const std::string& alignment_path, bool reversed) {
  LineReader readers[] = {LineReader(source_path), LineReader(target_path),
                          LineReader(alignment_path)};
  std::string_view lines[3];
  std::vector<std::string_view> words[3];
  std::vector<Link> points;
  for (;;) {
    int ended = 0;
    for (int i = 0; i < 3; ++i) {
      if (readers[i].next(lines[i])) {
        split(lines[i], words[i]);
      } else {
        ended |= 1 << i;
      }
    }
    if (ended == 7) break;
    for (int i = 0; i < 3; ++i) {
      if ((ended & (1 << i)) == 0) continue;
      throw InputError(readers[i].path(), readers[i].line_number() + 1,
                       "expected as many lines as in the other files");
    }
    for (int i = 0; i < 2; ++i) {
      if (words[i].size() <= Bitext::kLongest) continue;
      throw InputError(readers[i].path(), readers[i].line_number(), kTooLong);
    }
    points.clear();
    const LineReader& alignment = readers[2];
    for (const std::string_view word : words[2]) {
      Link link;
      if (!parse_link(word, link)) {
        throw InputError(
            alignment.path(), alignment.line_number(),
            "expected links such as 0-0 1-2, got '" + std::string(word.substr(0, 80)) + "'");
      }
      if (reversed) std::swap(link.source, link.target);
      if (link.source >= words[0].size() || link.target >= words[1].size()) {
        throw InputError(alignment.path(), alignment.line_number(),
                         outside(words[0].size(), words[1].size(), word));
      }
      points.push_back(link);
    }
    try {
      add(words[0], words[1], points);
    } catch (const std::invalid_argument& error) {
      throw InputError(alignment.path(), alignment.line_number(), error.what());
    }
  }
}

}  // namespace hopefear
