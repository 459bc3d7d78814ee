// The number that an edge plugin gives each rule, so that it is asked once a rule. Rules of one
// sentence only are asked about each time.
#pragma once

#include <cstdint>
#include <mutex>
#include <span>
#include <vector>

#include "forest.h"

namespace hopefear {

class RuleAttributeCache {
 public:
  explicit RuleAttributeCache(std::size_t lasting_rules)
      : known_(lasting_rules, false), attribute_(lasting_rules, 0) {}

  // The forest's rules (indices into forest.rules) that the plugin must be asked about.
  std::vector<std::int32_t> missing(const Forest& forest) const;
  // Takes in the answer for missing(forest); gives the attribute of each edge but the goal's own.
  std::vector<std::int32_t> attributes(const Forest& forest, std::span<const std::int32_t> missing,
                                       std::span<const std::int32_t> answer);

 private:
  mutable std::mutex mutex_;
  std::vector<bool> known_;  // by lasting number
  std::vector<std::int32_t> attribute_;
};

}  // namespace hopefear
