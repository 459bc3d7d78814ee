#include "extraction/phrase_pairs.h"

#include <algorithm>

namespace hopefear {

PhrasePairReader::Span PhrasePairReader::linked_span(const LinkedSpan* words, Span span) {
  Span linked{LinkedSpan::kNone, 0};
  for (int i = span.begin; i < span.end; ++i) {
    if (!words[i].linked()) continue;
    linked.begin = std::min<int>(linked.begin, words[i].first);
    linked.end = std::max<int>(linked.end, words[i].last + 1);
  }
  return linked;
}

PhrasePairReader::Span PhrasePairReader::gap_target(Span source) const {
  constexpr Span kNone{0, 0};
  if (!tight(source)) return kNone;
  const Span target = target_of(source);
  if (target.size() <= 0 || target.size() > limits_.max_span) return kNone;
  const Span back = source_of(target);
  return back.begin < source.begin || back.end > source.end ? kNone : target;
}

// Each occurrence is elsewhere in the text, which is larger than the processor's caches: what the
// next ones need is fetched while one is read, step by step.
void PhrasePairReader::read(const Pattern& pattern, std::span<const Occurrence> occurrences,
                            PhrasePairs& out) {
  constexpr std::size_t kAhead = 6;
  pattern_ = &pattern;
  out_ = &out;
  const std::size_t n = occurrences.size();
  sentences_.resize(n);
  for (std::size_t i = 0; i < n + 3 * kAhead; ++i) {
    // Before the first occurrence k is too large as well.
    if (const std::size_t k = i; k < n) fetch_source(occurrences[k]);
    if (const std::size_t k = i - kAhead; k < n) fetch_sentence(occurrences[k]);
    if (const std::size_t k = i - 2 * kAhead; k < n) {
      sentences_[k] = static_cast<std::uint32_t>(bitext_.source.sentence_at(occurrences[k].begin));
      fetch_target(occurrences[k], sentences_[k]);
    }
    if (const std::size_t k = i - 3 * kAhead; k < n) {
      read_one(occurrences[k], sentences_[k]);
      out.ends.push_back(count_of<std::uint32_t>(out.pairs));
    }
  }
}

void PhrasePairReader::fetch_source(const Occurrence& occurrence) const {
  const LinkedSpan* const words = bitext_.source.linked.data() + occurrence.begin;
  __builtin_prefetch(words);
  __builtin_prefetch(words + limits_.max_span - 1);
  __builtin_prefetch(&bitext_.source.block_sentence(occurrence.begin));
}

void PhrasePairReader::fetch_sentence(const Occurrence& occurrence) const {
  const std::uint32_t sentence = bitext_.source.block_sentence(occurrence.begin);
  __builtin_prefetch(&bitext_.source.begin[sentence]);
  __builtin_prefetch(&bitext_.target.begin[sentence]);
  __builtin_prefetch(&bitext_.link_begin[sentence]);
}

void PhrasePairReader::fetch_target(const Occurrence& occurrence, std::size_t sentence) const {
  const std::int32_t begin = bitext_.target.begin[sentence];
  for (std::size_t k = 0; k < pattern_->chunks.size(); ++k) {
    const LinkedSpan word = bitext_.source.linked[occurrence.chunk(k)];
    if (!word.linked()) continue;
    __builtin_prefetch(&bitext_.target.linked[begin + word.first]);
    __builtin_prefetch(&bitext_.target.text[begin + word.first]);
  }
  __builtin_prefetch(bitext_.links.data() + bitext_.link_begin[sentence]);
}

void PhrasePairReader::read_one(const Occurrence& occurrence, std::size_t sentence) {
  const Pattern& pattern = *pattern_;
  sentence_ = sentence;
  const std::int32_t source_begin = bitext_.source.begin[sentence_];
  source_ = bitext_.source.linked.data() + source_begin;
  target_ = bitext_.target.linked.data() + bitext_.target.begin[sentence_];
  source_length_ = bitext_.source.length(sentence_);
  target_length_ = bitext_.target.length(sentence_);
  chunks_.clear();
  bool any_linked = false;
  for (std::size_t k = 0; k < pattern.chunks.size(); ++k) {
    chunks_.push_back(occurrence.chunk(k) - source_begin);
    for (int i = 0; i < pattern.chunks[k]; ++i) any_linked |= linked(chunks_[k] + i);
  }
  words_ = {chunks_.front(), chunks_.back() + pattern.chunks.back()};
  if (!any_linked || !read_gaps() || !widen_to_phrase()) return;

  if (tight(phrase_)) add(phrase_target_, gaps_, ends_);
  for (const auto& [left, right] : {std::pair{false, true}, {true, false}, {true, true}}) {
    add_ends(left, right);
  }
}

bool PhrasePairReader::read_gaps() {
  gaps_.clear();
  for (std::size_t k = 0; k + 1 < chunks_.size(); ++k) {
    const Span gap{chunks_[k] + pattern_->chunks[k], chunks_[k + 1]};
    gaps_.push_back({gap, gap_target(gap)});
    if (gaps_.back().target.size() == 0) return false;
  }
  return true;
}

// Finds the phrase pair of the occurrence: with a gap at an end where other source words are linked
// into its target side.
bool PhrasePairReader::widen_to_phrase() {
  phrase_target_ = target_of(words_);
  if (phrase_target_.size() <= 0 || phrase_target_.size() > limits_.max_span) return false;
  const Span back = source_of(phrase_target_);
  phrase_ = words_;
  ends_ = 0;
  if (back.begin < words_.begin) {
    ends_ |= PhrasePairs::kLeft;
    phrase_.begin = std::min(back.begin, words_.begin - limits_.min_gap);
  }
  if (back.end > words_.end) {
    ends_ |= PhrasePairs::kRight;
    phrase_.end = std::max(back.end, words_.end + limits_.min_gap);
  }
  if (ends_ == 0) return true;
  const int more = (ends_ & 1) + (ends_ >> 1);
  if (phrase_.begin < 0 || phrase_.end > source_length_ || phrase_.size() > limits_.max_span ||
      pattern_->gaps() + more > limits_.max_nonterminals ||
      pattern_->symbols() + more > limits_.max_symbols || target_of(phrase_) != phrase_target_) {
    return false;
  }
  if (ends_ & PhrasePairs::kLeft) {
    const Span gap{phrase_.begin, words_.begin};
    gaps_.insert(gaps_.begin(), {gap, gap_target(gap)});
    if (gaps_.front().target.size() == 0) return false;
  }
  if (ends_ & PhrasePairs::kRight) {
    const Span gap{words_.end, phrase_.end};
    gaps_.push_back({gap, gap_target(gap)});
    if (gaps_.back().target.size() == 0) return false;
  }
  return true;
}

// The smallest phrase pair with a nonterminal more at one end or at both.
void PhrasePairReader::add_ends(bool left, bool right) {
  if ((left && (ends_ & PhrasePairs::kLeft)) || (right && (ends_ & PhrasePairs::kRight))) return;
  const int nonterminals = count_of(gaps_) + left + right;
  const int symbols = count_of(pattern_->words) + nonterminals;
  if (nonterminals > limits_.max_nonterminals || symbols > limits_.max_symbols) return;

  Span span = phrase_;
  if (left) span.begin -= limits_.min_gap;
  if (right) span.end += limits_.min_gap;
  if (span.begin < 0 || span.end > source_length_) return;
  if (limits_.tight) {
    if (!linked(phrase_.begin - left) || !linked(phrase_.end - 1 + right)) return;
    while (left && span.begin >= 0 && !linked(span.begin)) --span.begin;
    while (right && span.end <= source_length_ && !linked(span.end - 1)) ++span.end;
    if (span.begin < 0 || span.end > source_length_) return;
  }
  Span target{};
  for (;;) {
    if (span.size() > limits_.max_span) return;
    target = target_of(span);
    if (target.size() <= 0 || target.size() > limits_.max_span) return;
    const Span back = source_of(target);
    if ((back.begin < span.begin && !left) || (back.end > span.end && !right)) return;
    if (back.begin >= span.begin && back.end <= span.end) break;
    span = {std::min(span.begin, back.begin), std::max(span.end, back.end)};
  }
  std::vector<Gap>& gaps = more_gaps_;
  gaps.assign(gaps_.begin(), gaps_.end());
  if (left) {
    const Span gap{span.begin, phrase_.begin};
    gaps.insert(gaps.begin(), {gap, gap_target(gap)});
    if (gaps.front().target.size() == 0) return;
  }
  if (right) {
    const Span gap{phrase_.end, span.end};
    gaps.push_back({gap, gap_target(gap)});
    if (gaps.back().target.size() == 0) return;
  }
  const int ends = ends_ | (left ? PhrasePairs::kLeft : 0) | (right ? PhrasePairs::kRight : 0);
  add(target, gaps, ends);
}

void PhrasePairReader::add(Span target, std::vector<Gap>& gaps, int ends) {
  const std::size_t first = out_->pairs.size();
  if (limits_.tight) {
    add_pair(target, gaps, ends);
  } else {
    add_loose(target, gaps, ends);
  }
  const double share = 1.0f / static_cast<float>(out_->pairs.size() - first);
  for (std::size_t i = first; i < out_->pairs.size(); ++i) out_->pairs[i].share = share;
}

// The phrase pair and its gaps with none, some or all of the unlinked target words next to them.
// Two of these may read the same, and then count twice, as they do in cdec's extractor.
void PhrasePairReader::add_loose(Span target, std::vector<Gap>& gaps, int ends) {
  Span wide = target;
  const auto free = [this](int j) { return !target_[j].linked(); };
  while (wide.begin > 0 && target.end - wide.begin < limits_.max_span && free(wide.begin - 1))
    --wide.begin;
  while (wide.end < target_length_ && wide.end - target.begin < limits_.max_span && free(wide.end))
    ++wide.end;
  std::vector<Gap*> order;
  for (Gap& gap : gaps) order.push_back(&gap);
  std::ranges::sort(order, {}, [](const Gap* gap) { return gap->target.begin; });

  // Chooses the k-th gap's end points, those before being chosen; `from` is where it may begin.
  const auto choose = [&](const auto& self, Span phrase, std::size_t k, int from) -> void {
    if (k == order.size()) {
      for (phrase.end = std::max(target.end, from); phrase.end <= wide.end; ++phrase.end) {
        if (phrase.size() <= limits_.max_span) add_pair(phrase, gaps, ends);
      }
      return;
    }
    const Span core = order[k]->target;
    Span most = core;
    while (most.begin > from && free(most.begin - 1)) --most.begin;
    while (most.end < wide.end && free(most.end)) ++most.end;
    for (int begin = most.begin; begin <= core.begin; ++begin) {
      for (int end = core.end; end <= most.end; ++end) {
        order[k]->target = {begin, end};
        self(self, phrase, k + 1, end);
      }
    }
    order[k]->target = core;
  };
  for (int begin = wide.begin; begin <= target.begin; ++begin) {
    choose(choose, {begin, target.end}, 0, begin);
  }
}

void PhrasePairReader::add_pair(Span target, const std::vector<Gap>& gaps, int ends) {
  PhrasePairs& out = *out_;
  const std::size_t first_symbol = out.symbols.size(), first_point = out.points.size();
  // The target side, and which symbol each of its words is.
  const Word* const text = bitext_.target.text.data() + bitext_.target.begin[sentence_];
  std::uint8_t target_symbol[256];  // only those of words are set, and read
  for (int j = target.begin; j < target.end;) {
    const auto gap = std::ranges::find(gaps, j, [](const Gap& g) { return g.target.begin; });
    if (gap != gaps.end()) {
      out.symbols.push_back(static_cast<Symbol>(gaps.begin() - gap));
      j = gap->target.end;
    } else {
      target_symbol[j - target.begin] =
          static_cast<std::uint8_t>(out.symbols.size() - first_symbol);
      out.symbols.push_back(text[j++]);
    }
  }
  // Words of the pattern are linked to words of the target side only.
  int symbol = ends & PhrasePairs::kLeft ? 1 : 0;
  const std::span<const Link> links = bitext_.links_of(sentence_);
  auto link = links.begin();
  for (std::size_t k = 0; k < chunks_.size(); ++k, ++symbol) {
    for (int i = chunks_[k]; i < chunks_[k] + pattern_->chunks[k]; ++i, ++symbol) {
      while (link != links.end() && link->source < i) ++link;
      for (; link != links.end() && link->source == i; ++link) {
        out.points.push_back(
            {static_cast<std::uint8_t>(symbol), target_symbol[link->target - target.begin]});
      }
    }
  }
  const std::size_t symbols = out.symbols.size() - first_symbol;
  const std::size_t points = out.points.size() - first_point;
  out.pairs.push_back({static_cast<std::uint8_t>(ends), static_cast<std::uint8_t>(symbols),
                       static_cast<std::uint16_t>(points), static_cast<std::uint32_t>(first_symbol),
                       static_cast<std::uint32_t>(first_point), 1, 1.0});
}

}  // namespace hopefear
