// A hypergraph as arrays. Nodes are in topological order, the goal last; the edges into a node are
// neighbours. A forest that was rescored points at the forest it was made from: an edge has the
// features of its `source_edge` there, and the values of its own scorers.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "base/vocabulary.h"
#include "base/weights.h"
#include "grammar/grammar.h"

namespace hopefear {

using NodeId = std::int32_t;
using EdgeId = std::int32_t;

// Rules of several grammars under one numbering: those of grammar g begin at offsets[g]. The
// decoder's own grammars come first, so that their rules have the same number in every forest.
class RuleSpace {
 public:
  void add(std::shared_ptr<const Grammar> grammar);
  // The grammars added so far, and a vocabulary whose words end before `known_words`, stay until
  // the end.
  void set_lasting(Symbol known_words);
  // Adds the rules that pass a sentence's words through.
  void add_pass_through(std::shared_ptr<const Grammar> grammar);

  // Caches of rules use lasting numbers, below lasting_size(). A rule that belongs to the sentence
  // only has the number kOwn. Passing a known word through is the same rule in every sentence.
  static constexpr std::int32_t kOwn = -1;
  std::size_t lasting_size() const {
    return lasting_rules_ + static_cast<std::size_t>(known_words_);
  }
  std::int32_t lasting(std::uint32_t id) const {
    if (id < lasting_rules_) return static_cast<std::int32_t>(id);
    if (id < pass_through_) return kOwn;
    const Place place = find(id);
    const Symbol word = place.grammar->target(place.rule)[0];
    return word < known_words_ ? static_cast<std::int32_t>(lasting_rules_) + word : kOwn;
  }

  std::uint32_t size() const { return offsets_.back(); }
  std::size_t grammars() const { return grammars_.size(); }
  const Grammar& grammar(std::size_t g) const { return *grammars_[g]; }
  std::uint32_t offset(std::size_t g) const { return offsets_[g]; }

  struct Place {
    const Grammar* grammar;
    std::uint32_t rule;
  };
  Place find(std::uint32_t id) const {
    std::size_t g = 0;
    while (id >= offsets_[g + 1]) ++g;
    return {grammars_[g].get(), id - offsets_[g]};
  }
  Rule rule(std::uint32_t id) const {
    const Place place = find(id);
    return place.grammar->rule(place.rule);
  }

 private:
  std::vector<std::shared_ptr<const Grammar>> grammars_;
  std::vector<std::uint32_t> offsets_{0};
  std::uint32_t lasting_rules_ = 0;
  Symbol known_words_ = 0;
  std::uint32_t pass_through_ = std::numeric_limits<std::uint32_t>::max();  // the first rule
};

// Dictionary-encoded sparse features: item i has the entries of row `row[i]`, or none if that is
// -1.
struct FeatureLayer {
  enum class Item : std::uint8_t { kEdge, kLocalRule };
  Item item = Item::kEdge;
  std::vector<std::int32_t> row;
  std::vector<std::int32_t> indptr{0};
  std::vector<FeatureId> features;
  std::vector<double> values;

  double row_score(std::int32_t r, const double* weights) const;
  // Sum of weight times value: 0 for no row, then of every row.
  std::vector<double> row_scores(const double* weights) const;
};

struct Forest {
  // An empty forest over the rules of another one, to be filled with edges made from its edges.
  static std::shared_ptr<Forest> made_from(std::shared_ptr<const Forest> source);

  // nodes
  std::vector<std::int32_t> category;
  std::vector<std::int32_t> span;   // 2 N: source positions [begin, end)
  std::vector<EdgeId> edges_begin;  // N + 1
  // edges
  std::vector<std::int32_t> local_rule;  // index into `rules`
  std::vector<NodeId> head;
  std::vector<std::int32_t> tails_begin;  // E + 1
  std::vector<NodeId> tails;              // in the order of the rule's source nonterminals
  std::vector<double> score;              // w·f
  std::vector<EdgeId> source_edge;  // of a rescored forest, in `source`; -1 where there is none

  // Runs of edges that share tails and source side: first edge of each, and one past the last.
  std::vector<EdgeId> groups;

  std::vector<std::uint32_t> rules;  // the rules in use, numbers in `rule_space`
  std::vector<FeatureLayer> layers;

  std::vector<FeatureId> scorer_features;  // of this forest's own scorers
  std::vector<float> scorer_values;        // E × scorer_features

  std::shared_ptr<const RuleSpace> rule_space;
  std::shared_ptr<const Vocabulary> vocabulary;
  std::shared_ptr<const Forest> source;
  std::int32_t source_length = 0;
  std::uint32_t goal_rule = 0;  // of the edge into the goal

  NodeId nodes() const { return static_cast<NodeId>(category.size()); }
  EdgeId edges() const { return static_cast<EdgeId>(local_rule.size()); }
  NodeId goal() const { return nodes() - 1; }
  bool empty() const { return category.empty(); }

  std::uint32_t rule_id(EdgeId e) const {
    return rules[static_cast<std::size_t>(local_rule[static_cast<std::size_t>(e)])];
  }
  Rule rule(EdgeId e) const { return rule_space->rule(rule_id(e)); }
  std::span<const NodeId> tails_of(EdgeId e) const {
    const auto i = static_cast<std::size_t>(e);
    return {tails.data() + tails_begin[i], tails.data() + tails_begin[i + 1]};
  }

  // Calls visit(feature, value) for each feature of an edge; a feature may come more than once.
  template <class Visit>
  void visit_features(EdgeId e, Visit&& visit) const;

  // Makes each edge a group of its own.
  void separate_edges();
  // Sets every edge's score to w·f.
  void reweight(const double* weights);
  // The number of derivations; a double, because it may exceed every integer type.
  double paths() const;
};

template <class Visit>
void Forest::visit_features(EdgeId e, Visit&& visit) const {
  const auto i = static_cast<std::size_t>(e);
  const std::size_t k = scorer_features.size();
  for (std::size_t j = 0; j < k; ++j) {
    visit(scorer_features[j], static_cast<double>(scorer_values[i * k + j]));
  }
  if (!source) {
    const Rule r = rule(e);
    for (std::size_t j = 0; j < r.features.size(); ++j) {
      visit(r.features[j], static_cast<double>(r.values[j]));
    }
  }
  for (const FeatureLayer& layer : layers) {
    const std::size_t item =
        layer.item == FeatureLayer::Item::kEdge ? i : static_cast<std::size_t>(local_rule[i]);
    const std::int32_t row = layer.row[item];
    if (row < 0) continue;
    for (auto j = static_cast<std::size_t>(layer.indptr[static_cast<std::size_t>(row)]);
         j < static_cast<std::size_t>(layer.indptr[static_cast<std::size_t>(row) + 1]); ++j) {
      visit(layer.features[j], layer.values[j]);
    }
  }
  if (source && source_edge[i] >= 0) source->visit_features(source_edge[i], visit);
}

}  // namespace hopefear
