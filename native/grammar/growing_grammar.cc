#include "grammar/growing_grammar.h"

#include <algorithm>

#include "base/message.h"

namespace hopefear {
namespace {

void check_sides(const RuleText& rule) {
  expect(!rule.source.empty(), "expected a source side, got none");
  expect(rule.source.size() <= 255 && rule.target.size() <= 255,
         "expected at most 255 symbols on each side, got ",
         std::max(rule.source.size(), rule.target.size()));
  std::int32_t arity = 0;
  for (const Symbol symbol : rule.source) arity += symbol < 0;
  IdVector<std::int32_t, bool> seen(arity, false);
  for (const Symbol symbol : rule.target) {
    if (symbol > 0) continue;
    expect(-symbol < arity, "expected nonterminals on both sides, got [", 1 - symbol,
           "] on the target side only");
    expect(!seen[-symbol], "expected each target nonterminal once, got [", 1 - symbol, "] twice");
    seen[-symbol] = true;
  }
  const auto missing = std::find(seen.begin(), seen.end(), false);
  expect(missing == seen.end(), "expected nonterminals on both sides, got [",
         missing - seen.begin() + 1, "] on the source side only");
  expect(rule.alignment.size() <= 0xffff, "expected at most 65535 alignment points, got ",
         rule.alignment.size());
  for (const AlignmentPoint point : rule.alignment) {
    expect(point.source < rule.source.size() && point.target < rule.target.size(),
           "expected alignment points inside the rule, got ", point.source, "-", point.target);
  }
}

// Values in another order; the old ones are freed.
template <class T>
std::vector<T> in_order(std::vector<T>& values, const std::vector<std::uint32_t>& order) {
  std::vector<T> moved;
  moved.reserve(order.size());
  for (const std::uint32_t i : order) moved.push_back(values[i]);
  values = {};
  return moved;
}

// The same for values of which i has those from begin[i] to begin[i + 1].
template <class T>
void in_order(std::vector<T>& values, std::vector<std::uint32_t>& begin,
              const std::vector<std::uint32_t>& order, std::vector<T>& moved,
              std::vector<std::uint32_t>& moved_begin) {
  moved.reserve(values.size() + 1);  // never empty, so that a view of none has an address
  moved_begin.reserve(begin.size());
  moved_begin.push_back(0);
  for (const std::uint32_t i : order) {
    moved.insert(moved.end(), values.begin() + begin[i], values.begin() + begin[i + 1]);
    moved_begin.push_back(count_of<std::uint32_t>(moved));
  }
  values = {};
  begin = {};
}

}  // namespace

// What GrammarTables of a grammar in memory look at.
struct GrowingGrammar::Tables {
  std::vector<std::int32_t> lhs;
  std::vector<TrieNumber> node;
  std::vector<std::uint16_t> layout;
  std::vector<std::uint32_t> target_begin, value_begin, alignment_begin;
  std::vector<Symbol> targets;
  std::vector<float> values;
  std::vector<AlignmentPoint> alignments;
  std::vector<std::uint32_t> layout_begin;
  std::vector<FeatureId> layout_features;
  std::vector<TrieNode> trie;
  std::vector<Symbol> symbols;
  std::vector<TrieNumber> parents;
  IdVector<Symbol, TrieNumber> root_by_word;

