// The answers of rule plugins.
#pragma once

#include "plugins/rule_cache.h"

namespace hopefear {

// Dictionary-encoded rows of a plugin's answer: item i has row[i], or row i if `row` is empty.
struct FeatureRows {
  std::span<const FeatureId> columns;  // feature numbers by the plugin's column, -1 where dropped
  std::span<const std::int32_t> indptr, column;
  std::span<const double> values;
  std::span<const std::int32_t> row;

  std::int32_t row_of(std::size_t i) const {
    return row.empty() ? static_cast<std::int32_t>(i) : row[i];
  }
};

// The rows of the first `items` edges as a layer over all; on the others nothing fires.
FeatureLayer edge_layer(const FeatureRows& rows, std::size_t items, std::size_t edges);

class RuleFeatureCache : public RuleCache {
 public:
  explicit RuleFeatureCache(std::size_t lasting_rules) : RuleCache(lasting_rules) {}

  // Stores the answers for missing(forest), one from each plugin, and adds a layer with the answers
  // for all rules to the forest.
  void attach(Forest& forest, std::span<const std::int32_t> missing,
              std::span<const FeatureRows> answers);

 private:
  static constexpr std::int32_t kNone = -1;

  std::vector<std::int32_t> indptr_{0, 0};  // no rule has row 0, which is kUnknown
  std::vector<FeatureId> features_;
  std::vector<double> values_;
};

}  // namespace hopefear
