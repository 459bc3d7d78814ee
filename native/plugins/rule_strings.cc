#include "plugins/rule_strings.h"

namespace hopefear {

RuleStrings RuleStringCache::attach(const Forest& forest, std::span<const std::int32_t> missing,
                                    const RuleStrings& answer) {
  RuleStrings strings;
  std::size_t i = 0;  // in `missing`, which ascends
  const std::lock_guard lock(mutex_);
  for (std::size_t r = 0; r < forest.rules.size(); ++r) {
    const std::int32_t lasting = forest.rule_space->lasting(forest.rules[r]);
    if (i < missing.size() && static_cast<std::size_t>(missing[i]) == r) {
      const std::span<const std::int32_t> string = answer.of(static_cast<std::int32_t>(i++));
      strings.add(string);
      if (lasting == RuleSpace::kOwn) continue;
      std::int32_t& row = row_[static_cast<std::size_t>(lasting)];
      if (row != kUnknown) continue;  // another thread has asked meanwhile
      row = static_cast<std::int32_t>(known_.indptr.size()) - 1;
      known_.add(string);
    } else if (forest.rules[r] == forest.goal_rule) {
      strings.add({});
    } else {
      strings.add(known_.of(row_[static_cast<std::size_t>(lasting)]));
    }
  }
  return strings;
}

}  // namespace hopefear
