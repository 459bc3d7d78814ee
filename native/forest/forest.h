// A hypergraph as arrays. Nodes are in topological order, the goal last; the edges into a node are
// neighbours. A forest that was rescored points at the forest it was made from: an edge has the
// features of its `source_edge` there, and the values of its own scorers.
#pragma once

#include "base/key_index.h"
#include "grammar/grammar.h"

namespace hopefear {

using NodeId = std::int32_t;
using EdgeId = std::int32_t;
using GroupId = std::int32_t;
using LocalRule = std::int32_t;  // a rule among those in use
using Row = std::int32_t;        // of a layer of features

// Source positions [begin, end).
struct SourceSpan {
  std::int32_t begin, end;
};

// Rules of several grammars under one numbering: those of grammar g begin at offsets[g]. The
// decoder's own grammars come first, so that their rules have the same number in every forest.
class RuleSpace {
 public:
  void add(std::shared_ptr<const Grammar> grammar);
  // The grammars added so far, and a vocabulary whose words end before `known_words`, stay until
  // the end.
  void set_lasting(Symbol known_words);
  // Keeps copies of the rules that are in use: what becomes of the file of a compiled grammar does
  // not concern a forest any more.
  void keep(std::span<const std::uint32_t> in_use);
  // Adds the rules that pass a sentence's words through.
  void add_pass_through(std::shared_ptr<const Grammar> grammar);

  // Caches of rules use lasting numbers, below lasting_size(). A rule that belongs to the sentence
  // only has the number kOwn. Passing a known word through is the same rule in every sentence.
  static constexpr std::int32_t kOwn = -1;
  std::int32_t lasting_size() const { return lasting_rules_ + known_words_; }
  std::int32_t lasting(std::uint32_t id) const {
    if (std::cmp_less(id, lasting_rules_)) return static_cast<std::int32_t>(id);
    if (id < pass_through_ || id >= pass_through_end_) return kOwn;
    const Place place = find(id);
    const Symbol word = place.grammar->target(place.rule)[0];
    return word < known_words_ ? lasting_rules_ + word : kOwn;
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
    if (g == kept_grammar_) return {kept_.get(), static_cast<std::uint32_t>(kept_rules_.find(id))};
    return {grammars_[g].get(), id - offsets_[g]};
  }
  Rule rule(std::uint32_t id) const {
    const Place place = find(id);
    return place.grammar->rule(place.rule);
  }

 private:
  std::vector<std::shared_ptr<const Grammar>> grammars_;
  std::vector<std::uint32_t> offsets_{0};
  static constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();
  std::size_t kept_grammar_ = kNone;  // whose rules are copied
  std::shared_ptr<const Grammar> kept_;
  KeyIndex kept_rules_;
  std::int32_t lasting_rules_ = 0;
  Symbol known_words_ = 0;
  // The rules that pass words through.
  std::uint32_t pass_through_ = std::numeric_limits<std::uint32_t>::max(), pass_through_end_ = 0;
};

// Dictionary-encoded sparse features: item i has the entries of row `row[i]`, or none if that is
// -1.
struct FeatureLayer {
  enum class Item : std::uint8_t { kEdge, kLocalRule };
  Item item = Item::kEdge;
  IdVector<std::int32_t, Row> row;
  IdVector<Row, std::int32_t> indptr{0};
  IdVector<std::int32_t, FeatureId> features;
  IdVector<std::int32_t, double> values;

  Row rows() const { return indptr.count() - 1; }
  // The places of a row's entries.
  auto entries(Row r) const { return ids(indptr[r], indptr[r + 1]); }
  std::span<const FeatureId> features_of(Row r) const {
    return {features.data() + indptr[r], features.data() + indptr[r + 1]};
  }
  // Makes a row of the entries that have been appended since the last one.
  Row close() {
    indptr.push_back(features.count());
    return rows() - 1;
  }
  // Sum of weight times value.
  double row_score(Row r, const double* weights) const {
    double sum = 0;
    for (const std::int32_t j : entries(r)) sum += weights[features[j]] * values[j];
    return sum;
  }
};

struct Forest {
  // An empty forest over the rules of another one, to be filled with edges made from its edges.
  static std::shared_ptr<Forest> made_from(std::shared_ptr<const Forest> source);

