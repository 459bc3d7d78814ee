// The strings of rules, of units and nonterminals.
#pragma once

#include "plugins/rule_cache.h"

namespace hopefear {

// Strings as CSR: a unit's number, or -1 - k for a rule's nonterminal of index k.
struct RuleStrings {
  std::vector<std::int32_t> indptr{0}, symbols;

  std::span<const std::int32_t> of(std::int32_t r) const {
    const auto i = static_cast<std::size_t>(r);
    return {symbols.data() + indptr[i], symbols.data() + indptr[i + 1]};
  }
  void add(std::span<const std::int32_t> string) {
    symbols.insert(symbols.end(), string.begin(), string.end());
    indptr.push_back(static_cast<std::int32_t>(symbols.size()));
  }
};

class RuleStringCache : public RuleCache {
 public:
  explicit RuleStringCache(std::size_t lasting_rules) : RuleCache(lasting_rules) {
    known_.add({});  // no rule has string 0, which is kUnknown
  }

  // Stores the answer for missing(forest); returns the strings of all rules of the forest.
  RuleStrings attach(const Forest& forest, std::span<const std::int32_t> missing,
                     const RuleStrings& answer);

 private:
  RuleStrings known_;
};

}  // namespace hopefear
