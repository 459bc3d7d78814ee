#include "plugins/rule_attribute_cache.h"

#include <cassert>

namespace hopefear {

std::vector<std::int32_t> RuleAttributeCache::attributes(
    const Forest& forest, MissingRules missing,
    std::span<const std::span<const std::int32_t>> answers) {
  assert(missing.empty() || answers.size() == plugins_);
  const std::size_t rules = forest.rules.size();
  std::vector<std::int32_t> all(plugins_ * rules, 0);
  const std::lock_guard lock(mutex_);
  for (std::size_t i = 0; i < missing.size(); ++i) {
    const LocalRule local = missing.data()[i];
    for (std::size_t p = 0; p < plugins_; ++p) all[p * rules + place_of(local)] = answers[p][i];
    const std::int32_t lasting = forest.rule_space->lasting(forest.rules[local]);
    if (lasting == RuleSpace::kOwn) continue;
    for (std::size_t p = 0; p < plugins_; ++p) attributes_[place(lasting) + p] = answers[p][i];
    row_[lasting] = kKnown;
  }
  for (const LocalRule r : forest.rules.ids()) {
    if (forest.rules[r] == forest.goal_rule) continue;
    const std::int32_t lasting = forest.rule_space->lasting(forest.rules[r]);
    if (lasting == RuleSpace::kOwn) continue;
    for (std::size_t p = 0; p < plugins_; ++p)
      all[p * rules + place_of(r)] = attributes_[place(lasting) + p];
  }
  return all;
}

}  // namespace hopefear
