#include "forest/kbest_sums.h"

#include <algorithm>

namespace hopefear {
namespace {

// Sums by feature; between two uses all are 0.
class FeatureSums {
 public:
  void add(FeatureId feature, double value, double factor) {
    if (value == 0) return;
    if (!cells_.has(feature)) cells_.resize(2 * feature + 1);
    Cell& cell = cells_[feature];
    if (!cell.positive && !cell.negative) touched_.push_back(feature);
    cell.positive |= value > 0;
    cell.negative |= !(value > 0);
    cell.sum += value * factor;
  }

  std::vector<KBestSums::Sum> take() {
    std::ranges::sort(touched_);
    std::vector<KBestSums::Sum> sums;
    sums.reserve(touched_.size());
    for (const FeatureId feature : touched_) {
      Cell& cell = cells_[feature];
      sums.push_back({feature, cell.sum, cell.positive && cell.negative});
      cell = {};
    }
    touched_.clear();
    return sums;
  }

 private:
  struct Cell {
    double sum = 0;
    bool positive = false, negative = false;
  };
  IdVector<FeatureId, Cell> cells_;
  std::vector<FeatureId> touched_;
};

// Calls visit(feature, value) for what an edge has in a forest, apart from what comes with its rule
// and with the edge it was made from.
template <class Visit>
void visit_own(const Forest& forest, EdgeId e, Visit&& visit) {
  const std::span<const float> values = forest.scorer_values_of(e);
  for (std::size_t j = 0; j < values.size(); ++j)
    visit(forest.scorer_features[j], double{values[j]});
  for (const FeatureLayer& layer : forest.layers) {
    if (layer.item != FeatureLayer::Item::kEdge || layer.row[e] < 0) continue;
    for (const std::int32_t j : layer.entries(layer.row[e]))
      visit(layer.features[j], layer.values[j]);
  }
}

// The same for what comes with a rule.
template <class Visit>
void visit_rule(const Forest& forest, LocalRule r, Visit&& visit) {
  if (!forest.source) {
    const Rule rule = forest.rule_space->rule(forest.rules[r]);
    for (std::size_t j = 0; j < rule.features.size(); ++j)
      visit(rule.features[j], double{rule.values[j]});
  }
  for (const FeatureLayer& layer : forest.layers) {
    if (layer.item != FeatureLayer::Item::kLocalRule || layer.row[r] < 0) continue;
    for (const std::int32_t j : layer.entries(layer.row[r]))
      visit(layer.features[j], layer.values[j]);
  }
}

}  // namespace

KBestSums::KBestSums(std::shared_ptr<const Forest> forest, std::int32_t k)
    : forest_(std::move(forest)), lists_(*forest_, true), first_(forest_->nodes() + 1, 0) {
  if (!forest_->empty()) {
    while (count_ < k && lists_.find(forest_->goal(), count_)) ++count_;
  }
  for (const NodeId v : forest_->category.ids()) first_[v + 1] = first_[v] + lists_.known(v);
  find_used();
}

void KBestSums::find_used() {
  used_.assign(first_.back(), false);
  for (const std::int32_t rank : ids(0, count_)) used_[place(forest_->goal(), rank)] = true;
  IdVector<EdgeId, bool> edges(forest_->edges(), false);
  IdVector<LocalRule, bool> rules(forest_->rules.count(), false);
  levels_.push_back({forest_.get(), {}});
  for (NodeId v = forest_->nodes(); v-- > 0;) {  // heads before tails
    for (const std::int32_t rank : ids(0, lists_.known(v))) {
      if (!used_[place(v, rank)]) continue;
      const EdgeId e = lists_.edge(v, rank);
      const auto tails = forest_->tails_of(e);
      for (const std::int32_t t : tails.ids())
        used_[place(tails[t], lists_.rank_of_tail(v, rank, t))] = true;
      if (edges[e]) continue;
      edges[e] = true;
      levels_.back().edges.push_back(e);
      const LocalRule r = forest_->local_rule[e];
      if (!rules[r]) rules_.push_back(r);
      rules[r] = true;
    }
  }
  while (levels_.back().forest->source) {
    const Forest& from = *levels_.back().forest;
    Level level{from.source.get(), {}};
    edges.assign(level.forest->edges(), false);
    for (const EdgeId e : levels_.back().edges) {
      const EdgeId source = from.source_edge[e];
      if (source < 0 || edges[source]) continue;
      edges[source] = true;
      level.edges.push_back(source);
    }
    levels_.push_back(std::move(level));
  }
}

std::vector<double> KBestSums::scores(std::span<const double> weights) const {
  IdVector<EdgeId, double> below, of_edge;
  for (auto level = levels_.rbegin(); level != levels_.rend(); ++level) {
    const Forest& forest = *level->forest;
    const auto product = [&](double& sum) {
      return [&, weights](FeatureId feature, double value) {
        if (place_of(feature) < weights.size()) sum += weights[place_of(feature)] * value;
      };
    };
    IdVector<LocalRule, double> of_rule(forest.rules.count(), 0.0);
    for (const LocalRule r : rules_) {
      if (of_rule.has(r)) visit_rule(forest, r, product(of_rule[r]));
    }
    of_edge.assign(forest.edges(), 0.0);
    for (const EdgeId e : level->edges) {
      double& sum = of_edge[e];
      visit_own(forest, e, product(sum));
      sum += of_rule[forest.local_rule[e]];
      if (forest.source && forest.source_edge[e] >= 0) sum += below[forest.source_edge[e]];
    }
    below.swap(of_edge);
  }
  const IdVector<EdgeId, double>& score = below;
  IdVector<Place, double> inside(used_.count(), 0.0);
  for (const NodeId v : forest_->category.ids()) {
    for (const std::int32_t rank : ids(0, lists_.known(v))) {
      if (!used_[place(v, rank)]) continue;
      const EdgeId e = lists_.edge(v, rank);
      double sum = score[e];
      const auto tails = forest_->tails_of(e);
      for (const std::int32_t t : tails.ids())
        sum += inside[place(tails[t], lists_.rank_of_tail(v, rank, t))];
      inside[place(v, rank)] = sum;
    }
  }
  std::vector<double> scores;
  for (const std::int32_t rank : ids(0, count_))
    scores.push_back(inside[place(forest_->goal(), rank)]);
  return scores;
}

std::vector<KBestSums::Sum> KBestSums::sums(std::span<const double> factors) const {
  thread_local FeatureSums sums;
  IdVector<Place, double> factor(used_.count(), 0.0);
  IdVector<EdgeId, double> of_edge(forest_->edges(), 0.0);
  for (const std::int32_t rank : ids(0, count_))
    factor[place(forest_->goal(), rank)] = factors[place_of(rank)];
  for (NodeId v = forest_->nodes(); v-- > 0;) {  // heads before tails
    for (const std::int32_t rank : ids(0, lists_.known(v))) {
      if (!used_[place(v, rank)]) continue;
      const double own = factor[place(v, rank)];
      const EdgeId e = lists_.edge(v, rank);
      of_edge[e] += own;
      const auto tails = forest_->tails_of(e);
      for (const std::int32_t t : tails.ids())
        factor[place(tails[t], lists_.rank_of_tail(v, rank, t))] += own;
    }
  }
  for (const Level& level : levels_) {
    const Forest& forest = *level.forest;
    IdVector<LocalRule, double> of_rule(forest.rules.count(), 0.0);
    IdVector<EdgeId, double> below(forest.source ? forest.source->edges() : 0, 0.0);
    for (const EdgeId e : level.edges) {
      const double own = of_edge[e];
      visit_own(forest, e, [&](FeatureId feature, double value) { sums.add(feature, value, own); });
      of_rule[forest.local_rule[e]] += own;
      if (forest.source && forest.source_edge[e] >= 0) below[forest.source_edge[e]] += own;
    }
    for (const LocalRule r : rules_) {
      if (!of_rule.has(r)) continue;
      visit_rule(forest, r,
                 [&](FeatureId feature, double value) { sums.add(feature, value, of_rule[r]); });
    }
    of_edge.swap(below);
  }
  return sums.take();
}

std::vector<bool> KBestSums::fire(std::span<const FeatureId> asked) const {
  std::vector<bool> fire(asked.size(), false);
  std::vector<std::pair<NodeId, std::int32_t>> open;
  Derivation derivation;
  for (const std::int32_t k : ids(0, count_)) {
    derivation.clear();
    open.assign(1, {forest_->goal(), k});
    while (!open.empty()) {
      const auto [v, rank] = open.back();
      open.pop_back();
      derivation.push_back(lists_.edge(v, rank));
      const auto tails = forest_->tails_of(derivation.back());
      for (std::int32_t t = tails.count(); t-- > 0;)
        open.emplace_back(tails[t], lists_.rank_of_tail(v, rank, t));
    }
    for (const auto& [feature, value] : features(*forest_, derivation)) {
      const auto found = std::ranges::lower_bound(asked, feature);
      if (found != asked.end() && *found == feature) fire[id_at(asked, found)] = true;
    }
  }
  return fire;
}

}  // namespace hopefear