  // nodes
  IdVector<NodeId, std::int32_t> category;
  IdVector<NodeId, SourceSpan> span;
  IdVector<NodeId, EdgeId> edges_begin;  // N + 1
  // edges
  IdVector<EdgeId, LocalRule> local_rule;
  IdVector<EdgeId, NodeId> head;
  IdRows<EdgeId, NodeId> tails;    // in the order of the rule's source nonterminals
  IdVector<EdgeId, double> score;  // w·f
  // Of a rescored forest, in `source`; -1 where there is none.
  IdVector<EdgeId, EdgeId> source_edge;

  // Runs of edges that share tails and source side: first edge of each, and one past the last.
  IdVector<GroupId, EdgeId> groups;

  IdVector<LocalRule, std::uint32_t> rules;  // the rules in use, numbers in `rule_space`
  std::vector<FeatureLayer> layers;

  std::vector<FeatureId> scorer_features;  // of this forest's own scorers
  std::vector<float> scorer_values;        // E × scorer_features

  std::shared_ptr<const RuleSpace> rule_space;
  std::shared_ptr<const Vocabulary> vocabulary;
  std::shared_ptr<const Forest> source;
  std::int32_t source_length = 0;
  std::uint32_t goal_rule = 0;  // of the edge into the goal

  NodeId nodes() const { return category.count(); }
  EdgeId edges() const { return local_rule.count(); }
  NodeId goal() const { return nodes() - 1; }
  bool empty() const { return category.empty(); }

  std::uint32_t rule_id(EdgeId e) const { return rules[local_rule[e]]; }
  Rule rule(EdgeId e) const { return rule_space->rule(rule_id(e)); }
  auto tails_of(EdgeId e) const { return tails[e]; }
  auto edges_into(NodeId v) const { return ids(edges_begin[v], edges_begin[v + 1]); }
  auto edges_of_group(GroupId g) const { return ids(groups[g], groups[g + 1]); }
  NodeId head_of_group(GroupId g) const { return head[groups[g]]; }
  // The values of the forest's own scorers.
  std::span<const float> scorer_values_of(EdgeId e) const {
    const std::size_t k = scorer_features.size();
    return {scorer_values.data() + place_of(e) * k, k};
  }

  // Calls visit(feature, value) for each feature of an edge; a feature may come more than once.
  template <class Visit>
  void visit_features(EdgeId e, Visit&& visit) const;

  // Of a forest made from another: adds an edge made from one of the source, whose tails have been
  // appended to `tails.values`, into the node that add_node() adds next.
  void add_edge(EdgeId of_source, double edge_score);
  // The same for an edge of a rule in use that is made from no edge.
  void add_own_edge(LocalRule rule, double edge_score);
  // Adds the node of these edges, made from one of the source.
  void add_node(NodeId of_source);
  // Makes each edge a group of its own.
  void separate_edges();
  // A forest of the same derivations with other scores of edges. Throws ScoreError.
  std::shared_ptr<Forest> with_scores(std::span<const double> scores) const;
  // Sets every edge's score to w·f. Throws ScoreError; all edges then keep their scores.
  void reweight(const Weights& weights);
  // The number of derivations; a double, because it may exceed every integer type.
  double paths() const;
  // The score of an edge and something of its tails' nodes, beginning with a score.
  double with_tails(EdgeId e, double edge_score, const IdVector<NodeId, double>& of_node) const {
    for (const NodeId tail : tails_of(e)) edge_score += of_node[tail];
    return edge_score;
  }

 private:
  void set_scores(const IdVector<EdgeId, double>& found, const Weights& weights);
};

template <class Visit>
void Forest::visit_features(EdgeId e, Visit&& visit) const {
  const std::span<const float> own = scorer_values_of(e);
  for (std::size_t j = 0; j < own.size(); ++j) visit(scorer_features[j], double{own[j]});
  if (!source) {
    const Rule r = rule(e);
    for (std::size_t j = 0; j < r.features.size(); ++j) {
      visit(r.features[j], double{r.values[j]});
    }
  }
  for (const FeatureLayer& layer : layers) {
    const Row row = layer.row[layer.item == FeatureLayer::Item::kEdge ? e : local_rule[e]];
    if (row < 0) continue;
    for (const std::int32_t j : layer.entries(row)) visit(layer.features[j], layer.values[j]);
  }
  if (source && source_edge[e] >= 0) source->visit_features(source_edge[e], visit);
}

// The distinct features of the layers of a forest and of the forests it was made from, in no
// particular order: those of plugins and of cdec's stateless functions, without the rules' own
// features.
std::vector<FeatureId> fired_features(const Forest& forest);

}  // namespace hopefear
