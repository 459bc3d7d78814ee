#include "plugins/rule_caches.h"

namespace hopefear {
namespace {

// Appends the entries of row r, its columns turned into features.
void append_entries(const FeatureRows& rows, Row r, FeatureLayer& layer) {
  for (const std::int32_t k : rows.entries(r)) {
    const FeatureId feature = rows.feature(k);
    if (feature < 0) continue;
    layer.features.push_back(feature);
    layer.values.push_back(rows.values[k]);
  }
}

}  // namespace

FeatureLayer edge_layer(const FeatureRows& rows, EdgeId items, EdgeId edges) {
  FeatureLayer layer;
  layer.row.reserve(edges);
  layer.row.assign(rows.row.begin(), rows.row.end());
  if (rows.row.empty()) {
    layer.row.resize(items);
    std::iota(layer.row.begin(), layer.row.end(), 0);
  }
  layer.row.resize(edges, -1);
  layer.features.resize(rows.column.count());
  bool all_kept = true;
  for (const std::int32_t k : rows.column.ids()) {
    layer.features[k] = rows.feature(k);
    all_kept &= layer.features[k] >= 0;
  }
  if (all_kept) {
    layer.indptr.assign(rows.indptr.begin(), rows.indptr.end());
    layer.values.assign(rows.values.begin(), rows.values.end());
    return layer;
  }
  layer.features.clear();
  for (Row r = 0; r < rows.rows(); ++r) {
    append_entries(rows, r, layer);
    layer.close();
  }
  return layer;
}

void RuleFeatureCache::attach(Forest& forest, MissingRules missing,
                              std::span<const FeatureRows> answers) {
  FeatureLayer layer;
  layer.item = FeatureLayer::Item::kLocalRule;
  layer.row.assign(forest.rules.count(), kNone);
  // Appends a row of what all plugins said of an item; kNone where they said nothing.
  const auto append_row = [&](std::int32_t item, FeatureLayer& to) {
    const std::int32_t before = to.features.count();
    for (const FeatureRows& answer : answers) {
      const Row r = answer.row_of(item);
      if (r >= 0) append_entries(answer, r, to);
    }
    return to.features.count() == before ? kNone : to.close();
  };
  const std::lock_guard lock(mutex_);
  for (const std::int32_t i : missing.ids()) {
    const std::int32_t lasting = forest.rule_space->lasting(forest.rules[missing[i]]);
    if (lasting == RuleSpace::kOwn) {
      layer.row[missing[i]] = append_row(i, layer);
    } else if (Row& row = row_[lasting]; row == kUnknown) {
      row = append_row(i, known_);  // unless another thread has asked meanwhile
    }
  }
  // Copies the rows of rules that are remembered; first finds their places, so that memory is
  // taken once and asked for ahead of its use.
  struct Known {
    LocalRule local;
    std::int32_t begin, end;
  };
  std::vector<Known> known;
  known.reserve(forest.rules.size());
  std::int32_t entries = layer.features.count();
  for (const LocalRule local : forest.rules.ids()) {
    const std::int32_t lasting = forest.rule_space->lasting(forest.rules[local]);
    if (lasting == RuleSpace::kOwn || row_[lasting] <= 0) continue;
    known.push_back({local, known_.indptr[row_[lasting]], known_.indptr[row_[lasting] + 1]});
    entries += known.back().end - known.back().begin;
  }
  layer.indptr.reserve(layer.indptr.size() + known.size());
  layer.features.reserve(entries);
  layer.values.reserve(entries);
  for (std::size_t i = 0; i < known.size(); ++i) {
    constexpr std::size_t kAhead = 8;
    if (i + kAhead < known.size()) {
      __builtin_prefetch(known_.features.data() + known[i + kAhead].begin);
      __builtin_prefetch(known_.values.data() + known[i + kAhead].begin);
    }
    const auto& [local, begin, end] = known[i];
    const auto copy = [&](const auto& from, auto& to) {
      to.insert(to.end(), from.begin() + begin, from.begin() + end);
    };
    copy(known_.features, layer.features);
    copy(known_.values, layer.values);
    layer.row[local] = layer.close();
  }
  forest.layers.push_back(std::move(layer));
}

std::vector<std::int32_t> RuleAttributeCache::attributes(
    const Forest& forest, MissingRules missing,
    std::span<const std::span<const std::int32_t>> answers) {
  assert(missing.empty() || answers.size() == plugins_);
  const std::size_t rules = forest.rules.size();
  std::vector<std::int32_t> all(plugins_ * rules, 0);
  const std::lock_guard lock(mutex_);
  for (std::size_t i = 0; i < missing.size(); ++i) {
    const LocalRule local = missing.data()[i];
    for (std::size_t p = 0; p < plugins_; ++p) all[p * rules + place_of(local)] = answers[p][i];
    const std::int32_t lasting = forest.rule_space->lasting(forest.rules[local]);
    if (lasting == RuleSpace::kOwn) continue;
    for (std::size_t p = 0; p < plugins_; ++p) attributes_[place(lasting) + p] = answers[p][i];
    row_[lasting] = kKnown;
  }
  for (const LocalRule r : forest.rules.ids()) {
    if (forest.rules[r] == forest.goal_rule) continue;
    const std::int32_t lasting = forest.rule_space->lasting(forest.rules[r]);
    if (lasting == RuleSpace::kOwn) continue;
    for (std::size_t p = 0; p < plugins_; ++p)
      all[p * rules + place_of(r)] = attributes_[place(lasting) + p];
  }
  return all;
}

RuleStrings RuleStringCache::attach(const Forest& forest, MissingRules missing,
                                    const RuleStrings& answer) {
  RuleStrings strings;
  std::int32_t next = 0;  // in `missing`, which ascends
  const std::lock_guard lock(mutex_);
  for (const LocalRule r : forest.rules.ids()) {
    const std::int32_t lasting = forest.rule_space->lasting(forest.rules[r]);
    if (next < missing.count() && missing[next] == r) {
      const std::span<const std::int32_t> string = answer[next++];
      strings.add(string);
      if (lasting == RuleSpace::kOwn) continue;
      std::int32_t& row = row_[lasting];
      if (row != kUnknown) continue;  // another thread has asked meanwhile
      row = known_.count();
      known_.add(string);
    } else if (forest.rules[r] == forest.goal_rule) {
      strings.add({});
    } else {
      strings.add(known_[row_[lasting]]);
    }
  }
  return strings;
}

}  // namespace hopefear
