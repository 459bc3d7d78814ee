#include "extraction/pattern_walk.h"

#include <algorithm>
#include <bit>

#include "extraction/pattern_cache.h"

namespace hopefear {
namespace {

// Occurrences of a pattern from which on the cache is asked for those of longer patterns.
constexpr std::size_t kFrequent = 256;
// A word that is so many times rarer than a pattern is looked for by itself.
constexpr std::size_t kRarer = 8;

void check_range(const char* name, int value, int least, int most) {
  if (value >= least && value <= most) return;
  throw std::invalid_argument(concat(name, " must be from ", least, " to ", most, ", got ", value));
}

}  // namespace

void ExtractionLimits::check() const {
  check_range("max_symbols", max_symbols, 1, 255);
  check_range("max_nonterminals", max_nonterminals, 0, kMostNonterminals);
  check_range("max_span", max_span, 1, 255);
  check_range("min_gap", min_gap, 1, 255);
  check_range("samples", samples, 1, 1 << 30);
}

PatternWalk::PatternWalk(const PhraseIndex& index, const ExtractionLimits& limits,
                         const TextParts& out, PatternCache* cache)
    : index_(index), limits_(limits), out_(out), cache_(cache) {
  if (cache == nullptr) return;
  const std::span<const TextParts::Part> holes = out.before(cache->end());
  assert(holes.size() <= 1);
  if (!holes.empty()) hole_ = holes.front();
}

void PatternWalk::walk(std::span<const Word> sentence, const Visit& visit) {
  visit_ = &visit;
  number_of_.assign(index_.side().words.end(), 0);
  words_ = {BitextSide::kEnd};
  sentence_.clear();
  std::vector<std::vector<Place>> places(1);
  for (const Word word : sentence) {
    const int i = sentence_.count();
    std::uint16_t number = 0;
    if (word > BitextSide::kEnd) {
      number = number_of_[word];
      if (number == 0) {
        number = count_of<std::uint16_t>(words_);
        number_of_[word] = number;
        words_.push_back(word);
        places.emplace_back();
      }
      places[number].push_back({i, i + 1});
    }
    sentence_.push_back(number);
  }
  const PhraseIndex::Ranges all = index_.all();
  ranges_of_.assign(words_.size(), {});
  for (std::size_t number = 1; number < words_.size(); ++number) {
    ranges_of_[number] = index_.narrow(all, 0, words_[number]);
  }
  places_of_.assign(words_.size(), {});
  mark_words();
  pattern_.chunks = {1};
  for (std::size_t number = 1; number < words_.size(); ++number) {
    const PhraseIndex::Ranges& ranges = ranges_of_[number];
    pattern_.words = {words_[number]};
    this->visit(places[number], occurrences(ranges, 1), &ranges);
  }
}

void PatternWalk::mark_words() {
  const BitextSide& side = index_.side();
  marks_.assign(side.text.count() / 64 + 2, 0);
  const auto mark = [this](std::int32_t place) {
    marks_[place / 64] |= std::uint64_t{1} << (place % 64);
  };
  for (std::size_t sentence = index_.first(); sentence < side.sentences(); ++sentence) {
    mark(side.begin[sentence + 1] - 1);
  }
  for (std::size_t number = 1; number < words_.size(); ++number) {
    std::ranges::for_each(index_.positions(ranges_of_[number], 1), mark);
  }
}

// The marks of 64 places, that of the first one in the lowest bit.
std::uint64_t PatternWalk::marks_from(std::int32_t place) const {
  const std::int32_t i = place / 64;
  const int shift = place % 64;
  return marks_[i] >> shift | marks_[i + 1] << 1 << (63 - shift);
}

void PatternWalk::visit(const std::vector<Place>& places, std::span<const Occurrence> found,
                        const PhraseIndex::Ranges* ranges) {
  const auto first_from = [&](std::int32_t place) {
    return id_at(found, std::ranges::lower_bound(found, place, {}, &Occurrence::begin));
  };
  const std::size_t out_begin = hole_.empty() ? 0 : first_from(hole_.begin);
  const std::size_t out_end = hole_.empty() ? 0 : first_from(hole_.end);
  const Occurrences left(found, out_begin, out_end);
  if (left.size() == 0) return;
  (*visit_)(pattern_, left);
  if (pattern_.symbols() >= limits_.max_symbols) return;
  const bool may_gap =
      pattern_.gaps() < limits_.max_nonterminals && pattern_.symbols() + 2 <= limits_.max_symbols;
  const bool by_range = ranges != nullptr;
  // Suffixes are longer than a phrase may be.
  const bool may_grow = !by_range || count_of(pattern_.words) < limits_.max_span;
  Children next(words_.size()), behind(words_.size());
  bool any_next = false, any_behind = false;
  for (const Place place : places) {
    // In the sentence, as in cdec's extractor, a pattern may cover a word more than in the text.
    const int reach = std::min(sentence_.count(), place.begin + limits_.max_span + 1);
    const auto add = [&](Children& children, int i, bool& any) {
      const std::uint16_t number = sentence_[i];
      if (number == 0) return;
      children[number].places.push_back({place.begin, i + 1});
      any = true;
    };
    if (may_grow && place.end < reach) add(next, place.end, any_next);
    for (int i = place.end + limits_.min_gap; may_gap && i < reach; ++i) add(behind, i, any_behind);
  }
  look(found, any_next && !by_range ? &next : nullptr, any_behind ? &behind : nullptr);

  for (std::size_t number = 1; number < words_.size(); ++number) {
    Child &neighbour = next[number], &follower = behind[number];
    pattern_.words.push_back(words_[number]);
    if (!neighbour.places.empty()) {
      ++pattern_.chunks.back();
      if (by_range) {
        const int depth = count_of(pattern_.words) - 1;
        const PhraseIndex::Ranges narrowed = index_.narrow(*ranges, depth, words_[number]);
        visit(neighbour.places, occurrences(narrowed, depth + 1), &narrowed);
      } else {
        visit(neighbour.places, neighbour.occurrences(), nullptr);
      }
      --pattern_.chunks.back();
    }
    if (!follower.occurrences().empty()) {
      // A gap of another size may lead from one place to the other.
      std::ranges::sort(follower.places);
      follower.places.erase(std::ranges::unique(follower.places).begin(), follower.places.end());
      pattern_.chunks.push_back(1);
      visit(follower.places, follower.occurrences(), nullptr);
      pattern_.chunks.pop_back();
    }
    pattern_.words.pop_back();
  }
}

// Finds the words that stand next to the occurrences, and those behind a gap.
void PatternWalk::look(std::span<const Occurrence> found, Children* next, Children* behind) {
  if (next == nullptr && behind == nullptr) return;
  std::span<const Occurrence> rest = found;
  if (cache_ != nullptr && found.size() >= kFrequent) {
    const std::size_t known =
        id_at(found, std::ranges::lower_bound(found, cache_->end(), {}, &Occurrence::begin));
    if (known >= kFrequent) {
      scan_known(rest.first(known), next, behind);
      rest = rest.subspan(known);
    }
  }
  if (rest.empty()) return;
  for (Children* children : {next, behind}) {
    if (children == nullptr) continue;
    for (Child& child : *children) {
      child.wanted = !child.places.empty();
      if (child.kept != nullptr) child.found = *std::exchange(child.kept, nullptr);
    }
  }
  scan(rest, next, behind);
}

// The same in the text that the cache knows.
void PatternWalk::scan_known(std::span<const Occurrence> found, Children* next, Children* behind) {
  PatternCache::Key key = PatternCache::key(pattern_);
  const std::size_t own = key.size();
  const auto key_of = [&](std::size_t number, bool after_gap) -> const PatternCache::Key& {
    key.resize(own);
    if (after_gap) key.push_back(PatternCache::kGap);
    key.push_back(static_cast<char32_t>(words_[number]));
    return key;
  };
  bool any = false;
  for (Children* children : {next, behind}) {
    if (children == nullptr) continue;
    for (std::size_t number = 1; number < children->size(); ++number) {
      Child& child = (*children)[number];
      child.wanted = false;
      if (child.places.empty()) continue;
      const bool after_gap = children == behind;
      const PhraseIndex::Ranges& ranges = ranges_of_[number];
      if (PhraseIndex::count(ranges) * kRarer < found.size()) {
        if (places_of_[number].empty()) places_of_[number] = reached(index_.positions(ranges, 1));
        join(found, places_of_[number], after_gap, child.found);
      } else {
        child.kept = cache_->find(key_of(number, after_gap)).occurrences;
        if (child.kept == nullptr) child.wanted = any = true;
      }
    }
  }
  if (!any) return;
  scan(found, next, behind);
  for (Children* children : {next, behind}) {
    if (children == nullptr) continue;
    for (std::size_t number = 1; number < children->size(); ++number) {
      Child& child = (*children)[number];
      if (!child.wanted) continue;
      child.found.shrink_to_fit();  // the cache counts what is in use
      child.kept = std::make_shared<const std::vector<Occurrence>>(std::move(child.found));
      child.found.clear();
      cache_->keep(key_of(number, children == behind), child.kept);
    }
  }
}

void PatternWalk::scan(std::span<const Occurrence> found, Children* next, Children* behind) const {
  constexpr std::size_t kAhead = 12;
  const Word* const text = index_.side().text.data();
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (i + kAhead < found.size()) {
      const Word* const later = text + found[i + kAhead].begin;
      __builtin_prefetch(later);
      __builtin_prefetch(later + limits_.max_span - 1);
    }
    scan_one(found[i], next, behind);
  }
}

