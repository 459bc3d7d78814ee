#include "extraction/bitext.h"

#include <algorithm>
#include <deque>

#include "base/feature_name.h"
#include "base/input_error.h"
#include "base/line_reader.h"

namespace hopefear {
namespace {

void split(std::string_view line, std::vector<std::string_view>& words) {
  words.clear();
  for (std::size_t i = line.find_first_not_of(kBlank); i != std::string_view::npos;) {
    const std::size_t end = std::min(line.find_first_of(kBlank, i), line.size());
    words.push_back(line.substr(i, end - i));
    i = line.find_first_not_of(kBlank, end);
  }
}

void append(BitextSide& side, std::span<const std::string_view> words) {
  for (const std::string_view word : words) side.text.push_back(side.words.intern(word));
  side.text.push_back(BitextSide::kEnd);
  side.linked.resize(side.text.size());
  const auto sentence = count_of<std::uint32_t>(side.begin) - 1;
  while (side.sentence_of.count() * BitextSide::kBlock < side.text.count()) {
    side.sentence_of.push_back(sentence);
  }
  side.begin.push_back(side.text.count());
}

void widen(LinkedSpan& span, std::uint16_t position) {
  span.first = std::min(span.first, position);
  span.last = std::max(span.last, position);
}

// With so much room behind the last word that a phrase's end is a position, too.
bool fits(const BitextSide& side, std::size_t more) {
  return side.text.size() + more < std::numeric_limits<std::int32_t>::max() - 0xff;
}

// What messages quote: no half characters.
std::string beginning(std::string_view text) {
  std::size_t size = std::min<std::size_t>(text.size(), 80);
  while (size < text.size() && (text[size] & 0xC0) == 0x80) --size;
  return std::string(text.substr(0, size));
}

std::string outside(std::size_t first_words, std::size_t second_words, std::string_view link) {
  return concat("expected links between ", first_words, " and ", second_words, " words, got ",
                beginning(link));
}

bool is_below(std::int64_t position, std::size_t words) {
  return position >= 0 && std::cmp_less(position, words);
}

void check_length(std::span<const std::string_view> words, const LineReader& reader) {
  if (words.size() <= Bitext::kLongest) return;
  throw InputError(reader.path(), reader.line_number(), Bitext::too_long(words.size()));
}

// Calls `each` with the words, the words and the links of each pair.
template <class Each>
void for_each_pair(const BitextFiles& files, const Each& each) {
  std::deque<LineReader> readers;
  readers.emplace_back(files.source);
  readers.emplace_back(files.target);
  if (files.alignment) readers.emplace_back(*files.alignment);
  std::string_view lines[3];
  std::vector<std::string_view> source, target;
  for (;;) {
    const LineReader* ended = nullptr;
    std::size_t more = 0;
    for (std::size_t i = 0; i < readers.size(); ++i) {
      if (readers[i].next(lines[i])) {
        ++more;
      } else if (ended == nullptr) {
        ended = &readers[i];
      }
    }
    if (more == 0) return;
    if (ended != nullptr) {
      throw InputError(ended->path(), ended->line_number() + 1,
                       "expected as many lines as in the other files, got ", ended->line_number());
    }
    split(lines[0], source);
    split(lines[1], target);
    check_length(source, readers[0]);
    check_length(target, readers[1]);
    const LineReader& last = readers.back();
    try {
      std::vector<GivenLink> links = files.reversed
                                         ? parse_links(lines[2], target.size(), source.size())
                                         : parse_links(lines[2], source.size(), target.size());
      if (files.reversed) {
        for (GivenLink& link : links) std::swap(link.first, link.second);
      }
      each(source, target, links);
    } catch (const std::invalid_argument& error) {
      throw InputError(last.path(), last.line_number(), error.what());
    }
  }
}

}  // namespace

std::vector<GivenLink> parse_links(std::string_view line, std::size_t first_words,
                                   std::size_t second_words) {
  std::vector<std::string_view> words;
  split(line, words);
  std::vector<GivenLink> links;
  for (const std::string_view word : words) {
    const std::optional<GivenLink> link = parse_link(word);
    if (!link) {
      throw std::invalid_argument("expected links such as 0-0 1-2, got '" + beginning(word) + "'");
    }
    if (!is_below(link->first, first_words) || !is_below(link->second, second_words)) {
      throw std::invalid_argument(outside(first_words, second_words, word));
    }
    links.push_back(*link);
  }
  return links;
}

void Bitext::add(std::span<const std::string_view> source_words,
                 std::span<const std::string_view> target_words, std::span<const GivenLink> given) {
  if (std::max(source_words.size(), target_words.size()) > kLongest) {
    throw std::invalid_argument(too_long(std::max(source_words.size(), target_words.size())));
  }
  expect(fits(source, source_words.size()) && fits(target, target_words.size()),
         "expected fewer than 2^31 words on each side");
  std::vector<Link> points;
  for (const GivenLink link : given) {
    if (!is_below(link.first, source_words.size()) || !is_below(link.second, target_words.size())) {
      throw std::invalid_argument(
          outside(source_words.size(), target_words.size(), concat(link.first, "-", link.second)));
    }
    points.push_back(
        {static_cast<std::uint16_t>(link.first), static_cast<std::uint16_t>(link.second)});
  }
  std::ranges::sort(points);
  points.erase(std::ranges::unique(points).begin(), points.end());
  append(source, source_words);
  append(target, target_words);
  LinkedSpan* const source_spans = &source.linked[*(source.begin.end() - 2)];
  LinkedSpan* const target_spans = &target.linked[*(target.begin.end() - 2)];
  for (const Link link : points) {
    widen(source_spans[link.source], link.target);
    widen(target_spans[link.target], link.source);
  }
  links.insert(links.end(), points.begin(), points.end());
  link_begin.push_back(links.size());
}

void Bitext::cut(std::size_t sentences) {
  for (BitextSide* side : {&source, &target}) {
    const std::int32_t words = side->begin[sentences];
    side->text.resize(words);
    side->linked.resize(words);
    side->begin.resize(sentences + 1);
    side->sentence_of.resize((words + BitextSide::kBlock - 1) / BitextSide::kBlock);
  }
  links.resize(link_begin[sentences]);
  link_begin.resize(sentences + 1);
}

void Bitext::read(const BitextFiles& files) {
  for_each_pair(files, [this](const auto& source_words, const auto& target_words,
                              const auto& points) { add(source_words, target_words, points); });
}

std::size_t check_bitext(const BitextFiles& files) {
  std::size_t pairs = 0;
  for_each_pair(files, [&pairs](const auto&, const auto&, const auto&) { ++pairs; });
  return pairs;
}

}  // namespace hopefear
