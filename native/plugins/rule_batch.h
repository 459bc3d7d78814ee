// Rules as plugins receive them.
#pragma once

#include <mutex>

#include "forest/forest.h"

namespace hopefear {

// cdec's rule identity names, R:LHS:source:target, made when they are read: words are joined by _,
// a nonterminal is N and its category on the source side, N and its number on the target side.
class IndicatorNames {
 public:
  // `locals` are indices into forest->rules.
  IndicatorNames(std::shared_ptr<const Forest> forest, std::vector<LocalRule> locals,
                 std::string prefix);

  std::size_t size() const { return locals_.size(); }
  std::string name(std::size_t i) const;
  std::vector<FeatureId> intern(Weights& weights) const;

 private:
  void append(std::size_t i, std::string& out) const;

  std::shared_ptr<const Forest> forest_;
  std::vector<LocalRule> locals_;
  std::string prefix_;
};

class RuleBatch {
 public:
  // `locals` are indices into forest->rules; the weights know the names of the rules' features.
  RuleBatch(std::shared_ptr<const Forest> forest, std::span<const LocalRule> locals,
            std::shared_ptr<const Weights> weights)
      : forest_(std::move(forest)),
        locals_(locals.begin(), locals.end()),
        weights_(std::move(weights)) {}

  std::size_t size() const { return locals_.size(); }
  // Text of a word (> 0) or of a category (< 0), empty where there is none of that number.
  std::string_view symbol(Symbol id) const;
  // Words from this number on belong to this sentence; other sentences reuse these numbers.
  Symbol first_own_symbol() const { return forest_->vocabulary->words->first(); }
  std::int64_t vocabulary() const { return forest_->vocabulary->number; }
  // The value of a feature of the grammar for each rule, 0 if the rule does not have it.
  std::vector<double> feature_values(std::string_view name) const;
  IndicatorNames indicator_names(std::string prefix) const {
    return {forest_, locals_, std::move(prefix)};
  }

  // A pair of nonterminals, linked across the two sides of a rule.
  struct Nonterminal {
    std::int32_t rule;  // in this batch
    std::int32_t index, source, target;
    std::int32_t crosses;  // 1 where the link crosses that of another pair, or a word link
  };
  static_assert(sizeof(Nonterminal) == 5 * sizeof(std::int32_t));

  struct Arrays {
    struct Link {
      std::int32_t source, target;
    };
    std::vector<std::int32_t> ids, lhs;
    IdRows<std::int32_t, Symbol> source, target;
    IdRows<std::int32_t, Link> alignment;
    std::vector<Nonterminal> nonterminals;
  };
  // Computed when first read.
  const Arrays& arrays() const;

 private:
  void lay_out() const;
  void lay_out_nonterminals(const Rule& rule, std::span<const Symbol> source) const;

  std::shared_ptr<const Forest> forest_;
  std::vector<LocalRule> locals_;
  std::shared_ptr<const Weights> weights_;
  mutable std::once_flag once_;
  mutable Arrays arrays_;
};

}  // namespace hopefear
