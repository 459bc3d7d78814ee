#include "plugins/rule_strings.h"

namespace hopefear {

RuleStrings RuleStringCache::attach(const Forest& forest, MissingRules missing,
                                    const RuleStrings& answer) {
  RuleStrings strings;
  std::int32_t next = 0;  // in `missing`, which ascends
  const std::lock_guard lock(mutex_);
  for (const LocalRule r : forest.rules.ids()) {
    const std::int32_t lasting = forest.rule_space->lasting(forest.rules[r]);
    if (next < missing.count() && missing[next] == r) {
      const std::span<const std::int32_t> string = answer[next++];
      strings.add(string);
      if (lasting == RuleSpace::kOwn) continue;
      std::int32_t& row = row_[lasting];
      if (row != kUnknown) continue;  // another thread has asked meanwhile
      row = known_.count();
      known_.add(string);
    } else if (forest.rules[r] == forest.goal_rule) {
      strings.add({});
    } else {
      strings.add(known_[row_[lasting]]);
    }
  }
  return strings;
}

}  // namespace hopefear
