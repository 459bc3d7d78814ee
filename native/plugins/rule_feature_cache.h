// The answers of rule plugins.
#pragma once

#include "plugins/rule_cache.h"

namespace hopefear {

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

}  // namespace hopefear
