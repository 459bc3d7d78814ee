// What plugins say of rules, stored so that a plugin is asked once for each rule: features,
// attributes and strings. Rules that belong to one sentence are asked about each time.
#pragma once

#include <mutex>

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

// Dictionary-encoded rows of a plugin's answer: item i has row[i], or row i if `row` is empty.
struct FeatureRows {
  // Feature numbers by the plugin's column, -1 where dropped.
  IdSpan<std::int32_t, const FeatureId> columns;
  IdSpan<Row, const std::int32_t> indptr;
  IdSpan<std::int32_t, const std::int32_t> column;
  IdSpan<std::int32_t, const double> values;
  IdSpan<std::int32_t, const Row> row;

  Row rows() const { return indptr.count() - 1; }
  Row row_of(std::int32_t i) const { return row.empty() ? i : row[i]; }
  FeatureId feature(std::int32_t entry) const { return columns[column[entry]]; }
  auto entries(Row r) const { return ids(indptr[r], indptr[r + 1]); }
};

// The rows of the first `items` edges as a layer over all; on the others nothing fires.
FeatureLayer edge_layer(const FeatureRows& rows, EdgeId items, EdgeId edges);

// The answers of rule plugins.
class RuleFeatureCache : public RuleCache {
 public:
  explicit RuleFeatureCache(std::int32_t lasting_rules) : RuleCache(lasting_rules) {
    known_.close();  // no rule has row 0, which is kUnknown
  }

  // Stores the answers for missing(forest), one from each plugin, and adds a layer with the answers
  // for all rules to the forest.
  void attach(Forest& forest, MissingRules missing, std::span<const FeatureRows> answers);

 private:
  static constexpr std::int32_t kNone = -1;

  FeatureLayer known_;
};

// The attributes that edge plugins give to rules.
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

// Strings of units and nonterminals: of each rule a unit's number, or -1 - k for the rule's
// nonterminal of index k.
using RuleStrings = IdRows<std::int32_t, std::int32_t>;

class RuleStringCache : public RuleCache {
 public:
  explicit RuleStringCache(std::int32_t lasting_rules) : RuleCache(lasting_rules) {
    known_.add({});  // no rule has string 0, which is kUnknown
  }

  // Stores the answer for missing(forest); returns the strings of all rules of the forest.
  RuleStrings attach(const Forest& forest, MissingRules missing, const RuleStrings& answer);

 private:
  RuleStrings known_;
};

}  // namespace hopefear
