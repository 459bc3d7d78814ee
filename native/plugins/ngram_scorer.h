// n-grams of the string of a derivation, as features with a state.
//
// N-grams within a rule are features of the rule in every derivation. N-grams across the borders of
// its nonterminals are fired by the scorer: an edge fires those that it completes. The state of a
// node is the first and the last n - 1 units of its string.
#pragma once

#include "plugins/ngram_table.h"
#include "plugins/rule_caches.h"
#include "search/scorer.h"

namespace hopefear {

// The n-grams within each of some strings, as features.
using RuleNgrams = IdRows<std::int32_t, FeatureId>;
RuleNgrams ngrams_in_rules(NgramTable& table, const RuleStrings& strings);

// Of one sentence: `strings` are those of its forest's rules.
class NgramScorer final : public StatefulScorer {
 public:
  NgramScorer(std::shared_ptr<NgramTable> table, RuleStrings strings)
      : table_(std::move(table)), strings_(std::move(strings)) {}

  std::size_t state_size() const override;
  bool leaves_marks() const override { return true; }
  std::unique_ptr<SentenceScorer> begin(const Forest& forest, const double* weights) const override;

 private:
  std::shared_ptr<NgramTable> table_;
  RuleStrings strings_;
};

}  // namespace hopefear