void PatternWalk::scan_one(const Occurrence& occurrence, Children* next, Children* behind) const {
  const auto last = pattern_.chunks.size() - 1;
  const std::int32_t end = occurrence.chunk(last) + pattern_.chunks.back();
  const std::int32_t gap_end = end + limits_.min_gap;
  const std::int32_t reach = occurrence.begin + limits_.max_span;
  for (std::int32_t begin = end; begin < reach; begin += 64) {
    std::uint64_t marks = marks_from(begin);
    if (reach - begin < 64) marks &= (std::uint64_t{1} << (reach - begin)) - 1;
    for (; marks != 0; marks &= marks - 1) {
      const std::int32_t place = begin + std::countr_zero(marks);
      const Word word = index_.side().text[place];
      if (word == BitextSide::kEnd) return;
      const std::uint16_t number = number_of_[word];
      if (place == end && next != nullptr && (*next)[number].wanted) {
        (*next)[number].found.push_back(occurrence);
      }
      if (place < gap_end || behind == nullptr) continue;
      Child& child = (*behind)[number];
      if (!child.wanted) continue;
      child.found.push_back(occurrence);
      child.found.back().offsets[last] = static_cast<std::uint8_t>(place - occurrence.begin);
    }
  }
}

void PatternWalk::join(std::span<const Occurrence> found, std::span<const Reached> places,
                       bool after_gap, std::vector<Occurrence>& out) const {
  const auto last = pattern_.chunks.size() - 1;
  std::size_t first = 0;
  for (const Reached reached : places) {
    // The next occurrence is not far: both lists are in the order of the text.
    std::size_t step = 1;
    while (first + step < found.size() && found[first + step].begin < reached.from) {
      first += step;
      step *= 2;
    }
    const auto near = found.subspan(first, std::min(step + 1, found.size() - first));
    first += id_at(near, std::ranges::lower_bound(near, reached.from, {}, &Occurrence::begin));
    for (std::size_t i = first; i < found.size() && found[i].begin < reached.place; ++i) {
      const std::int32_t end = found[i].chunk(last) + pattern_.chunks.back();
      if (after_gap ? reached.place < end + limits_.min_gap : reached.place != end) continue;
      out.push_back(found[i]);
      if (after_gap) {
        out.back().offsets[last] = static_cast<std::uint8_t>(reached.place - found[i].begin);
      }
    }
  }
  std::ranges::sort(out, [](const Occurrence& a, const Occurrence& b) {
    return a.begin != b.begin ? a.begin < b.begin : a.offsets < b.offsets;
  });
}

std::vector<PatternWalk::Reached> PatternWalk::reached(std::vector<std::int32_t> places) const {
  const Word* const text = index_.side().text.data();
  std::vector<Reached> out;
  for (const std::int32_t place : places) {
    if (place >= cache_->end()) break;
    std::int32_t from = place;
    while (from > 0 && from > place - limits_.max_span + 1 && text[from - 1] != BitextSide::kEnd)
      --from;
    out.push_back({place, from});
  }
  return out;
}

std::vector<Occurrence> PatternWalk::occurrences(const PhraseIndex::Ranges& ranges,
                                                 int depth) const {
  std::vector<std::int32_t> positions = index_.positions(ranges, depth);
  out_.remove_from(positions, hole_.empty() ? 0 : cache_->end());
  std::vector<Occurrence> out;
  out.reserve(positions.size());
  for (const std::int32_t position : positions) out.push_back({position, {}});
  return out;
}

}  // namespace hopefear
