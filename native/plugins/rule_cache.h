// What plugins say of rules, stored so that a plugin is asked once for each rule. Rules that belong
// to one sentence are asked about each time.
#pragma once

#include <cstdint>
#include <mutex>
#include <span>
#include <vector>

#include "base/lazy_array.h"
#include "forest/forest.h"

namespace hopefear {

class RuleCache {
 public:
  // The forest's rules (indices into forest.rules) that the plugins must be asked about; the goal's
  // own rule is no rule of the grammar.
  std::vector<std::int32_t> missing(const Forest& forest) const {
    std::vector<std::int32_t> found;
    const std::lock_guard lock(mutex_);
    for (std::size_t r = 0; r < forest.rules.size(); ++r) {
      if (forest.rules[r] == forest.goal_rule) continue;
      const std::int32_t lasting = forest.rule_space->lasting(forest.rules[r]);
      if (lasting == RuleSpace::kOwn || row_[static_cast<std::size_t>(lasting)] == kUnknown)
        found.push_back(static_cast<std::int32_t>(r));
    }
    return found;
  }

 protected:
  static constexpr std::int32_t kUnknown = 0;

  explicit RuleCache(std::size_t lasting_rules) : row_(lasting_rules) {}

  mutable std::mutex mutex_;
  LazyArray<std::int32_t> row_;  // of what is stored, by lasting number
};

}  // namespace hopefear
