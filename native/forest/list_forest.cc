#include "forest/list_forest.h"

#include <numeric>

namespace hopefear {
namespace {

class ListForest {
 public:
  explicit ListForest(const std::shared_ptr<const Forest>& source)
      : source_(*source), out_(Forest::made_from(source)) {}

  // All nodes of a derivation but the goal; returns the goal's tails.
  std::vector<NodeId> add_tree(const Derivation& derivation) {
    std::vector<NodeId> open;  // in preorder from the back: the first tail is the last
    for (std::size_t k = derivation.size(); k-- > 1;) {
      const EdgeId e = derivation[k];
      const std::vector<NodeId> tails = take(open, e);
      const NodeId source = source_.head[e];
      out_->category.push_back(source_.category[source]);
      out_->span.push_back(source_.span[source]);
      add_edge(e, tails, 0);
      open.push_back(out_->nodes() - 1);
      out_->edges_begin.push_back(out_->edges());
    }
    return take(open, derivation[0]);
  }

  void add_goal() {
    out_->category.push_back(source_.category.back());
    out_->span.push_back(source_.span.back());
  }

  void add_edge(EdgeId e, std::span<const NodeId> tails, double score) {
    out_->local_rule.push_back(source_.local_rule[e]);
    out_->head.push_back(out_->nodes() - 1);
    out_->tails.add(tails);
    out_->score.push_back(score);
    out_->source_edge.push_back(e);
  }

  std::shared_ptr<Forest> finished() {
    out_->edges_begin.push_back(out_->edges());
    out_->separate_edges();
    return out_;
  }

 private:
  std::vector<NodeId> take(std::vector<NodeId>& open, EdgeId e) const {
    const auto count = static_cast<std::ptrdiff_t>(source_.tails_of(e).size());
    std::vector<NodeId> tails(open.rbegin(), open.rbegin() + count);
    open.resize(open.size() - tails.size());
    return tails;
  }

  const Forest& source_;
  std::shared_ptr<Forest> out_;
};

}  // namespace

std::shared_ptr<Forest> list_forest(const std::shared_ptr<const Forest>& forest,
                                    const std::vector<Derivation>& derivations,
                                    std::span<const double> scores) {
  ListForest list(forest);
  std::vector<std::vector<NodeId>> tails;
  for (const Derivation& derivation : derivations) tails.push_back(list.add_tree(derivation));
  list.add_goal();
  for (std::size_t i = 0; i < derivations.size(); ++i)
    list.add_edge(derivations[i][0], tails[i], scores[i]);
  return list.finished();
}

}  // namespace hopefear
