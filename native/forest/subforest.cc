#include "forest/subforest.h"

#include <algorithm>
#include <limits>

#include "forest/inside_outside.h"

namespace hopefear {
namespace {

constexpr double kRounding = 1e-6;

// Marks of nodes, and of edges, that lie on a derivation of the goal.
struct Useful {
  IdVector<NodeId, bool> node;
  IdVector<EdgeId, bool> edge;
};

Useful find_useful(const Forest& forest, const IdVector<EdgeId, bool>& keep) {
  IdVector<NodeId, bool> derivable(forest.nodes(), false);
  Useful useful{derivable, IdVector<EdgeId, bool>(forest.edges(), false)};
  const auto is_complete = [&](EdgeId e) {
    if (!keep[e]) return false;
    for (const NodeId tail : forest.tails_of(e)) {
      if (!derivable[tail]) return false;
    }
    return true;
  };
  for (const NodeId v : derivable.ids()) {
    derivable[v] = std::ranges::any_of(forest.edges_into(v), is_complete);
  }
  if (forest.empty() || !derivable.back()) return useful;
  useful.node.back() = true;
  for (NodeId v = forest.nodes(); v-- > 0;) {
    if (!useful.node[v]) continue;
    for (const EdgeId e : forest.edges_into(v)) {
      if (!is_complete(e)) continue;
      useful.edge[e] = true;
      for (const NodeId tail : forest.tails_of(e)) useful.node[tail] = true;
    }
  }
  return useful;
}

// Adds whole translations to the rules that a forest uses.
void add_rules(const WholeTranslations& whole, std::int32_t category, Forest& forest) {
  const std::shared_ptr<Vocabulary> vocabulary = forest.vocabulary->copy();
  const auto numbers = [&](const std::vector<std::string>& words) {
    std::vector<Symbol> symbols;
    for (const std::string& word : words) symbols.push_back(vocabulary->words->intern(word));
    return symbols;
  };
  auto grammar = std::make_shared<Grammar>(vocabulary);
  RuleText rule{category, numbers(whole.source), {}, {}, {}, {}};
  for (std::size_t k = 0; k < whole.targets.size(); ++k) {
    rule.target = numbers(whole.targets[k]);
    rule.alignment = whole.alignments[k];
    grammar->add(rule);
  }
  grammar->finish();
  auto rules = std::make_shared<RuleSpace>(*forest.rule_space);
  for (std::uint32_t id = 0; id < grammar->size(); ++id) forest.rules.push_back(rules->size() + id);
  rules->add(std::move(grammar));
  forest.rule_space = std::move(rules);
  forest.vocabulary = vocabulary;
}

}  // namespace

std::shared_ptr<Forest> subforest(const Forest& forest, const IdVector<EdgeId, bool>& keep) {
  const Useful useful = find_useful(forest, keep);
  auto out = std::make_shared<Forest>();
  out->rules = forest.rules;
  out->scorer_features = forest.scorer_features;
  out->rule_space = forest.rule_space;
  out->vocabulary = forest.vocabulary;
  out->source = forest.source;
  out->source_length = forest.source_length;
  out->goal_rule = forest.goal_rule;
  out->edges_begin.push_back(0);
  IdVector<NodeId, NodeId> new_node(forest.nodes(), -1);
  std::vector<EdgeId> kept;
  GroupId group = 0, last_group = 0;
  for (const NodeId v : forest.category.ids()) {
    if (!useful.node[v]) continue;
    new_node[v] = out->nodes();
    out->category.push_back(forest.category[v]);
    out->span.push_back(forest.span[v]);
    for (const EdgeId e : forest.edges_into(v)) {
      if (!useful.edge[e]) continue;
      while (forest.groups[group + 1] <= e) ++group;
      if (kept.empty() || group != last_group) out->groups.push_back(out->edges());
      last_group = group;
      kept.push_back(e);
      out->local_rule.push_back(forest.local_rule[e]);
      out->head.push_back(new_node[v]);
      for (const NodeId tail : forest.tails_of(e)) out->tails.values.push_back(new_node[tail]);
      out->tails.close();
      out->score.push_back(forest.score[e]);
      if (forest.source) out->source_edge.push_back(forest.source_edge[e]);
      const std::span<const float> values = forest.scorer_values_of(e);
      out->scorer_values.insert(out->scorer_values.end(), values.begin(), values.end());
    }
    out->edges_begin.push_back(out->edges());
  }
  out->groups.push_back(out->edges());
  for (const FeatureLayer& layer : forest.layers) {
    out->layers.push_back(layer);
    if (layer.item != FeatureLayer::Item::kEdge) continue;
    auto& row = out->layers.back().row;
    row.clear();
    for (const EdgeId e : kept) row.push_back(layer.row[e]);
  }
  return out;
}

std::shared_ptr<Forest> prune(const Forest& forest, double beam, double density) {
  expect(beam >= 0, "expected a beam of at least 0, got ", beam);
  expect(density == 0 || density >= 1, "expected a density of 0 or at least 1, got ", density);
  const IdVector<EdgeId, double> marginal = edge_marginals(forest, Semiring::kMax);
  double cutoff = -std::numeric_limits<double>::infinity();
  if (density != 0 && !forest.empty()) {
    const double wanted = density * count_of(viterbi(forest));
    if (wanted < marginal.count()) {
      std::vector<double> sorted = marginal;
      const auto nth = sorted.begin() + (static_cast<std::ptrdiff_t>(wanted) - 1);
      std::nth_element(sorted.begin(), nth, sorted.end(), std::greater<>());
      cutoff = *nth;
    }
  }
  if (beam > 0) cutoff = std::max(cutoff, -beam);
  IdVector<EdgeId, bool> keep(marginal.count());
  for (const EdgeId e : keep.ids()) {
    keep[e] = marginal[e] >= cutoff || marginal[e] >= -kRounding;
  }
  // The best derivation stays whatever rounding does: the error grows with the scores.
  for (const EdgeId e : viterbi(forest)) keep[e] = true;
  return subforest(forest, keep);
}

std::shared_ptr<Forest> list_forest(const std::shared_ptr<const Forest>& forest,
                                    const std::vector<Derivation>& derivations,
                                    std::span<const double> scores,
                                    const WholeTranslations& whole) {
  auto out = Forest::made_from(forest);
  std::vector<NodeId> open;  // of a derivation, from the back: the first tail is the last
  const auto take_tails = [&](EdgeId e, std::vector<NodeId>& tails) {
    const auto end = open.rbegin() + std::ssize(forest->tails_of(e));
    tails.insert(tails.end(), open.rbegin(), end);
    open.erase(end.base(), open.end());
  };
  IdRows<std::int32_t, NodeId> goal_tails;
  for (const Derivation& derivation : derivations) {
    for (std::size_t k = derivation.size(); k-- > 1;) {
      const EdgeId e = derivation[k];
      take_tails(e, out->tails.values);
      out->add_edge(e, 0);
      out->add_node(forest->head[e]);
      open.push_back(out->goal());
    }
    take_tails(derivation[0], goal_tails.values);
    goal_tails.close();
  }
  const EdgeId goal_edge = derivations[0][0];
  const auto below = forest->tails_of(goal_edge);
  if (!whole.targets.empty()) {
    expect(std::ssize(below) == 1, "expected a goal over one node");
    add_rules(whole, forest->category[below[0]], *out);
  }
  for (LocalRule r = forest->rules.count(); r < out->rules.count(); ++r) {
    out->add_own_edge(r, 0);
    out->add_node(below[0]);
    out->span.back() = {0, forest->source_length};
    goal_tails.values.push_back(out->goal());
    goal_tails.close();
  }
  for (const std::int32_t i : goal_tails.ids()) {
    const auto tails = goal_tails[i];
    out->tails.values.insert(out->tails.values.end(), tails.begin(), tails.end());
    const double score = scores[place_of(i)];
    if (place_of(i) < derivations.size())
      out->add_edge(derivations[place_of(i)][0], score);
    else
      out->add_own_edge(forest->local_rule[goal_edge], score);
  }
  out->add_node(forest->goal());
  out->separate_edges();
  return out;
}

}  // namespace hopefear
