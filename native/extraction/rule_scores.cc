#include "extraction/rule_scores.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace hopefear {
namespace {

constexpr std::array<std::string_view, 15> kNames = {
    "EgivenFCoherent", "SampleCountF",    "CountEF",        "MaxLexFgivenE",  "MaxLexEgivenF",
    "IsSingletonF",    "IsSingletonFE",   "LogProbEgivenF", "LogProbFgivenE", "LogLexEgivenF",
    "LogLexFgivenE",   "PostEditSupport", "PostEditOnly",   "PostEditNew",    "PostEditShare"};

constexpr double kShare = 0.5;      // of corrections that have the source side
constexpr double kImpossible = 99;  // instead of -log10 of 0

double ratio(std::int32_t part, std::int32_t whole) { return part > 0 ? 1.0 * part / whole : 0; }

}  // namespace

RuleScore rule_score(std::string_view name) {
  const auto found = std::ranges::find(kNames, name);
  if (found != kNames.end()) return RuleScore{id_at<std::uint8_t>(kNames, found)};
  std::string known;
  for (const std::string_view other : kNames)
    known += (known.empty() ? "" : ", ") + std::string(other);
  throw std::invalid_argument("unknown feature '" + std::string(name) + "', known are " + known);
}

const RuleScorer::Lexical& RuleScorer::lexical(Word source, Word target) {
  const auto number = [](IdVector<Word, Number>& numbers, Word word) -> Number& {
    if (!numbers.has(word)) numbers.resize(2 * word + 1, 0);
    return numbers[word];
  };
  Number& f = number(sources_, source);
  Number& e = number(targets_, target);
  if (f == 0) f = known_.add({}) + 1;
  if (e == 0) e = ++target_words_;
  IdVector<Number, BothLexical>& row = known_[f - 1];
  if (!row.has(e - 1)) row.resize(2 * e - 1);
  Lexical& known = in_text_ ? row[e - 1].text : row[e - 1].all;
  if (known.target_given_source < 0) {
    const LexicalTable& out = in_text_ ? exclusion_.links_of_text() : exclusion_.links();
    const auto count = [&](auto of) {
      return of(table_) - of(out) - (in_text_ ? of(corrections_) : 0);
    };
    const std::int32_t pair =
        count([&](const LexicalTable& table) { return table.pair(source, target); });
    known = {ratio(pair, count([&](const LexicalTable& table) { return table.source(source); })),
             ratio(pair, count([&](const LexicalTable& table) { return table.target(target); }))};
  }
  return known;
}

double RuleScorer::max_lexical(const RuleCounts& rule, bool of_source) {
  double sum = 0;
  for (const Word word : of_source ? rule.source : rule.target) {
    if (word <= 0) continue;
    double best = probability(word, LexicalTable::kNull, of_source);
    for (const Word other : of_source ? rule.target : rule.source) {
      if (other > 0) best = std::max(best, probability(word, other, of_source));
    }
    sum += best > 0 ? -std::log10(best) : kImpossible;
  }
  return sum;
}

// Koehn, Och and Marcu (2003), section 4: a word that has several links has their mean.
double RuleScorer::mean_lexical(const RuleCounts& rule, bool of_source) {
  const auto source_word = [&rule](std::uint8_t symbol) {
    const auto found = std::ranges::find(rule.source_symbols, symbol);
    return rule.source[id_at(rule.source_symbols, found)];
  };
  const auto log_of_mean = [&](Word word, std::size_t symbol) {
    double total = 0;
    int links = 0;
    for (const AlignmentPoint point : rule.alignment) {
      if ((of_source ? point.source : point.target) != symbol) continue;
      const Word other = of_source ? rule.target[point.target] : source_word(point.source);
      total += probability(word, other, of_source);
      ++links;
    }
    return std::log(links > 0 ? total / links : probability(word, LexicalTable::kNull, of_source));
  };
  double sum = 0;
  if (of_source) {
    for (std::size_t i = 0; i < rule.source.size(); ++i)
      sum += log_of_mean(rule.source[i], rule.source_symbols[i]);
  } else {
    for (std::size_t j = 0; j < rule.target.size(); ++j)
      if (rule.target[j] > 0) sum += log_of_mean(rule.target[j], j);
  }
  return sum;
}

bool RuleScorer::knows(const RuleCounts& rule) const {
  return std::ranges::all_of(rule.source, [this](Word word) {
    return table_.source(word) - corrections_.source(word) > 0;
  });
}

double RuleScorer::score(RuleScore which, const RuleCounts& rule) {
  in_text_ = rule.in_text;
  switch (which) {
    case RuleScore::kEgivenFCoherent:
      return std::log10(rule.samples / rule.pairs);
    case RuleScore::kSampleCountF:
      return std::log10(1 + rule.samples);
    case RuleScore::kCountEF:
      return std::log10(1 + rule.pairs);
    case RuleScore::kMaxLexFgivenE:
      return max_lexical(rule, true);
    case RuleScore::kMaxLexEgivenF:
      return max_lexical(rule, false);
    case RuleScore::kIsSingletonF:
      return std::abs(rule.extractions - 1) < 1e-6 ? 1 : 0;
    case RuleScore::kIsSingletonFE:
      return rule.pairs == 1 ? 1 : 0;
    case RuleScore::kLogProbEgivenF:
      return std::log(rule.share / rule.extractions);
    case RuleScore::kLogProbFgivenE:
      return std::log(
          std::min(1.0, rule.share * rule.occurrences / rule.samples / rule.target_matches));
    case RuleScore::kLogLexEgivenF:
      return mean_lexical(rule, false);
    case RuleScore::kLogLexFgivenE:
      return mean_lexical(rule, true);
    case RuleScore::kPostEditSupport:
      return rule.corrected > 0 ? 1 : 0;
    case RuleScore::kPostEditOnly:
      return rule.corrected > 0 && rule.text_pairs == 0 && knows(rule) ? 1 : 0;
    case RuleScore::kPostEditNew:
      return rule.corrected > 0 && rule.text_pairs == 0 && !knows(rule) ? 1 : 0;
    case RuleScore::kPostEditShare: {
      if (rule.corrections == 0) return 0;
      const double own = rule.corrected / rule.corrections;
      return std::log10((1 - kShare) + kShare * own / (rule.pairs / rule.samples));
    }
  }
  return 0;  // all are named above
}

}  // namespace hopefear
