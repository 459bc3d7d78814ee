// The attributes that edge plugins give to rules, stored so that a plugin is asked once for each
// rule. Rules that belong to one sentence are asked about each time.
#pragma once

#include <cstdint>
#include <mutex>
#include <span>
#include <vector>

#include "forest/forest.h"

namespace hopefear {

class RuleAttributeCache {
 public:
  RuleAttributeCache(std::size_t lasting_rules, std::size_t plugins)
      : plugins_(plugins), known_(lasting_rules, false), attributes_(plugins * lasting_rules) {}

  std::size_t plugins() const { return plugins_; }
  // The forest's rules (indices into forest.rules) that the plugins must be asked about.
  std::vector<std::int32_t> missing(const Forest& forest) const;
  // Stores the answers for missing(forest), one from each plugin; returns the attributes of the
  // forest's rules, plugin by plugin. The goal's own rule has 0.
  std::vector<std::int32_t> attributes(const Forest& forest, std::span<const std::int32_t> missing,
                                       std::span<const std::span<const std::int32_t>> answers);

 private:
  const std::size_t plugins_;
  mutable std::mutex mutex_;
  std::vector<bool> known_;               // by lasting number
  std::vector<std::int32_t> attributes_;  // a row for each lasting number, a column for each plugin
};

}  // namespace hopefear
