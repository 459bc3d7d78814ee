// The strings of rules, of units and nonterminals.
#pragma once

#include "plugins/rule_cache.h"

namespace hopefear {

// Of each rule a unit's number, or -1 - k for the rule's nonterminal of index k.
using RuleStrings = IdRows<std::int32_t, std::int32_t>;

class RuleStringCache : public RuleCache {
 public:
  explicit RuleStringCache(std::int32_t lasting_rules) : RuleCache(lasting_rules) {
    known_.add({});  // no rule has string 0, which is kUnknown
  }

  // Stores the answer for missing(forest); returns the strings of all rules of the forest.
  RuleStrings attach(const Forest& forest, MissingRules missing, const RuleStrings& answer);

 private:
  RuleStrings known_;
};

}  // namespace hopefear
