#include "grammar/grammar.h"

#include <algorithm>
#include <cassert>
#include <numeric>
#include <stdexcept>

namespace hopefear {
namespace {

void check_sides(const RuleText& rule) {
  if (rule.source.empty()) throw std::invalid_argument("expected a source side, got none");
  if (rule.source.size() > 255 || rule.target.size() > 255) {
    throw std::invalid_argument("expected at most 255 symbols on each side, got " +
                                std::to_string(std::max(rule.source.size(), rule.target.size())));
  }
  const auto arity = std::count_if(rule.source.begin(), rule.source.end(),
                                   [](Symbol symbol) { return symbol < 0; });
  std::vector<bool> seen(static_cast<std::size_t>(arity), false);
  for (const Symbol symbol : rule.target) {
    if (symbol > 0) continue;
    if (-symbol >= arity) {
      throw std::invalid_argument("expected nonterminals on both sides, got [" +
                                  std::to_string(1 - symbol) + "] on the target side only");
    }
    if (seen[static_cast<std::size_t>(-symbol)]) {
      throw std::invalid_argument("expected each target nonterminal once, got [" +
                                  std::to_string(1 - symbol) + "] twice");
    }
    seen[static_cast<std::size_t>(-symbol)] = true;
  }
  const auto missing = std::find(seen.begin(), seen.end(), false);
  if (missing != seen.end()) {
    throw std::invalid_argument("expected nonterminals on both sides, got [" +
                                std::to_string(missing - seen.begin() + 1) +
                                "] on the source side only");
  }
  if (rule.alignment.size() > 0xffff) {
    throw std::invalid_argument("expected at most 65535 alignment points, got " +
                                std::to_string(rule.alignment.size()));
  }
  for (const AlignmentPoint point : rule.alignment) {
    if (point.source >= rule.source.size() || point.target >= rule.target.size()) {
      throw std::invalid_argument("expected alignment points inside the rule, got " +
                                  std::to_string(point.source) + "-" +
                                  std::to_string(point.target));
    }
  }
}

}  // namespace

void Grammar::add(const RuleText& rule) {
  assert(growing_ && "rules are added before finish()");
  check_sides(rule);
  const std::uint16_t layout_id = layout(rule.features);
  lhs_.push_back(rule.lhs);
  node_.push_back(growing_node(rule.source));
  target_begin_.push_back(static_cast<std::uint32_t>(targets_.size()));
  target_size_.push_back(static_cast<std::uint8_t>(rule.target.size()));
  targets_.insert(targets_.end(), rule.target.begin(), rule.target.end());
  layout_.push_back(layout_id);
  value_begin_.push_back(static_cast<std::uint32_t>(values_.size()));
  values_.insert(values_.end(), rule.values.begin(), rule.values.end());
  alignment_begin_.push_back(static_cast<std::uint32_t>(alignments_.size()));
  alignment_size_.push_back(static_cast<std::uint16_t>(rule.alignment.size()));
  alignments_.insert(alignments_.end(), rule.alignment.begin(), rule.alignment.end());
}

Grammar::Node Grammar::growing_node(const std::vector<Symbol>& source) {
  Growing& g = *growing_;
  if (source == g.last_source) return g.last_node;
  Node node = 0;
  for (const Symbol symbol : source) node = g.child(node, symbol);
  g.last_source = source;
  g.last_node = node;
  return node;
}

// Where the search for an edge begins.
std::size_t Grammar::Growing::slot_of(Node parent, Symbol symbol) const {
  std::uint64_t key = (std::uint64_t{parent} << 32) | static_cast<std::uint32_t>(symbol);
  key *= 0x9E3779B97F4A7C15ULL;
  return (key ^ (key >> 32)) & (slots.size() - 1);
}

Grammar::Node Grammar::Growing::child(Node parent, Symbol symbol) {
  for (std::size_t slot = slot_of(parent, symbol); slots[slot] != kNoNode;
       slot = (slot + 1) & (slots.size() - 1)) {
    const Edge& edge = edges[slots[slot]];
    if (edge.parent == parent && edge.symbol == symbol) return slots[slot];
  }
  edges.push_back({parent, symbol});
  const Node node = static_cast<Node>(edges.size()) - 1;
  if (2 * edges.size() <= slots.size()) {
    place(node);
  } else {
    slots.assign(2 * slots.size(), kNoNode);
    for (Node k = 1; k <= node; ++k) place(k);
  }
  return node;
}

void Grammar::Growing::place(Node node) {
  std::size_t slot = slot_of(edges[node].parent, edges[node].symbol);
  while (slots[slot] != kNoNode) slot = (slot + 1) & (slots.size() - 1);
  slots[slot] = node;
}

std::uint16_t Grammar::layout(const std::vector<FeatureId>& features) {
  const std::size_t count = layout_begin_.size() - 1;
  for (std::size_t back = 0; back < count; ++back) {
    const std::size_t id = count - 1 - back;
    const std::span<const FeatureId> known(layout_features_.data() + layout_begin_[id],
                                           layout_begin_[id + 1] - layout_begin_[id]);
    if (std::ranges::equal(known, features)) return static_cast<std::uint16_t>(id);
  }
  if (count == 0xffff)
    throw std::invalid_argument("expected at most 65535 different sets of feature names, got more");
  layout_features_.insert(layout_features_.end(), features.begin(), features.end());
  layout_begin_.push_back(static_cast<std::uint32_t>(layout_features_.size()));
  return static_cast<std::uint16_t>(count);
}

void Grammar::finish() {
  assert(growing_);
  const std::vector<Node> new_number = number_trie();
  growing_.reset();
  sort_rules(new_number);
  for (Node node = first_child(0); node < first_child(1) && symbols_[node] < 0; ++node) {
    const RuleRange range = rules(node);
    if (range.begin < range.end) unaries_.push_back({-symbols_[node], range});
  }
}

// Numbers the trie breadth first, children by symbol; returns the new number of each node.
std::vector<Grammar::Node> Grammar::number_trie() {
  const auto& edges = growing_->edges;
  const std::size_t n = edges.size();
  std::vector<std::uint32_t> begin(n + 1, 0);
  for (std::size_t i = 1; i < n; ++i) ++begin[edges[i].parent + 1];
  std::partial_sum(begin.begin(), begin.end(), begin.begin());
  std::vector<Node> children(n - 1);
  {
    std::vector<std::uint32_t> next(begin.begin(), begin.end() - 1);
    for (std::size_t i = 1; i < n; ++i) children[next[edges[i].parent]++] = static_cast<Node>(i);
  }
  std::vector<Node> order{0};
  order.reserve(n);
  std::vector<Node> new_number(n);
  trie_.reserve(n + 1);
  symbols_.reserve(n);
  parents_.reserve(n);
  parents_.push_back(kNoNode);
  for (std::size_t k = 0; k < order.size(); ++k) {
    const Node old = order[k];
    new_number[old] = static_cast<Node>(k);
    symbols_.push_back(edges[old].symbol);
    trie_.push_back({static_cast<Node>(order.size()), 0});
    const auto from = children.begin() + begin[old], to = children.begin() + begin[old + 1];
    std::sort(from, to, [&](Node a, Node b) { return edges[a].symbol < edges[b].symbol; });
    order.insert(order.end(), from, to);
    parents_.insert(parents_.end(), static_cast<std::size_t>(to - from), static_cast<Node>(k));
  }
  trie_.push_back({static_cast<Node>(n), 0});
  for (Node node = first_child(0); node < first_child(1); ++node) {
    const Symbol word = symbols_[node];
    if (word < 0) continue;
    if (root_by_word_.size() <= static_cast<std::size_t>(word)) {
      root_by_word_.resize(static_cast<std::size_t>(word) + 1, kNoNode);
    }
    root_by_word_[static_cast<std::size_t>(word)] = node;
  }
  return new_number;
}

void Grammar::sort_rules(const std::vector<Node>& new_number) {
  const std::size_t n = lhs_.size();
  for (Node& node : node_) node = new_number[node];
  std::vector<std::uint32_t> begin(trie_.size() + 1, 0);
  for (const Node node : node_) ++begin[node + 1];
  std::partial_sum(begin.begin(), begin.end(), begin.begin());
  for (std::size_t k = 0; k < trie_.size(); ++k) trie_[k].first_rule = begin[k];
  std::vector<std::uint32_t> order(n);
  for (std::size_t i = 0; i < n; ++i) order[begin[node_[i]]++] = static_cast<std::uint32_t>(i);
  for (std::size_t k = 0; k + 1 < trie_.size(); ++k) {
    std::stable_sort(order.begin() + trie_[k].first_rule, order.begin() + trie_[k + 1].first_rule,
                     [&](std::uint32_t a, std::uint32_t b) { return lhs_[a] < lhs_[b]; });
  }
  const auto permute = [&order]<class T>(std::vector<T>& values) {
    std::vector<T> moved;
    moved.reserve(values.size());
    for (const std::uint32_t i : order) moved.push_back(values[i]);
    values = std::move(moved);
  };
  permute(lhs_);
  permute(node_);
  permute(target_begin_);
  permute(target_size_);
  permute(layout_);
  permute(value_begin_);
  permute(alignment_begin_);
  permute(alignment_size_);
  targets_.shrink_to_fit();
  values_.shrink_to_fit();
  alignments_.shrink_to_fit();
}

Rule Grammar::rule(std::uint32_t id) const {
  const std::uint32_t begin = layout_begin_[layout_[id]], end = layout_begin_[layout_[id] + 1u];
  return {lhs_[id],
          target(id),
          {layout_features_.data() + begin, end - begin},
          {values_.data() + value_begin_[id], end - begin},
          {&alignments_[0] + alignment_begin_[id], alignment_size_[id]}};
}

void Grammar::source(std::uint32_t id, std::vector<Symbol>& out) const {
  out.clear();
  for (Node node = node_[id]; node != 0; node = parents_[node]) out.push_back(symbols_[node]);
  std::reverse(out.begin(), out.end());
}

double Grammar::score(std::uint32_t id, const double* weights) const {
  const std::uint32_t begin = layout_begin_[layout_[id]], end = layout_begin_[layout_[id] + 1u];
  const float* values = values_.data() + value_begin_[id];
  double sum = 0;
  for (std::uint32_t k = begin; k < end; ++k) {
    sum += weights[layout_features_[k]] * static_cast<double>(values[k - begin]);
  }
  return sum;
}

std::span<const Symbol> Grammar::child_symbols(Node node) const {
  return {symbols_.data() + trie_[node].first_child,
          trie_[node + 1].first_child - trie_[node].first_child};
}

Grammar::Node Grammar::child(Node node, Symbol symbol) const {
  if (node == 0 && symbol > 0) {
    return static_cast<std::size_t>(symbol) < root_by_word_.size()
               ? root_by_word_[static_cast<std::size_t>(symbol)]
               : kNoNode;
  }
  const std::span<const Symbol> symbols = child_symbols(node);
  const auto found = std::lower_bound(symbols.begin(), symbols.end(), symbol);
  if (found == symbols.end() || *found != symbol) return kNoNode;
  return trie_[node].first_child + static_cast<Node>(found - symbols.begin());
}

}  // namespace hopefear
