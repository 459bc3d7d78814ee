#include "forest/forest.h"

#include <algorithm>

#include "base/message.h"
#include "forest/score.h"

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

void RuleSpace::add(std::shared_ptr<const Grammar> grammar) {
  offsets_.push_back(offsets_.back() + grammar->size());
  grammars_.push_back(std::move(grammar));
}

void RuleSpace::set_lasting(Symbol known_words) {
  lasting_rules_ = static_cast<std::int32_t>(size());
  known_words_ = known_words;
}

void RuleSpace::keep(std::span<const std::uint32_t> in_use) {
  for (std::size_t g = 0; g < grammars_.size(); ++g) {
    if (grammars_[g]->file() == nullptr) continue;
    std::vector<std::uint32_t> copied;
    KeyIndex numbers(2 * in_use.size() + 2);
    for (const std::uint32_t id : in_use) {
      if (id < offsets_[g] || id >= offsets_[g + 1]) continue;
      if (numbers.insert(id) == count_of(copied)) copied.push_back(id - offsets_[g]);
    }
    kept_ = grammars_[g]->copy_of(copied);
    kept_rules_ = std::move(numbers);
    kept_grammar_ = g;
  }
}

void RuleSpace::add_pass_through(std::shared_ptr<const Grammar> grammar) {
  pass_through_ = size();
  add(std::move(grammar));
  pass_through_end_ = size();
}

std::shared_ptr<Forest> Forest::made_from(std::shared_ptr<const Forest> source) {
  auto forest = std::make_shared<Forest>();
  forest->rules = source->rules;
  forest->rule_space = source->rule_space;
  forest->vocabulary = source->vocabulary;
  forest->source_length = source->source_length;
  forest->goal_rule = source->goal_rule;
  forest->edges_begin.push_back(0);
  forest->source = std::move(source);
  return forest;
}

void Forest::add_edge(EdgeId of_source, double edge_score) {
  add_own_edge(source->local_rule[of_source], edge_score);
  source_edge.back() = of_source;
}

void Forest::add_own_edge(LocalRule rule, double edge_score) {
  local_rule.push_back(rule);
  head.push_back(nodes());
  tails.close();
  score.push_back(edge_score);
  source_edge.push_back(-1);
}

void Forest::add_node(NodeId of_source) {
  category.push_back(source->category[of_source]);
  span.push_back(source->span[of_source]);
  edges_begin.push_back(edges());
}

void Forest::separate_edges() {
  groups.resize(edges() + 1);
  std::iota(groups.begin(), groups.end(), 0);
}

std::shared_ptr<Forest> Forest::with_scores(std::span<const double> scores) const {
  expect(scores.size() == score.size(), "expected ", score.size(),
         " scores, one for each edge, got ", scores.size());
  const auto wrong = std::ranges::find_if_not(scores, is_usable);
  if (wrong != scores.end()) throw ScoreError(*wrong);
  auto forest = std::make_shared<Forest>(*this);
  std::ranges::copy(scores, forest->score.begin());
  return forest;
}

void Forest::reweight(const Weights& by_name) {
  const double* const weights = by_name.data();
  IdVector<EdgeId, double> found(edges(), 0.0);
  if (source) {
    for (const EdgeId e : local_rule.ids()) {
      double sum = 0;
      visit_features(e, [&](FeatureId feature, double value) { sum += weights[feature] * value; });
      found[e] = sum;
    }
    return set_scores(found, by_name);
  }
  IdVector<LocalRule, double> rule_score(rules.count());
  for (const LocalRule r : rules.ids()) {
    const RuleSpace::Place place = rule_space->find(rules[r]);
    rule_score[r] = place.grammar->score(place.rule, weights);
  }
  for (const FeatureLayer& layer : layers) {
    if (layer.item == FeatureLayer::Item::kLocalRule) {
      for (const LocalRule r : rules.ids()) {
        if (layer.row[r] >= 0) rule_score[r] += layer.row_score(layer.row[r], weights);
      }
    } else {
      IdVector<Row, double> row_score(layer.rows() + 1);  // 0 for no row, then of every row
      for (Row r = 0; r < layer.rows(); ++r) row_score[r + 1] = layer.row_score(r, weights);
      for (const EdgeId e : local_rule.ids()) found[e] += row_score[layer.row[e] + 1];
    }
  }
  for (const EdgeId e : local_rule.ids()) found[e] += rule_score[local_rule[e]];
  set_scores(found, by_name);
}

void Forest::set_scores(const IdVector<EdgeId, double>& found, const Weights& weights) {
  for (const EdgeId e : found.ids()) {
    if (is_usable(found[e])) [[likely]]
      continue;
    Parts parts(weights);
    visit_features(e, [&](FeatureId feature, double value) { parts.add(feature, value); });
    throw parts.error(found[e]);
  }
  score = found;  // in its place: Python may look at it
}

double Forest::paths() const {
  IdVector<NodeId, double> count(nodes(), 0.0);
  for (const NodeId v : count.ids()) {
    for (const EdgeId e : edges_into(v)) {
      double product = 1;
      for (const NodeId tail : tails_of(e)) product *= count[tail];
      count[v] += product;
    }
  }
  return count.empty() ? 0.0 : count.back();
}

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
