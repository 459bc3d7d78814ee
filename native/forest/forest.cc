#include "forest/forest.h"

namespace hopefear {

void RuleSpace::add(std::shared_ptr<const Grammar> grammar) {
  offsets_.push_back(offsets_.back() + grammar->size());
  grammars_.push_back(std::move(grammar));
}

void RuleSpace::set_lasting(Symbol known_words) {
  lasting_rules_ = size();
  known_words_ = known_words;
}

void RuleSpace::add_pass_through(std::shared_ptr<const Grammar> grammar) {
  pass_through_ = size();
  add(std::move(grammar));
}

double FeatureLayer::row_score(std::int32_t r, const double* weights) const {
  double sum = 0;
  for (auto j = static_cast<std::size_t>(indptr[static_cast<std::size_t>(r)]);
       j < static_cast<std::size_t>(indptr[static_cast<std::size_t>(r) + 1]); ++j) {
    sum += weights[features[j]] * values[j];
  }
  return sum;
}

std::vector<double> FeatureLayer::row_scores(const double* weights) const {
  std::vector<double> scores(indptr.size(), 0.0);
  for (std::size_t r = 1; r < scores.size(); ++r) {
    scores[r] = row_score(static_cast<std::int32_t>(r) - 1, weights);
  }
  return scores;
}

std::shared_ptr<Forest> Forest::made_from(std::shared_ptr<const Forest> source) {
  auto forest = std::make_shared<Forest>();
  forest->rules = source->rules;
  forest->rule_space = source->rule_space;
  forest->vocabulary = source->vocabulary;
  forest->source_length = source->source_length;
  forest->goal_rule = source->goal_rule;
  forest->edges_begin.push_back(0);
  forest->tails_begin.push_back(0);
  forest->source = std::move(source);
  return forest;
}

void Forest::separate_edges() {
  groups.resize(local_rule.size() + 1);
  for (std::size_t e = 0; e < groups.size(); ++e) groups[e] = static_cast<EdgeId>(e);
}

void Forest::reweight(const double* weights) {
  const std::size_t n = local_rule.size();
  score.assign(n, 0.0);
  if (source) {
    for (std::size_t e = 0; e < n; ++e) {
      double sum = 0;
      visit_features(static_cast<EdgeId>(e),
                     [&](FeatureId feature, double value) { sum += weights[feature] * value; });
      score[e] = sum;
    }
    return;
  }
  std::vector<double> rule_score(rules.size());
  for (std::size_t r = 0; r < rules.size(); ++r) {
    const RuleSpace::Place place = rule_space->find(rules[r]);
    rule_score[r] = place.grammar->score(place.rule, weights);
  }
  for (const FeatureLayer& layer : layers) {
    if (layer.item == FeatureLayer::Item::kLocalRule) {
      for (std::size_t r = 0; r < rules.size(); ++r) {
        if (layer.row[r] >= 0) rule_score[r] += layer.row_score(layer.row[r], weights);
      }
    } else {
      const std::vector<double> row_score = layer.row_scores(weights);
      for (std::size_t e = 0; e < n; ++e) {
        score[e] += row_score[static_cast<std::size_t>(layer.row[e] + 1)];
      }
    }
  }
  for (std::size_t e = 0; e < n; ++e)
    score[e] += rule_score[static_cast<std::size_t>(local_rule[e])];
}

double Forest::paths() const {
  std::vector<double> count(category.size(), 0.0);
  for (std::size_t v = 0; v < category.size(); ++v) {
    for (EdgeId e = edges_begin[v]; e < edges_begin[v + 1]; ++e) {
      double product = 1;
      for (const NodeId tail : tails_of(e)) product *= count[static_cast<std::size_t>(tail)];
      count[v] += product;
    }
  }
  return count.empty() ? 0.0 : count.back();
}

}  // namespace hopefear
