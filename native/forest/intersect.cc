#include "forest/intersect.h"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "forest/subforest.h"

namespace hopefear {
namespace {

// A node of the source forest over positions [from, to] of the reference.
struct Item {
  std::int32_t from, to;
  NodeId node;  // of the new forest
};

class Intersection {
 public:
  Intersection(const std::shared_ptr<const Forest>& forest, std::int32_t length,
               const std::vector<ReferenceArc>& arcs)
      : source_(*forest),
        out_(Forest::made_from(forest)),
        length_(length),
        items_(forest->nodes()) {
    for (const ReferenceArc& arc : arcs) {
      expect(arc.from >= 0 && arc.to > arc.from && arc.to <= length,
             "expected arcs inside the reference's ", length, " positions, got one from ", arc.from,
             " to ", arc.to);
      const Symbol word = source_.vocabulary->words->find(arc.word);
      if (word != Interner::kUnknown) arcs_[word].emplace_back(arc.from, arc.to);
    }
  }

  std::shared_ptr<Forest> run(bool second_goal) {
    for (NodeId v = 0; v < source_.nodes(); ++v) complete(v);
    const bool found = !items_.empty() && !items_.back().empty();
    if (found && second_goal) {
      out_->tails.values.push_back(out_->goal());
      out_->add_edge(source_.edges() - 1, 0);
      out_->source_edge.back() = -1;
      out_->add_node(source_.goal());
    }
    out_->separate_edges();
    // Without the goal, the last node is another one: nothing is kept.
    return subforest(*out_, IdVector<EdgeId, bool>(out_->edges(), found));
  }

 private:
  struct Match {
    EdgeId edge;
    std::vector<NodeId> tails;  // of the new forest, in source order
  };

  void complete(NodeId v) {
    matches_.clear();
    const bool at_goal = v == source_.goal();
    for (const EdgeId e : source_.edges_into(v)) {
      edge_ = e;
      target_ = source_.rule(e).target;
      tails_.assign(source_.tails_of(e).size(), -1);
      for (std::int32_t from = 0; from <= (at_goal ? 0 : length_); ++from) {
        from_ = from;
        match(0, from);
      }
    }
    for (auto& [span, matches] : matches_) {
      if (at_goal && span != std::pair(0, length_)) continue;
      items_[v].push_back({span.first, span.second, out_->nodes()});
      for (const Match& m : matches) {
        out_->tails.values.insert(out_->tails.values.end(), m.tails.begin(), m.tails.end());
        out_->add_edge(m.edge, source_.score[m.edge]);
      }
      out_->add_node(v);
    }
  }

  // Extends a match of the first `k` target symbols that has reached position `at`.
  void match(std::size_t k, std::int32_t at) {
    if (k == target_.size()) {
      matches_[{from_, at}].push_back({edge_, tails_});
      return;
    }
    if (target_[k] > 0) {
      const auto arcs = arcs_.find(target_[k]);
      if (arcs == arcs_.end()) return;
      for (const auto& [from, to] : arcs->second) {
        if (from == at) match(k + 1, to);
      }
      return;
    }
    const std::int32_t t = -target_[k];
    for (const Item& item : items_[source_.tails_of(edge_)[t]]) {
      if (item.from != at) continue;
      tails_[t] = item.node;
      match(k + 1, item.to);
    }
  }

  const Forest& source_;
  std::shared_ptr<Forest> out_;
  std::int32_t length_;
  std::unordered_map<Symbol, std::vector<std::pair<std::int32_t, std::int32_t>>> arcs_;
  IdVector<NodeId, std::vector<Item>> items_;  // by node of the source forest

  // the node and edge at work
  std::map<std::pair<std::int32_t, std::int32_t>, std::vector<Match>> matches_;
  EdgeId edge_ = -1;
  std::span<const Symbol> target_;
  std::int32_t from_ = 0;
  IdVector<std::int32_t, NodeId> tails_;
};

}  // namespace

std::shared_ptr<Forest> intersect(const std::shared_ptr<const Forest>& forest, std::int32_t length,
                                  const std::vector<ReferenceArc>& arcs, bool second_goal) {
  return Intersection(forest, length, arcs).run(second_goal);
}

}  // namespace hopefear
