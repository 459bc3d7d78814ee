#include "forest/subforest.h"

#include <algorithm>

namespace hopefear {
namespace {

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

}  // namespace hopefear
