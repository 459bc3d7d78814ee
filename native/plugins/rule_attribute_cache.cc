#include "plugins/rule_attribute_cache.h"

#include <cassert>

namespace hopefear {

std::vector<std::int32_t> RuleAttributeCache::attributes(
    const Forest& forest, std::span<const std::int32_t> missing,
    std::span<const std::span<const std::int32_t>> answers) {
  assert(missing.empty() || answers.size() == plugins_);
  const std::size_t rules = forest.rules.size();
  std::vector<std::int32_t> all(plugins_ * rules, 0);
  const std::lock_guard lock(mutex_);
  for (std::size_t i = 0; i < missing.size(); ++i) {
    const auto local = static_cast<std::size_t>(missing[i]);
    for (std::size_t p = 0; p < plugins_; ++p) all[p * rules + local] = answers[p][i];
    const std::int32_t lasting = forest.rule_space->lasting(forest.rules[local]);
    if (lasting == RuleSpace::kOwn) continue;
    const auto row = static_cast<std::size_t>(lasting);
    for (std::size_t p = 0; p < plugins_; ++p) attributes_[row * plugins_ + p] = answers[p][i];
    row_[row] = kKnown;
  }
  for (std::size_t r = 0; r < rules; ++r) {
    if (forest.rules[r] == forest.goal_rule) continue;
    const std::int32_t lasting = forest.rule_space->lasting(forest.rules[r]);
    if (lasting == RuleSpace::kOwn) continue;
    const std::int32_t* const row =
        attributes_.data() + static_cast<std::size_t>(lasting) * plugins_;
    for (std::size_t p = 0; p < plugins_; ++p) all[p * rules + r] = row[p];
  }
  return all;
}

}  // namespace hopefear
