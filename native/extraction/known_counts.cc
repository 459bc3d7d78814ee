#include "extraction/known_counts.h"

#include <algorithm>
#include <cmath>

namespace hopefear {
namespace {

// Where a feature is: its column in the rules, and its number in the grammar.
struct CountColumn {
  std::size_t column;
  FeatureId feature;
};

std::optional<CountColumn> count_column(const SentenceGrammar& rules, const Weights& weights,
                                        std::string_view name) {
  const auto found = std::ranges::find(rules.features, name);
  const FeatureId feature = weights.find(name);
  if (found == rules.features.end() || feature < 0) return std::nullopt;
  return CountColumn{id_at(rules.features, found), feature};
}

double value_of(const Rule& rule, FeatureId feature) {
  const auto found = std::ranges::find(rule.features, feature);
  return found == rule.features.end() ? 0 : double{rule.values[id_at(rule.features, found)]};
}

double count_of(double logarithm) { return std::pow(10.0, logarithm) - 1; }

}  // namespace

void add_counts(const Grammar& known, const Weights& weights, const LexicalTable& links,
                SentenceGrammar& rules) {
  const auto samples_at = count_column(rules, weights, "SampleCountF");
  const auto pairs_at = count_column(rules, weights, "CountEF");
  const auto coherent_at = count_column(rules, weights, "EgivenFCoherent");
  const auto single_at = count_column(rules, weights, "IsSingletonF");
  const auto single_rule_at = count_column(rules, weights, "IsSingletonFE");
  const auto source_lexical_at = count_column(rules, weights, "MaxLexFgivenE");
  const auto target_lexical_at = count_column(rules, weights, "MaxLexEgivenF");
  const auto column_of = [&rules](std::string_view name) {
    return id_at(rules.features, std::ranges::find(rules.features, name));
  };
  const std::size_t only_at = column_of("PostEditOnly"), new_at = column_of("PostEditNew");
  const Interner& words = *known.vocabulary().words;
  const Symbol category = known.vocabulary().categories->find(rules.category);
  if (category < 0) return;
  IdVector<Symbol, Symbol> number;
  for (const std::string& word : rules.words) number.push_back(words.find(word));
  const auto word_of = [&](Symbol symbol) { return number[symbol - 1]; };

  std::vector<Symbol> target;
  for (std::size_t r = 0; r < rules.size(); ++r) {
    const SentenceGrammar::Item& item = rules.rules[r];
    double* const values = rules.values.data() + r * rules.features.size();
    if (only_at < rules.features.size() && new_at < rules.features.size()) {
      const bool knows = std::ranges::all_of(rules.source(item), [&](Symbol symbol) {
        return symbol <= 0 || (word_of(symbol) >= 0 && links.source(word_of(symbol)) > 0);
      });
      values[knows ? only_at : new_at] += values[knows ? new_at : only_at];
      values[knows ? new_at : only_at] = 0;
    }
    if (!samples_at || !pairs_at) continue;
    const double own_samples = count_of(values[samples_at->column]);
    const double own_pairs = count_of(values[pairs_at->column]);
    Grammar::Node node = known.root();
    for (const Symbol symbol : rules.source(item)) {
      const Symbol wanted = symbol > 0 ? word_of(symbol) : -category;
      node =
          wanted == Interner::kUnknown && symbol > 0 ? Grammar::kNoNode : known.child(node, wanted);
      if (node == Grammar::kNoNode) break;
    }
    double samples = own_samples, pairs = own_pairs;
    if (node != Grammar::kNoNode) {
      target.clear();
      for (const Symbol symbol : rules.target(item))
        target.push_back(symbol > 0 ? word_of(symbol) : symbol);
      const RuleRange range = known.rules(node);
      if (range.begin < range.end)
        samples += count_of(value_of(known.rule(range.begin), samples_at->feature));
      for (std::uint32_t id = range.begin; id < range.end; ++id) {
        if (std::ranges::equal(known.target(id), target))
          pairs += count_of(value_of(known.rule(id), pairs_at->feature));
      }
    }
    values[samples_at->column] = std::log10(1 + samples);
    values[pairs_at->column] = std::log10(1 + pairs);
    if (coherent_at) values[coherent_at->column] = std::log10(samples / pairs);
    if (single_at && samples > own_samples) values[single_at->column] = 0;
    if (single_rule_at && pairs > own_pairs) values[single_rule_at->column] = 0;

    const auto linked = [&](std::size_t i, std::size_t j) {
      return std::ranges::any_of(rules.alignment(item), [&](AlignmentPoint point) {
        return point.source == i && point.target == j;
      });
    };
    // Sums over the words of one side; `source` says which.
    const auto lexical = [&](bool source) {
      const std::span<const Symbol> own = source ? rules.source(item) : rules.target(item);
      const std::span<const Symbol> other = source ? rules.target(item) : rules.source(item);
      double sum = 0;
      for (std::size_t i = 0; i < own.size(); ++i) {
        if (own[i] <= 0) continue;
        const Symbol word = word_of(own[i]);
        const double alone =
            source ? links.target(LexicalTable::kNull) : links.source(LexicalTable::kNull);
        double best = word < 0 || alone == 0 ? 0
                                             : (source ? links.pair(word, LexicalTable::kNull)
                                                       : links.pair(LexicalTable::kNull, word)) /
                                                   alone;
        bool is_linked = false;
        for (std::size_t j = 0; j < other.size(); ++j) {
          if (other[j] <= 0) continue;
          const Symbol given = word_of(other[j]);
          const double more = linked(source ? i : j, source ? j : i) ? own_pairs : 0;
          is_linked |= more > 0;
          const double both = word < 0 || given < 0 ? 0
                              : source              ? links.pair(word, given)
                                                    : links.pair(given, word);
          const double all = given < 0 ? 0 : source ? links.target(given) : links.source(given);
          if (all + more > 0) best = std::max(best, (both + more) / (all + more));
        }
        // What is said of a word that neither has a link, is left as it is: nothing.
        if (best > 0)
          sum -= std::log10(best);
        else if (is_linked)
          sum += 99;
      }
      return sum;
    };
    if (source_lexical_at) values[source_lexical_at->column] = lexical(true);
    if (target_lexical_at) values[target_lexical_at->column] = lexical(false);
  }
}

}  // namespace hopefear
