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

using MissingRules = IdSpan<std::int32_t, const LocalRule>;  // which plugins are asked about

class RuleCache {
 public:
  // The forest's rules (indices into forest.rules) that the plugins must be asked about; the goal's
  // own rule is no rule of the grammar.
  IdVector<std::int32_t, LocalRule> missing(const Forest& forest) const {
    IdVector<std::int32_t, LocalRule> found;
    const std::lock_guard lock(mutex_);
    for (const LocalRule r : forest.rules.ids()) {
      if (forest.rules[r] == forest.goal_rule) continue;
      const std::int32_t lasting = forest.rule_space->lasting(forest.rules[r]);
      if (lasting == RuleSpace::kOwn || row_[lasting] == kUnknown) found.push_back(r);
    }
    return found;
  }

 protected:
  static constexpr std::int32_t kUnknown = 0;

  explicit RuleCache(std::int32_t lasting_rules) : row_(lasting_rules) {}

  mutable std::mutex mutex_;
  LazyArray<std::int32_t, std::int32_t> row_;  // of what is stored, by lasting number
};

}  // namespace hopefear
