#include "rule_attribute_cache.h"

#include <cassert>

namespace hopefear {

std::vector<std::int32_t> RuleAttributeCache::missing(const Forest& forest) const {
  std::vector<std::int32_t> missing;
  const std::lock_guard lock(mutex_);
  for (std::size_t r = 0; r < forest.rules.size(); ++r) {
    const std::uint32_t id = forest.rules[r];
    if (id == forest.goal_rule) continue;  // no rule of the grammar
    const std::int32_t lasting = forest.rule_space->lasting(id);
    if (lasting == RuleSpace::kOwn || !known_[static_cast<std::size_t>(lasting)])
      missing.push_back(static_cast<std::int32_t>(r));
  }
  return missing;
}

std::vector<std::int32_t> RuleAttributeCache::attributes(const Forest& forest,
                                                         std::span<const std::int32_t> missing,
                                                         std::span<const std::int32_t> answer) {
  assert(missing.size() == answer.size());
  std::vector<std::int32_t> of_rule(forest.rules.size(), 0);
  {
    const std::lock_guard lock(mutex_);
    for (std::size_t i = 0; i < missing.size(); ++i) {
      const auto local = static_cast<std::size_t>(missing[i]);
      const std::int32_t lasting = forest.rule_space->lasting(forest.rules[local]);
      of_rule[local] = answer[i];
      if (lasting == RuleSpace::kOwn) continue;
      known_[static_cast<std::size_t>(lasting)] = true;
      attribute_[static_cast<std::size_t>(lasting)] = answer[i];
    }
    for (std::size_t r = 0; r < of_rule.size(); ++r) {
      const std::int32_t lasting = forest.rule_space->lasting(forest.rules[r]);
      if (lasting != RuleSpace::kOwn) of_rule[r] = attribute_[static_cast<std::size_t>(lasting)];
    }
  }
  std::vector<std::int32_t> of_edge(
      forest.edges() == 0 ? 0 : static_cast<std::size_t>(forest.edges()) - 1);
  for (std::size_t e = 0; e < of_edge.size(); ++e) {
    of_edge[e] = of_rule[static_cast<std::size_t>(forest.local_rule[e])];
  }
  return of_edge;
}

}  // namespace hopefear
