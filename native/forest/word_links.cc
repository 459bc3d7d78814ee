#include "forest/word_links.h"

#include <algorithm>
#include <cmath>

#include "base/key_index.h"
#include "forest/inside_outside.h"

namespace hopefear {
namespace {

class Links {
 public:
  explicit Links(const Forest& forest) : forest_(forest) {}

  // Reads an edge; its links are asked for next.
  void read(EdgeId e) {
    const RuleSpace::Place place = forest_.rule_space->find(forest_.rule_id(e));
    place.grammar->source(place.rule, symbols_);
    rule_ = place.grammar->rule(place.rule);
    positions_.clear();
    std::int32_t position = forest_.span[forest_.head[e]].begin, next = 0;
    for (const Symbol symbol : symbols_) {
      positions_.push_back(symbol > 0 ? position : -1);
      position = symbol > 0 ? position + 1 : forest_.span[forest_.tails_of(e)[next++]].end;
    }
  }

  // Calls visit(link) for the word at an index of the target side, each link once.
  template <class Visit>
  void visit(std::int32_t index, Visit&& visit) const {
    const Symbol word = rule_.target[place_of(index)];
    bool linked = false;
    for (const AlignmentPoint& point : rule_.alignment) {
      const std::int32_t source = point.source;
      if (point.target != index || !positions_.has(source) || positions_[source] < 0) continue;
      linked = true;
      visit(link_key(positions_[source], word));
    }
    if (linked) return;
    for (const std::int32_t position : positions_) {
      if (position >= 0) visit(link_key(position, word));
    }
  }

  // The links of all target words, each once.
  const std::vector<std::int64_t>& all() {
    all_.clear();
    for (std::int32_t index = 0; index < count_of(rule_.target); ++index) {
      if (rule_.target[place_of(index)] > 0)
        visit(index, [this](std::int64_t link) { all_.push_back(link); });
    }
    std::ranges::sort(all_);
    const auto repeated = std::ranges::unique(all_);
    all_.erase(repeated.begin(), repeated.end());
    return all_;
  }

 private:
  const Forest& forest_;
  Rule rule_{};
  std::vector<Symbol> symbols_;
  IdVector<std::int32_t, std::int32_t> positions_;  // of source symbols, -1 for a nonterminal
  std::vector<std::int64_t> all_;
};

}  // namespace

IdRows<std::int32_t, std::int64_t> word_links(const Forest& forest, const Derivation& derivation) {
  IdRows<std::int32_t, std::int64_t> links;
  Links of_edge(forest);
  for (const TargetPlace& place : target_places(forest, derivation)) {
    of_edge.read(place.edge);
    of_edge.visit(place.index, [&](std::int64_t link) { links.values.push_back(link); });
    links.close();
  }
  return links;
}

LinkPosteriors link_posteriors(const Forest& forest, double scale) {
  const IdVector<EdgeId, double> marginal = edge_marginals(forest, Semiring::kLog, scale);
  KeyIndex index;
  IdVector<std::int32_t, double> sums;
  Links of_edge(forest);
  for (const EdgeId e : marginal.ids()) {
    of_edge.read(e);
    const double posterior = std::exp(marginal[e]);
    for (const std::int64_t link : of_edge.all()) {
      const std::int32_t number = index.insert(link);
      if (number == sums.count()) sums.push_back(0);
      sums[number] += posterior;
    }
  }
  IdVector<std::int32_t, std::int32_t> order(index.size());
  for (const std::int32_t number : order.ids()) order[number] = number;
  std::ranges::sort(order, {}, [&](std::int32_t number) { return index.key(number); });
  LinkPosteriors out;
  for (const std::int32_t number : order) {
    out.links.push_back(index.key(number));
    out.posteriors.push_back(std::min(sums[number], 1.0));
  }
  return out;
}

}  // namespace hopefear
