// The attributes that edge plugins give to rules.
#pragma once

#include "plugins/rule_cache.h"

namespace hopefear {

class RuleAttributeCache : public RuleCache {
 public:
  RuleAttributeCache(std::int32_t lasting_rules, std::size_t plugins)
      : RuleCache(lasting_rules),
        plugins_(plugins),
        attributes_(plugins * place_of(lasting_rules)) {}

  std::size_t plugins() const { return plugins_; }
  // Stores the answers for missing(forest), one from each plugin; returns the attributes of the
  // forest's rules, plugin by plugin. The goal's own rule has 0.
  std::vector<std::int32_t> attributes(const Forest& forest, MissingRules missing,
                                       std::span<const std::span<const std::int32_t>> answers);

 private:
  static constexpr std::int32_t kKnown = 1;

  // Where the answers to a rule begin.
  std::size_t place(std::int32_t lasting) const { return place_of(lasting) * plugins_; }

  const std::size_t plugins_;
  LazyArray<std::size_t, std::int32_t>
      attributes_;  // a row for each lasting number, a column for each plugin
};

}  // namespace hopefear
