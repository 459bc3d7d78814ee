#include "forest/subforest.h"

namespace hopefear {
namespace {

// Marks of nodes, and of edges, that lie on a derivation of the goal.
struct Useful {
  std::vector<bool> node, edge;
};

Useful find_useful(const Forest& forest, const std::vector<bool>& keep) {
  const std::size_t n = forest.category.size(), m = forest.local_rule.size();
  std::vector<bool> derivable(n, false);
  Useful useful{std::vector<bool>(n, false), std::vector<bool>(m, false)};
  const auto is_complete = [&](EdgeId e) {
    if (!keep[static_cast<std::size_t>(e)]) return false;
    for (const NodeId tail : forest.tails_of(e)) {
      if (!derivable[static_cast<std::size_t>(tail)]) return false;
    }
    return true;
  };
  for (std::size_t v = 0; v < n; ++v) {
    for (EdgeId e = forest.edges_begin[v]; e < forest.edges_begin[v + 1] && !derivable[v]; ++e) {
      derivable[v] = is_complete(e);
    }
  }
  if (n == 0 || !derivable.back()) return useful;
  useful.node.back() = true;
  for (std::size_t v = n; v-- > 0;) {
    if (!useful.node[v]) continue;
    for (EdgeId e = forest.edges_begin[v]; e < forest.edges_begin[v + 1]; ++e) {
      if (!is_complete(e)) continue;
      useful.edge[static_cast<std::size_t>(e)] = true;
      for (const NodeId tail : forest.tails_of(e))
        useful.node[static_cast<std::size_t>(tail)] = true;
    }
  }
  return useful;
}

}  // namespace

std::shared_ptr<Forest> subforest(const Forest& forest, const std::vector<bool>& keep) {
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
  out->tails_begin.push_back(0);
  std::vector<NodeId> new_node(forest.category.size(), -1);
  std::vector<EdgeId> kept;
  std::size_t group = 0, last_group = 0;
  const std::size_t k = forest.scorer_features.size();
  for (std::size_t v = 0; v < forest.category.size(); ++v) {
    if (!useful.node[v]) continue;
    new_node[v] = out->nodes();
    out->category.push_back(forest.category[v]);
    out->span.push_back(forest.span[2 * v]);
    out->span.push_back(forest.span[2 * v + 1]);
    for (EdgeId id = forest.edges_begin[v]; id < forest.edges_begin[v + 1]; ++id) {
      const auto e = static_cast<std::size_t>(id);
      if (!useful.edge[e]) continue;
      while (forest.groups[group + 1] <= id) ++group;
      if (kept.empty() || group != last_group) out->groups.push_back(out->edges());
      last_group = group;
      kept.push_back(id);
      out->local_rule.push_back(forest.local_rule[e]);
      out->head.push_back(new_node[v]);
      for (const NodeId tail : forest.tails_of(id)) {
        out->tails.push_back(new_node[static_cast<std::size_t>(tail)]);
      }
      out->tails_begin.push_back(static_cast<std::int32_t>(out->tails.size()));
      out->score.push_back(forest.score[e]);
      if (forest.source) out->source_edge.push_back(forest.source_edge[e]);
      const auto values = forest.scorer_values.begin() + static_cast<std::ptrdiff_t>(e * k);
      out->scorer_values.insert(out->scorer_values.end(), values,
                                values + static_cast<std::ptrdiff_t>(k));
    }
    out->edges_begin.push_back(out->edges());
  }
  out->groups.push_back(out->edges());
  for (const FeatureLayer& layer : forest.layers) {
    out->layers.push_back(layer);
    if (layer.item != FeatureLayer::Item::kEdge) continue;
    std::vector<std::int32_t>& row = out->layers.back().row;
    row.clear();
    for (const EdgeId e : kept) row.push_back(layer.row[static_cast<std::size_t>(e)]);
  }
  return out;
}

}  // namespace hopefear
