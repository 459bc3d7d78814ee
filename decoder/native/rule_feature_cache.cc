#include "rule_feature_cache.h"

namespace hopefear {
namespace {

// Appends row r to CSR arrays, its columns turned into features.
void append_row(const FeatureRows& rows, std::int32_t r, std::vector<std::int32_t>& indptr,
                std::vector<FeatureId>& features, std::vector<double>& values) {
  for (auto k = static_cast<std::size_t>(rows.indptr[static_cast<std::size_t>(r)]);
       k < static_cast<std::size_t>(rows.indptr[static_cast<std::size_t>(r) + 1]); ++k) {
    features.push_back(rows.columns[static_cast<std::size_t>(rows.column[k])]);
    values.push_back(rows.values[k]);
  }
  indptr.push_back(static_cast<std::int32_t>(features.size()));
}

}  // namespace

FeatureLayer edge_layer(const FeatureRows& rows, std::size_t items, std::size_t edges) {
  FeatureLayer layer;
  layer.row.assign(edges, -1);
  for (std::size_t e = 0; e < items; ++e) layer.row[e] = rows.row_of(e);
  layer.indptr.assign(rows.indptr.begin(), rows.indptr.end());
  layer.values.assign(rows.values.begin(), rows.values.end());
  layer.features.reserve(rows.column.size());
  for (const std::int32_t c : rows.column)
    layer.features.push_back(rows.columns[static_cast<std::size_t>(c)]);
  return layer;
}

std::vector<std::int32_t> RuleFeatureCache::missing(const Forest& forest) const {
  std::vector<std::int32_t> missing;
  const std::lock_guard lock(mutex_);
  for (std::size_t r = 0; r < forest.rules.size(); ++r) {
    const std::uint32_t id = forest.rules[r];
    if (id == forest.goal_rule) continue;  // no rule of the grammar
    if (id >= row_.size() || row_[id] == kUnknown) missing.push_back(static_cast<std::int32_t>(r));
  }
  return missing;
}

void RuleFeatureCache::attach(Forest& forest, std::span<const std::int32_t> missing,
                              const FeatureRows& answer) {
  FeatureLayer layer;
  layer.item = FeatureLayer::Item::kLocalRule;
  layer.row.assign(forest.rules.size(), kNone);
  const std::lock_guard lock(mutex_);
  for (std::size_t i = 0; i < missing.size(); ++i) {
    const auto local = static_cast<std::size_t>(missing[i]);
    const std::uint32_t id = forest.rules[local];
    const std::int32_t r = answer.row_of(i);
    if (id >= row_.size()) {
      if (r < 0) continue;
      layer.row[local] = static_cast<std::int32_t>(layer.indptr.size()) - 1;
      append_row(answer, r, layer.indptr, layer.features, layer.values);
    } else if (row_[id] == kUnknown) {  // another thread may have asked meanwhile
      row_[id] = r < 0 ? kNone : static_cast<std::int32_t>(indptr_.size()) - 1;
      if (r >= 0) append_row(answer, r, indptr_, features_, values_);
    }
  }
  layer.indptr.reserve(forest.rules.size() + 1);
  layer.features.reserve(forest.rules.size());
  layer.values.reserve(forest.rules.size());
  for (std::size_t local = 0; local < forest.rules.size(); ++local) {
    const std::uint32_t id = forest.rules[local];
    if (id >= row_.size() || row_[id] < 0) continue;
    layer.row[local] = static_cast<std::int32_t>(layer.indptr.size()) - 1;
    const auto row = static_cast<std::size_t>(row_[id]);
    for (auto k = static_cast<std::size_t>(indptr_[row]);
         k < static_cast<std::size_t>(indptr_[row + 1]); ++k) {
      layer.features.push_back(features_[k]);
      layer.values.push_back(values_[k]);
    }
    layer.indptr.push_back(static_cast<std::int32_t>(layer.features.size()));
  }
  forest.layers.push_back(std::move(layer));
}

}  // namespace hopefear
