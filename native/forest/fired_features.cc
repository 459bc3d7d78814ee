#include "forest/fired_features.h"

namespace hopefear {
namespace {

// The rows that edges have; a rule's row is there because the rule is in use.
std::vector<Row> rows_in_use(const FeatureLayer& layer) {
  IdVector<Row, bool> seen(layer.rows(), false);
  std::vector<Row> rows;
  for (const Row row : layer.row) {
    if (row < 0 || seen[row]) continue;
    seen[row] = true;
    rows.push_back(row);
  }
  return rows;
}

}  // namespace

std::vector<FeatureId> fired_features(const Forest& forest) {
  thread_local IdVector<FeatureId, bool> seen;  // false throughout between two calls
  std::vector<FeatureId> fired;
  const auto add = [&](std::span<const FeatureId> features) {
    for (const FeatureId feature : features) {
      if (!seen.has(feature)) seen.resize(2 * feature + 1, false);
      if (!seen[feature]) fired.push_back(feature);
      seen[feature] = true;
    }
  };
  for (const Forest* f = &forest; f != nullptr; f = f->source.get()) {
    for (const FeatureLayer& layer : f->layers) {
      if (layer.item == FeatureLayer::Item::kLocalRule) {
        add(layer.features);
        continue;
      }
      for (const Row row : rows_in_use(layer)) add(layer.features_of(row));
    }
  }
  for (const FeatureId feature : fired) seen[feature] = false;
  return fired;
}

}  // namespace hopefear
