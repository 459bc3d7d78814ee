#include "extraction/rule_collector.h"

#include <algorithm>

namespace hopefear {
namespace {

// Sampled occurrences of a pattern from which on what they give is kept.
constexpr std::size_t kKept = 16;
// Times the number of samples: so many occurrences may be read to know what each gives.
constexpr std::size_t kMostEach = 10;

}  // namespace

void ExtractionOptions::check() const {
  limits.check();
  expect(top >= 0, "top must be at least 0");
}

RuleCollector::RuleCollector(const Bitext& bitext, const ExtractionOptions& options,
                             std::span<const RuleScore> scores, RuleScorer& scorer,
                             const PhraseIndex* target_index, const Exclusion& exclusion,
                             PatternCache* cache)
    : bitext_(bitext),
      options_(options),
      scores_(scores),
      scorer_(scorer),
      target_index_(target_index),
      exclusion_(exclusion),
      cache_(cache),
      reader_(bitext, options.limits),
      text_only_(options.corrections_apart && options.corrections_from < bitext.size()) {
  grammar_.features = options.features;
}

void RuleCollector::add(const Pattern& pattern, const Occurrences& found) {
  const std::size_t in_text = this->in_text(found);
  if (const PatternCache::Pairs pairs = read_text(pattern, found, in_text)) pairs_ = *pairs;
  add_rules(pattern, in_text, corrections(found));
}

TextPart RuleCollector::text_part(const Pattern& pattern, const Occurrences& found) {
  TextPart text{in_text(found), nullptr};
  if (text.occurrences == 0) return text;
  text.pairs = read_text(pattern, found, text.occurrences);
  if (text.pairs == nullptr) text.pairs = std::make_shared<const PhrasePairs>(pairs_);
  return text;
}

void RuleCollector::add(const Pattern& pattern, const TextPart& text,
                        std::span<const Occurrence> corrections) {
  pairs_.clear();
  if (text.pairs != nullptr) pairs_ = *text.pairs;
  add_rules(pattern, text.occurrences, corrections);
}

std::span<const Occurrence> RuleCollector::corrections(const Occurrences& found) const {
  return found.all().last(found.size() - in_text(found));
}

std::size_t RuleCollector::sampled(std::size_t in_text) const {
  return std::min(in_text, place_of(options_.limits.samples));
}

void RuleCollector::add_rules(const Pattern& pattern, std::size_t in_text,
                              std::span<const Occurrence> corrections) {
  text_pairs_ = pairs_.pairs.size();
  const std::size_t sampled = this->sampled(in_text);
  const std::size_t corrected = this->sampled(corrections.size());
  reader_.read(pattern, corrections.last(corrected), pairs_);  // the latest
  if (!exclusion_.withdrawn().empty()) remove_withdrawn(pattern);
  const Seen all{static_cast<double>(sampled + corrected),
                 static_cast<double>(in_text + corrections.size())};
  const Seen text{static_cast<double>(sampled), static_cast<double>(in_text)};
  sort();
  for (std::size_t i = 0; i < order_.size();) {
    const std::uint8_t ends = pair(i).ends;
    std::size_t stop = i;
    while (stop < order_.size() && pair(stop).ends == ends) ++stop;
    add_source_side(pattern, i, stop, all, text);
    i = stop;
  }
}

void RuleCollector::remove_withdrawn(const Pattern& pattern) {
  std::vector<Symbol> source;
  const auto removed = std::ranges::remove_if(
      std::span(pairs_.pairs).subspan(text_pairs_), [&](const PhrasePairs::Pair& pair) {
        source.clear();
        source_side(pattern, pair.ends, source);
        return exclusion_.withdrawn().in(source, pairs_.target(pair), pairs_.alignment(pair));
      });
  pairs_.pairs.resize(pairs_.pairs.size() - removed.size());
}

void RuleCollector::source_side(const Pattern& pattern, int ends, std::vector<Symbol>& out) {
  Symbol nonterminal = 0;
  if (ends & PhrasePairs::kLeft) out.push_back(nonterminal--);
  for (std::size_t k = 0, word = 0; k < pattern.chunks.size(); ++k) {
    if (k > 0) out.push_back(nonterminal--);
    for (int i = 0; i < pattern.chunks[k]; ++i) out.push_back(pattern.words[word++]);
  }
  if (ends & PhrasePairs::kRight) out.push_back(nonterminal);
}

void RuleCollector::sort() {
  order_.resize(pairs_.pairs.size());
  std::iota(order_.begin(), order_.end(), 0);
  const auto before = [this](std::uint32_t a, std::uint32_t b) { return this->before(a, b); };
  if (!std::ranges::is_sorted(order_, before)) std::ranges::sort(order_, before);
}

PatternCache::Pairs RuleCollector::read_text(const Pattern& pattern, const Occurrences& found,
                                             std::size_t in_text) {
  const std::size_t sampled = this->sampled(in_text);
  const auto ith = [&](std::size_t i) { return i * in_text / sampled; };
  const auto read_sample = [&] {
    sample_.resize(sampled);
    for (std::size_t i = 0; i < sampled; ++i) sample_[i] = found[ith(i)];
    reader_.read(pattern, sample_, pairs_);
  };
  pairs_.clear();
  const std::size_t all = in_text + found.left_out();
  const auto most_each = kMostEach * place_of(options_.limits.samples);
  if (cache_ == nullptr || sampled < kKept || (found.left_out() > 0 && all > most_each)) {
    read_sample();
    return nullptr;
  }
  const PatternCache::Key key = PatternCache::key(pattern);
  const PatternCache::Known known = cache_->find(key);
  if (found.left_out() == 0) {
    PatternCache::Pairs pairs = known.pairs;
    if (pairs == nullptr) {
      read_sample();
      pairs = std::make_shared<const PhrasePairs>(distinct([](std::size_t, std::uint32_t) {}));
      cache_->keep(key, pairs);
    }
    return pairs;
  }
  PatternCache::Given each = known.given;
  if (each == nullptr) cache_->keep(key, each = read_each(pattern, found.all().first(all)));
  pairs_ = each->pairs;
  for (std::size_t i = 0; i < sampled; ++i) {
    for (const GivenPairs::Given given : each->of(found.place(ith(i)))) {
      ++pairs_.pairs[given.pair].count;
      pairs_.pairs[given.pair].share += given.share;
    }
  }
  std::erase_if(pairs_.pairs, [](const PhrasePairs::Pair& pair) { return pair.count == 0; });
  return nullptr;
}

PatternCache::Given RuleCollector::read_each(const Pattern& pattern,
                                             std::span<const Occurrence> found) {
  reader_.read(pattern, found, pairs_);
  GivenPairs out;
  out.given.resize(pairs_.pairs.size());
  out.pairs = distinct([&](std::size_t i, std::uint32_t number) {
    out.given[i] = {number, static_cast<float>(pairs_.pairs[i].share)};
  });
  for (PhrasePairs::Pair& pair : out.pairs.pairs) {
    pair.count = 0;
    pair.share = 0;
  }
  out.ends = std::move(pairs_.ends);
  return std::make_shared<const GivenPairs>(std::move(out));
}

PhrasePairs RuleCollector::distinct(const auto& each) {
  sort();
  PhrasePairs out;
  for (std::size_t i = 0; i < order_.size(); ++i) {
    PhrasePairs::Pair one = pair(i);
    if (i > 0 && alike(pair(i - 1), one)) {
      out.pairs.back().count += one.count;
      out.pairs.back().share += one.share;
    } else {
      const auto target = pairs_.target(one);
      const auto alignment = pairs_.alignment(one);
      one.first_symbol = count_of<std::uint32_t>(out.symbols);
      one.first_point = count_of<std::uint32_t>(out.points);
      out.symbols.insert(out.symbols.end(), target.begin(), target.end());
      out.points.insert(out.points.end(), alignment.begin(), alignment.end());
      out.pairs.push_back(one);
    }
    each(order_[i], count_of<std::uint32_t>(out.pairs) - 1);
  }
  return out;
}

std::size_t RuleCollector::in_text(const Occurrences& found) const {
  if (options_.corrections_from >= bitext_.size()) return found.size();
  const std::int32_t begin = bitext_.source.begin[options_.corrections_from];
  const auto corrections = std::ranges::lower_bound(found.all(), begin, {}, &Occurrence::begin);
  // What is left out of a list is in the text.
  return id_at(found.all(), corrections) - found.left_out();
}

SentenceGrammar RuleCollector::finish() {
  for (std::int32_t i = 0; i < words_.size(); ++i) {
    const std::int64_t key = words_.key(i);
    grammar_.words.emplace_back(key < 0 ? bitext_.source.words.text(static_cast<Word>(-key))
                                        : bitext_.target.words.text(static_cast<Word>(key)));
  }
  return std::move(grammar_);
}

bool RuleCollector::before(std::uint32_t a, std::uint32_t b) const {
  const PhrasePairs::Pair &left = pairs_.pairs[a], &right = pairs_.pairs[b];
  if (left.ends != right.ends) return left.ends < right.ends;
  const auto order = std::lexicographical_compare_three_way(
      pairs_.target(left).begin(), pairs_.target(left).end(), pairs_.target(right).begin(),
      pairs_.target(right).end());
  return order == 0 ? alignment_before(left, right) : order < 0;
}

bool RuleCollector::alignment_before(const PhrasePairs::Pair& left,
                                     const PhrasePairs::Pair& right) const {
  return std::ranges::lexicographical_compare(
      pairs_.alignment(left), pairs_.alignment(right), [](AlignmentPoint a, AlignmentPoint b) {
        return std::pair(a.source, a.target) < std::pair(b.source, b.target);
      });
}

bool RuleCollector::alike(const PhrasePairs::Pair& left, const PhrasePairs::Pair& right) const {
  return left.ends == right.ends && std::ranges::equal(pairs_.target(left), pairs_.target(right)) &&
         !alignment_before(left, right) && !alignment_before(right, left);
}

RuleCollector::Counted RuleCollector::count(std::size_t i, std::size_t stop) const {
  Counted rule{i, i, i};
  const auto is_text = [this](std::size_t k) { return order_[k] < text_pairs_; };
  for (;
       rule.end < stop && std::ranges::equal(pairs_.target(pair(i)), pairs_.target(pair(rule.end)));
       ++rule.end) {
    rule.pairs += pair(rule.end).count;
    rule.share += pair(rule.end).share;
    if (!is_text(rule.end)) continue;
    rule.text_pairs += pair(rule.end).count;
    rule.text_share += pair(rule.end).share;
  }
  std::size_t most = 0, run = i, same = 0;  // pairs of the alignment of order_[run]
  for (std::size_t k = i; k < rule.end; ++k) {
    if (in_text(rule) && !is_text(k)) continue;
    if (alignment_before(pair(run), pair(k)) || same == 0) {
      run = k;
      same = 0;
    }
    same += pair(k).count;
    if (same > most) {
      most = same;
      rule.aligned = run;
    }
  }
  return rule;
}

bool RuleCollector::can_be_written(const Counted& rule) const {
  return std::ranges::all_of(pairs_.target(pair(rule.begin)), [this](Symbol e) {
    return e <= 0 || hopefear::can_be_written(bitext_.target.words.text(e));
  });
}

bool RuleCollector::text_before(const Counted& a, const Counted& b) const {
  return std::ranges::lexicographical_compare(
      pairs_.target(pair(a.begin)), pairs_.target(pair(b.begin)),
      [this](Symbol left, Symbol right) {
        if (left <= 0 || right <= 0) return left < right;
        return bitext_.target.words.text(left) < bitext_.target.words.text(right);
      });
}

void RuleCollector::add_source_side(const Pattern& pattern, std::size_t begin, std::size_t end,
                                    Seen all, Seen text) {
  RuleCounts counts;
  counts.source = pattern.words;
  double extractions = 0, text_extractions = 0;
  rules_.clear();
  for (std::size_t i = begin; i < end;) {
    const Counted rule = count(i, end);
    extractions += rule.share;
    text_extractions += rule.text_share;
    counts.corrections += static_cast<double>(rule.pairs - rule.text_pairs);
    if (can_be_written(rule)) rules_.push_back(rule);
    i = rule.end;
  }
  keep_top();
  SentenceGrammar::Item item{};
  add_source(pattern, pair(begin).ends, item);
  counts.source_symbols = source_symbols_;
  for (const Counted& rule : rules_) {
    const bool in_text = this->in_text(rule);
    counts.in_text = in_text;
    counts.samples = in_text ? text.samples : all.samples;
    counts.occurrences = in_text ? text.occurrences : all.occurrences;
    counts.extractions = in_text ? text_extractions : extractions;
    add_rule(rule, counts, item);
  }
}

void RuleCollector::keep_top() {
  if (options_.top == 0) return;
  const auto keep = [this](auto begin, auto end, std::size_t Counted::* pairs) {
    if (end - begin <= options_.top) return;
    const auto kept = begin + options_.top;
    std::partial_sort(begin, kept, end, [&](const Counted& a, const Counted& b) {
      return a.*pairs != b.*pairs ? a.*pairs > b.*pairs : text_before(a, b);
    });
    rules_.erase(kept, end);
  };
  const auto others = std::stable_partition(rules_.begin(), rules_.end(),
                                            [this](const Counted& rule) { return in_text(rule); });
  const auto in_text = others - rules_.begin();
  keep(others, rules_.end(), &Counted::pairs);
  keep(rules_.begin(), rules_.begin() + in_text, &Counted::text_pairs);
}

void RuleCollector::add_source(const Pattern& pattern, int ends, SentenceGrammar::Item& item) {
  item.source = count_of<std::uint32_t>(grammar_.symbols);
  source_side(pattern, ends, grammar_.symbols);
  item.source_size = static_cast<std::uint8_t>(grammar_.symbols.size() - item.source);
  source_symbols_.clear();
  for (std::uint8_t i = 0; i < item.source_size; ++i) {
    Symbol& own = grammar_.symbols[item.source + i];
    if (own <= 0) continue;
    own = symbol(-std::int64_t{own});
    source_symbols_.push_back(i);
  }
}

void RuleCollector::add_rule(const Counted& rule, RuleCounts& counts, SentenceGrammar::Item item) {
  counts.target = pairs_.target(pair(rule.begin));
  counts.alignment = pairs_.alignment(pair(rule.aligned));
  counts.pairs = static_cast<double>(counts.in_text ? rule.text_pairs : rule.pairs);
  counts.share = counts.in_text ? rule.text_share : rule.share;
  counts.text_pairs = static_cast<double>(rule.text_pairs);
  counts.corrected = static_cast<double>(rule.pairs - rule.text_pairs);
  if (target_index_ != nullptr) {
    const OccurrenceCount& matches = target_matches(counts.target);
    counts.target_matches = static_cast<double>(counts.in_text ? matches.before : matches.all);
  }
  for (const RuleScore which : scores_) grammar_.values.push_back(scorer_.score(which, counts));
  item.target = count_of<std::uint32_t>(grammar_.symbols);
  item.target_size = count_of<std::uint8_t>(counts.target);
  for (const Symbol e : counts.target) grammar_.symbols.push_back(e > 0 ? symbol(e) : e);
  item.alignment = count_of<std::uint32_t>(grammar_.points);
  item.alignment_size = count_of<std::uint16_t>(counts.alignment);
  grammar_.points.insert(grammar_.points.end(), counts.alignment.begin(), counts.alignment.end());
  grammar_.rules.push_back(item);
}

const OccurrenceCount& RuleCollector::target_matches(std::span<const Symbol> target) {
  while (target.front() <= 0) target = target.subspan(1);
  while (target.back() <= 0) target = target.first(target.size() - 1);
  Pattern pattern{{}, {0}};
  std::vector<Symbol> key;
  for (const Symbol e : target) {
    if (e > 0) {
      pattern.words.push_back(e);
      ++pattern.chunks.back();
    } else if (pattern.chunks.back() > 0) {  // neighbours leave one gap
      pattern.chunks.push_back(0);
    } else {
      continue;
    }
    key.push_back(std::max(e, 0));
  }
  const auto [known, is_new] = target_matches_.try_emplace(std::move(key));
  if (is_new) {
    const std::size_t text = std::min(options_.corrections_from, bitext_.size());
    known->second = count_occurrences(*target_index_, pattern, options_.limits.max_span,
                                      exclusion_.target(), bitext_.target.begin[text]);
  }
  return known->second;
}

}  // namespace hopefear
