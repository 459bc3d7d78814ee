#include "plugins/rule_feature_cache.h"

#include <numeric>

namespace hopefear {
namespace {

// Appends the entries of row r, its columns turned into features.
void append_entries(const FeatureRows& rows, std::int32_t r, std::vector<FeatureId>& features,
                    std::vector<double>& values) {
  for (auto k = static_cast<std::size_t>(rows.indptr[static_cast<std::size_t>(r)]);
       k < static_cast<std::size_t>(rows.indptr[static_cast<std::size_t>(r) + 1]); ++k) {
    const FeatureId feature = rows.columns[static_cast<std::size_t>(rows.column[k])];
    if (feature < 0) continue;
    features.push_back(feature);
    values.push_back(rows.values[k]);
  }
}

}  // namespace

FeatureLayer edge_layer(const FeatureRows& rows, std::size_t items, std::size_t edges) {
  FeatureLayer layer;
  layer.row.reserve(edges);
  layer.row.assign(rows.row.begin(), rows.row.end());
  if (rows.row.empty()) {
    layer.row.resize(items);
    std::iota(layer.row.begin(), layer.row.end(), 0);
  }
  layer.row.resize(edges, -1);
  layer.features.resize(rows.column.size());
  bool all_kept = true;
  for (std::size_t k = 0; k < rows.column.size(); ++k) {
    layer.features[k] = rows.columns[static_cast<std::size_t>(rows.column[k])];
    all_kept &= layer.features[k] >= 0;
  }
  if (all_kept) {
    layer.indptr.assign(rows.indptr.begin(), rows.indptr.end());
    layer.values.assign(rows.values.begin(), rows.values.end());
    return layer;
  }
  layer.features.clear();
  for (std::size_t r = 0; r + 1 < rows.indptr.size(); ++r) {
    append_entries(rows, static_cast<std::int32_t>(r), layer.features, layer.values);
    layer.indptr.push_back(static_cast<std::int32_t>(layer.features.size()));
  }
  return layer;
}

void RuleFeatureCache::attach(Forest& forest, std::span<const std::int32_t> missing,
                              std::span<const FeatureRows> answers) {
  FeatureLayer layer;
  layer.item = FeatureLayer::Item::kLocalRule;
  layer.row.assign(forest.rules.size(), kNone);
  // Appends a row of what all plugins said of an item; kNone where they said nothing.
  const auto append_row = [&](std::size_t item, std::vector<std::int32_t>& indptr,
                              std::vector<FeatureId>& features, std::vector<double>& values) {
    const std::size_t before = features.size();
    for (const FeatureRows& answer : answers) {
      const std::int32_t r = answer.row_of(item);
      if (r >= 0) append_entries(answer, r, features, values);
    }
    if (features.size() == before) return kNone;
    indptr.push_back(static_cast<std::int32_t>(features.size()));
    return static_cast<std::int32_t>(indptr.size()) - 2;
  };
  const std::lock_guard lock(mutex_);
  for (std::size_t i = 0; i < missing.size(); ++i) {
    const auto local = static_cast<std::size_t>(missing[i]);
    const std::int32_t lasting = forest.rule_space->lasting(forest.rules[local]);
    if (lasting == RuleSpace::kOwn) {
      layer.row[local] = append_row(i, layer.indptr, layer.features, layer.values);
    } else if (std::int32_t& row = row_[static_cast<std::size_t>(lasting)]; row == kUnknown) {
      row =
          append_row(i, indptr_, features_, values_);  // unless another thread has asked meanwhile
    }
  }
  // Copies the rows of rules that are remembered; first finds their places, so that memory is
  // taken once and asked for ahead of its use.
  struct Known {
    std::size_t local;
    std::ptrdiff_t begin, end;
  };
  std::vector<Known> known;
  known.reserve(forest.rules.size());
  std::size_t entries = layer.features.size();
  for (std::size_t local = 0; local < forest.rules.size(); ++local) {
    const std::int32_t lasting = forest.rule_space->lasting(forest.rules[local]);
    if (lasting == RuleSpace::kOwn || row_[static_cast<std::size_t>(lasting)] <= 0) continue;
    const auto row = static_cast<std::size_t>(row_[static_cast<std::size_t>(lasting)]);
    known.push_back({local, indptr_[row], indptr_[row + 1]});
    entries += static_cast<std::size_t>(known.back().end - known.back().begin);
  }
  layer.indptr.reserve(layer.indptr.size() + known.size());
  layer.features.reserve(entries);
  layer.values.reserve(entries);
  for (std::size_t i = 0; i < known.size(); ++i) {
    constexpr std::size_t kAhead = 8;
    if (i + kAhead < known.size()) {
      __builtin_prefetch(features_.data() + known[i + kAhead].begin);
      __builtin_prefetch(values_.data() + known[i + kAhead].begin);
    }
    const auto& [local, begin, end] = known[i];
    layer.row[local] = static_cast<std::int32_t>(layer.indptr.size()) - 1;
    layer.features.insert(layer.features.end(), features_.begin() + begin, features_.begin() + end);
    layer.values.insert(layer.values.end(), values_.begin() + begin, values_.begin() + end);
    layer.indptr.push_back(static_cast<std::int32_t>(layer.features.size()));
  }
  forest.layers.push_back(std::move(layer));
}

}  // namespace hopefear
