#include "forest/fired_features.h"

namespace hopefear {
namespace {

// The rows that edges have; a rule's row is there because the rule is in use.
std::vector<std::int32_t> rows_in_use(const FeatureLayer& layer) {
  std::vector<bool> seen(layer.indptr.size(), false);
  std::vector<std::int32_t> rows;
  for (const std::int32_t row : layer.row) {
    if (row < 0 || seen[static_cast<std::size_t>(row)]) continue;
    seen[static_cast<std::size_t>(row)] = true;
    rows.push_back(row);
  }
  return rows;
}

}  // namespace

std::vector<FeatureId> fired_features(const Forest& forest) {
  thread_local std::vector<bool> seen;  // false throughout between two calls
  std::vector<FeatureId> fired;
  const auto add = [&](std::span<const FeatureId> features) {
    for (const FeatureId feature : features) {
      const auto i = static_cast<std::size_t>(feature);
      if (i >= seen.size()) seen.resize(2 * i + 1, false);
      if (!seen[i]) fired.push_back(feature);
      seen[i] = true;
    }
  };
  for (const Forest* f = &forest; f != nullptr; f = f->source.get()) {
    for (const FeatureLayer& layer : f->layers) {
      if (layer.item == FeatureLayer::Item::kLocalRule) {
        add(layer.features);
        continue;
      }
      for (const std::int32_t row : rows_in_use(layer)) {
        const auto begin = static_cast<std::size_t>(layer.indptr[static_cast<std::size_t>(row)]);
        const auto end = static_cast<std::size_t>(layer.indptr[static_cast<std::size_t>(row) + 1]);
        add(std::span(layer.features).subspan(begin, end - begin));
      }
    }
  }
  for (const FeatureId feature : fired) seen[static_cast<std::size_t>(feature)] = false;
  return fired;
}

}  // namespace hopefear