  GrammarTables view() const {
    return {lhs,     node,    layout,      target_begin, value_begin,     alignment_begin,
            targets, values,  alignments,  layout_begin, layout_features, trie,
            symbols, parents, root_by_word};
  }
};

void GrowingGrammar::add(const RuleText& rule) {
  check_sides(rule);
  const std::uint16_t layout_id = layout(rule.features);
  const auto append = []<class T>(std::vector<T>& to, std::vector<std::uint32_t>& begin,
                                  const std::vector<T>& items) {
    to.insert(to.end(), items.begin(), items.end());
    begin.push_back(count_of<std::uint32_t>(to));
  };
  lhs_.push_back(rule.lhs);
  node_.push_back(node_of(rule.source));
  layout_.push_back(layout_id);
  append(targets_, target_begin_, rule.target);
  append(values_, value_begin_, rule.values);
  append(alignments_, alignment_begin_, rule.alignment);
}

GrowingGrammar::Node GrowingGrammar::node_of(const std::vector<Symbol>& source) {
  if (source == last_source_) return last_node_;
  Node node = 0;
  for (const Symbol symbol : source) node = child(node, symbol);
  last_source_ = source;
  last_node_ = node;
  return node;
}

GrowingGrammar::Node GrowingGrammar::child(Node parent, Symbol symbol) {
  Node& slot = slots_.find(hash_of(parent, symbol), [&](Node node) {
    return edges_[node].parent == parent && edges_[node].symbol == symbol;
  });
  if (!is_free(slot)) return slot;
  const Node node = slot = count_of<Node>(edges_);
  edges_.push_back({parent, symbol});
  slots_.added([this](Node node) { return hash_of(node); });
  return node;
}

std::uint16_t GrowingGrammar::layout(const std::vector<FeatureId>& features) {
  const std::size_t count = layout_begin_.size() - 1;
  for (std::size_t back = 0; back < count; ++back) {
    const auto id = static_cast<std::uint16_t>(count - 1 - back);
    const std::span<const FeatureId> known(layout_features_.data() + layout_begin_[id],
                                           layout_begin_[id + 1] - layout_begin_[id]);
    if (std::ranges::equal(known, features)) return id;
  }
  expect(count != 0xffff, "expected at most 65535 different sets of feature names, got more");
  layout_features_.insert(layout_features_.end(), features.begin(), features.end());
  layout_begin_.push_back(count_of<std::uint32_t>(layout_features_));
  return static_cast<std::uint16_t>(count);
}

GrowingGrammar::Finished GrowingGrammar::finish() {
  auto tables = std::make_shared<Tables>();
  slots_.clear(0);
  sort_rules(*tables, number_trie(*tables));
  tables->layout_begin = std::move(layout_begin_);
  tables->layout_features = std::move(layout_features_);
  return {tables->view(), tables};
}

// Numbers the trie breadth first, children by symbol; returns the new number of each node.
std::vector<GrowingGrammar::Node> GrowingGrammar::number_trie(Tables& t) {
  const Node n = count_of<Node>(edges_);
  std::vector<std::uint32_t> begin(n + 1, 0);
  for (Node i = 1; i < n; ++i) ++begin[edges_[i].parent + 1];
  std::partial_sum(begin.begin(), begin.end(), begin.begin());
  std::vector<Node> children(n - 1);
  {
    std::vector<std::uint32_t> next(begin.begin(), begin.end() - 1);
    for (Node i = 1; i < n; ++i) children[next[edges_[i].parent]++] = i;
  }
  std::vector<Node> order{0};
  order.reserve(n);
  std::vector<Node> new_number(n);
  t.trie.reserve(n + 1);
  t.symbols.reserve(n);
  t.parents.reserve(n);
  t.parents.push_back(kNoNode);
  for (Node k = 0; k < order.size(); ++k) {
    const Node old = order[k];
    new_number[old] = k;
    t.symbols.push_back(edges_[old].symbol);
    t.trie.push_back({count_of<Node>(order), 0});
    const auto from = children.begin() + begin[old], to = children.begin() + begin[old + 1];
    std::sort(from, to, [&](Node a, Node b) { return edges_[a].symbol < edges_[b].symbol; });
    order.insert(order.end(), from, to);
    t.parents.resize(order.size(), k);
  }
  t.trie.push_back({n, 0});
  for (Node node = t.trie[0].first_child; node < t.trie[1].first_child; ++node) {
    const Symbol word = t.symbols[node];
    if (word < 0) continue;
    if (!t.root_by_word.has(word)) t.root_by_word.resize(word + 1, kNoNode);
    t.root_by_word[word] = node;
  }
  edges_ = {};
  return new_number;
}

void GrowingGrammar::sort_rules(Tables& t, const std::vector<Node>& new_number) {
  const std::uint32_t n = size();
  for (Node& node : node_) node = new_number[node];
  std::vector<std::uint32_t> begin(t.trie.size() + 1, 0);
  for (const Node node : node_) ++begin[node + 1];
  std::partial_sum(begin.begin(), begin.end(), begin.begin());
  for (std::size_t k = 0; k < t.trie.size(); ++k) t.trie[k].first_rule = begin[k];
  std::vector<std::uint32_t> order(n);
  for (std::uint32_t i = 0; i < n; ++i) order[begin[node_[i]]++] = i;
  for (std::size_t k = 0; k + 1 < t.trie.size(); ++k) {
    std::stable_sort(order.begin() + t.trie[k].first_rule, order.begin() + t.trie[k + 1].first_rule,
                     [&](std::uint32_t a, std::uint32_t b) { return lhs_[a] < lhs_[b]; });
  }
  t.lhs = in_order(lhs_, order);
  t.node = in_order(node_, order);
  t.layout = in_order(layout_, order);
  in_order(targets_, target_begin_, order, t.targets, t.target_begin);
  in_order(values_, value_begin_, order, t.values, t.value_begin);
  in_order(alignments_, alignment_begin_, order, t.alignments, t.alignment_begin);
}

}  // namespace hopefear
