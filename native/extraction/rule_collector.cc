#include "extraction/rule_collector.h"

#include <algorithm>
#include <memory>
#include <numeric>
#include <stdexcept>

#include "extraction/pattern_count.h"

namespace hopefear {
namespace {

// Sampled occurrences of a pattern from which on what they give is kept.
constexpr std::size_t kKept = 16;
// Times the number of samples: so many occurrences may be read to know what each gives.
constexpr std::size_t kMostEach = 10;

}  // namespace

void ExtractionOptions::check() const {
  limits.check();
  if (top < 0) throw std::invalid_argument("top must be at least 0");
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
      reader_(bitext, options.limits) {
  grammar_.features = options.features;
}

void RuleCollector::add(const Pattern& pattern, const Occurrences& found) {
  const std::size_t most = place_of(options_.limits.samples);
  const std::size_t in_text = this->in_text(found);
  const std::size_t sampled = std::min(in_text, most);
  read_text(pattern, found, in_text, sampled);
  text_pairs_ = pairs_.pairs.size();
  const std::size_t corrected = std::min(found.size() - in_text, most);  // the latest
  reader_.read(pattern, found.all().last(corrected), pairs_);
  if (!exclusion_.withdrawn().empty()) remove_withdrawn(pattern);
  const auto samples = static_cast<double>(sampled + corrected);
  sort();
  for (std::size_t i = 0; i < order_.size();) {
    const std::uint8_t ends = pair(i).ends;
    std::size_t stop = i;
    while (stop < order_.size() && pair(stop).ends == ends) ++stop;
    add_source_side(pattern, i, stop, samples, static_cast<double>(found.size()));
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

void RuleCollector::read_text(const Pattern& pattern, const Occurrences& found, std::size_t in_text,
                              std::size_t sampled) {
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
    return;
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
    pairs_ = *pairs;
    return;
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
  Counted rule{i, i, i, 0, 0, false};
  std::size_t most = 0, run = i, same = 0;  // pairs of the alignment of order_[run]
  for (;
       rule.end < stop && std::ranges::equal(pairs_.target(pair(i)), pairs_.target(pair(rule.end)));
       ++rule.end) {
    if (alignment_before(pair(run), pair(rule.end))) {
      run = rule.end;
      same = 0;
    }
    same += pair(rule.end).count;
    if (same > most) {
      most = same;
      rule.aligned = run;
    }
    rule.pairs += pair(rule.end).count;
    rule.share += pair(rule.end).share;
    rule.corrected |= order_[rule.end] >= text_pairs_;
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
                                    double samples, double occurrences) {
  RuleCounts counts;
  counts.source = pattern.words;
  counts.samples = samples;
  counts.occurrences = occurrences;
  rules_.clear();
  for (std::size_t i = begin; i < end;) {
    const Counted rule = count(i, end);
    counts.extractions += rule.share;
    if (can_be_written(rule)) rules_.push_back(rule);
    i = rule.end;
  }
  if (const int top = options_.top; top > 0 && std::cmp_greater(rules_.size(), top)) {
    const auto kept = rules_.begin() + top;
    std::ranges::partial_sort(rules_, kept, [this](const Counted& a, const Counted& b) {
      return a.pairs != b.pairs ? a.pairs > b.pairs : text_before(a, b);
    });
    rules_.erase(kept, rules_.end());
  }
  SentenceGrammar::Item item{};
  add_source(pattern, pair(begin).ends, item);
  counts.source_symbols = source_symbols_;
  for (const Counted& rule : rules_) add_rule(rule, counts, item);
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
  counts.pairs = static_cast<double>(rule.pairs);
  counts.share = rule.share;
  counts.corrected = rule.corrected;
  if (target_index_ != nullptr) counts.target_matches = target_matches(counts.target);
  for (const RuleScore which : scores_) grammar_.values.push_back(scorer_.score(which, counts));
  item.target = count_of<std::uint32_t>(grammar_.symbols);
  item.target_size = count_of<std::uint8_t>(counts.target);
  for (const Symbol e : counts.target) grammar_.symbols.push_back(e > 0 ? symbol(e) : e);
  item.alignment = count_of<std::uint32_t>(grammar_.points);
  item.alignment_size = count_of<std::uint16_t>(counts.alignment);
  grammar_.points.insert(grammar_.points.end(), counts.alignment.begin(), counts.alignment.end());
  grammar_.rules.push_back(item);
}

double RuleCollector::target_matches(std::span<const Symbol> target) {
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
  const auto [known, is_new] = target_matches_.try_emplace(std::move(key), 0);
  if (is_new) {
    known->second = static_cast<double>(
        count_occurrences(*target_index_, pattern, options_.limits.max_span, exclusion_.target()));
  }
  return known->second;
}

}  // namespace hopefear
