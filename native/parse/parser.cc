#include "parse/parser.h"

#include <algorithm>
#include <unordered_map>

namespace hopefear {
namespace {

using CellId = std::int64_t;
using ItemId = std::int32_t;
using ParsedGroup = std::int32_t;

// A dotted rule: a trie node reached from the root over words and completed nodes.
struct Item {
  Grammar::Node node;
  Grammar::Node first_child;
  std::uint32_t children;
  Symbol first_symbol;  // of the children; below 0 where a nonterminal can follow
  ItemId previous;
  std::int32_t via;  // completed node, or ~arc
};

// The spans that a chart has cells for, numbered: those of at most `band` positions, and those that
// begin at position 0. No rule covers another one, so that memory grows with the input's length.
class Cells {
 public:
  Cells(std::int32_t length, std::int32_t band) : band_(band), width_(CellId{length} + 1) {}

  std::int32_t band() const { return band_; }
  CellId size() const { return width_ + width_ * (band_ + 1); }
  bool has(std::int32_t i, std::int32_t j) const { return i == 0 || j - i <= band(); }
  CellId operator()(std::int32_t i, std::int32_t j) const {
    return i == 0 ? j : width_ + CellId{i} * (band_ + 1) + j - i;
  }

 private:
  std::int32_t band_;
  CellId width_;
};

// The items of one grammar, those of a cell side by side.
struct Chart {
  IdVector<ItemId, Item> items;
  IdVector<CellId, ItemId> begin, end;
};

// Rules of one source side and one left-hand side applied to one span and one sequence of tails.
struct Group {
  NodeId head;
  std::int32_t local_rule, rules;
  std::int32_t tails_begin, tails_end;
  std::int32_t arcs_begin, arcs_end;
};

class Parser {
 public:
  Parser(const Lattice& lattice, const ParserInput& input,
         std::shared_ptr<const Vocabulary> vocabulary)
      : lattice_(lattice),
        input_(input),
        vocabulary_(std::move(vocabulary)),
        cell_(lattice.length(), widest_span(lattice, input.policies)),
        charts_(input.rule_space->grammars()),
        cell_begin_(cell_.size(), 0),
        cell_end_(cell_.size(), 0),
        local_rules_(input.rule_space->grammars()),
        epsilon_(vocabulary_->words->find("*EPS*")) {}

  std::shared_ptr<Forest> run() {
    const std::int32_t n = lattice_.length();
    for (Chart& chart : charts_) {
      chart.begin.assign(cell_.size(), 0);
      chart.end.assign(cell_.size(), 0);
    }
    for (std::size_t g = 0; g < charts_.size(); ++g) {
      for (std::int32_t i = 0; i < n; ++i) {
        if (!may_cover(g, i, i)) continue;
        begin_cell(g, cell_(i, i));
        add_item(g, grammar(g).root(), -1, -1);
        end_cell(g, cell_(i, i));
      }
    }
    for (std::int32_t length = 1; length <= n; ++length) {
      for (std::int32_t i = 0; i + length <= n && cell_.has(i, i + length); ++i)
        complete_cell(i, i + length);
    }
    add_goal();
    return make_forest();
  }

 private:
  // Positions of the longest span that a rule may cover and that need not begin at position 0.
  static std::int32_t widest_span(const Lattice& lattice, const std::vector<SpanPolicy>& policies) {
    std::int32_t distance = 0;
    for (const SpanPolicy& policy : policies) {
      if (!policy.from_start_only) distance = std::max(distance, policy.max_distance);
    }
    return lattice.widest_span(distance);
  }
  const Grammar& grammar(std::size_t g) const { return input_.rule_space->grammar(g); }
  bool may_cover(std::size_t g, std::int32_t i, std::int32_t j) const {
    const SpanPolicy& policy = input_.policies[g];
    return (!policy.from_start_only || i == 0) && lattice_.distance(i, j) <= policy.max_distance;
  }

  // Which items of a cell may move their dot.
  enum class Passage : std::uint8_t { kAll, kOneNode, kNone };
  // Whether the dots of items that begin at `i` may move from `from` to `to`. A rule that covers
  // more than a zone has all of the zone in one nonterminal; no rule crosses a wall.
  Passage passage(std::size_t g, std::int32_t i, std::int32_t from, std::int32_t to) const {
    if (input_.policies[g].from_start_only) return Passage::kAll;
    for (const std::int32_t wall : input_.borders.walls) {
      if (i < wall && wall < to) return Passage::kNone;
    }
    Passage passage = Passage::kAll;
    for (const auto& [begin, end] : input_.borders.zones) {
      const bool is_inside = begin < from && from < end, gets_inside = begin < to && to < end;
      if ((is_inside && to > end) || (gets_inside && i < begin)) return Passage::kNone;
      if (from != end || i < begin || i >= end) continue;
      if (i > begin) return Passage::kNone;
      passage = Passage::kOneNode;
    }
    return passage;
  }
  // Whether the dot of an item is behind one nonterminal, and nothing else.
  bool is_one_node(std::size_t g, ItemId item) const {
    const IdVector<ItemId, Item>& items = charts_[g].items;
    return items[item].via >= 0 && items[items[item].previous].previous < 0;
  }

  void begin_cell(std::size_t g, CellId c) { charts_[g].begin[c] = charts_[g].items.count(); }
  void end_cell(std::size_t g, CellId c) { charts_[g].end[c] = charts_[g].items.count(); }

  void add_item(std::size_t g, Grammar::Node node, std::int32_t previous, std::int32_t via) {
    const std::span<const Symbol> symbols = grammar(g).child_symbols(node);
    charts_[g].items.push_back({node, grammar(g).first_child(node),
                                count_of<std::uint32_t>(symbols),
                                symbols.empty() ? 0 : symbols.front(), previous, via});
  }

  // Moves the dot of an item over a symbol to trie node `node`, in cell (i, j).
  void advance(std::size_t g, Grammar::Node node, std::int32_t previous, std::int32_t via,
               std::int32_t i, std::int32_t j) {
    const RuleRange rules = grammar(g).rules(node);
    const bool has_children = !grammar(g).child_symbols(node).empty();
    if (rules.begin < rules.end) apply(g, rules, previous, via, i, j);
    if (has_children) add_item(g, node, previous, via);
  }

  void complete_cell(std::int32_t i, std::int32_t j) {
    const CellId c = cell_(i, j);
    cell_begin_[c] = category_.count();
    for (std::size_t g = 0; g < charts_.size(); ++g) {
      begin_cell(g, c);
      if (!may_cover(g, i, j)) continue;
      // Spans that end here and begin further left have no nodes.
      for (std::int32_t k = std::max(i + 1, j - cell_.band()); k < j; ++k)
        extend_by_nodes(g, i, k, j);
      extend_by_words(g, i, j);
    }
    apply_unaries(i, j);
    cell_end_[c] = category_.count();
    for (std::size_t g = 0; g < charts_.size(); ++g) {
      if (may_cover(g, i, j)) start_with_nodes(g, i, j);
      end_cell(g, c);
    }
  }

  void extend_by_nodes(std::size_t g, std::int32_t i, std::int32_t k, std::int32_t j) {
    const NodeId begin = cell_begin_[cell_(k, j)], end = cell_end_[cell_(k, j)];
    if (begin == end) return;
    const Passage passage = this->passage(g, i, k, j);
    if (passage == Passage::kNone) return;
    Chart& chart = charts_[g];
    const ItemId last = chart.end[cell_(i, k)];
    for (ItemId a = chart.begin[cell_(i, k)]; a < last; ++a) {
      const Item item = chart.items[a];  // a copy: items grow below
      if (item.first_symbol >= 0) continue;
      if (passage == Passage::kOneNode && !is_one_node(g, a)) continue;
      for (NodeId v = begin; v < end; ++v) {
        const Symbol symbol = -category_[v];
        const Grammar::Node next =
            item.first_symbol == symbol ? item.first_child : grammar(g).child(item.node, symbol);
        if (next != Grammar::kNoNode) advance(g, next, a, v, i, j);
      }
    }
  }

  void extend_by_words(std::size_t g, std::int32_t i, std::int32_t j) {
    Chart& chart = charts_[g];
    for (const std::int32_t arc : lattice_.arcs_into(j)) {
      const Lattice::Arc& a = lattice_.arcs()[arc];
      if (a.from < i) continue;
      const Passage passage = this->passage(g, i, a.from, j);
      if (passage == Passage::kNone) continue;
      const ItemId last = chart.end[cell_(i, a.from)];
      for (ItemId b = chart.begin[cell_(i, a.from)]; b < last; ++b) {
        if (passage == Passage::kOneNode && !is_one_node(g, b)) continue;
        const Grammar::Node node = chart.items[b].node;
        if (a.word == epsilon_) {
          add_item(g, node, b, ~arc);
          continue;
        }
        const Grammar::Node next = grammar(g).child(node, a.word);
        if (next != Grammar::kNoNode) advance(g, next, b, ~arc, i, j);
      }
    }
  }

  // Items that begin with a node of this cell. Their rules are unary and were applied already.
  void start_with_nodes(std::size_t g, std::int32_t i, std::int32_t j) {
    const ItemId root = charts_[g].begin[cell_(i, i)];
    if (passage(g, i, i, j) == Passage::kNone) return;
    for (NodeId v = cell_begin_[cell_(i, j)]; v < cell_end_[cell_(i, j)]; ++v) {
      const Grammar::Node next = grammar(g).child(grammar(g).root(), -category_[v]);
      if (next != Grammar::kNoNode && !grammar(g).child_symbols(next).empty())
        add_item(g, next, root, v);
    }
  }

  void apply_unaries(std::int32_t i, std::int32_t j) {
    const NodeId begin = cell_begin_[cell_(i, j)];
    for (NodeId v = begin; v < category_.count(); ++v) {
      for (std::size_t g = 0; g < charts_.size(); ++g) {
        const SpanPolicy& policy = input_.policies[g];
        if (policy.max_distance < 0 || (policy.from_start_only && i > 0)) continue;
        for (const Grammar::Unary& unary : grammar(g).unaries()) {
          if (unary.category == category_[v]) apply(g, unary.rules, -1, v, i, j);
        }
      }
    }
  }

  // Adds a group for each left-hand side among the rules.
  void apply(std::size_t g, RuleRange rules, std::int32_t previous, std::int32_t via,
             std::int32_t i, std::int32_t j) {
    const std::int32_t tails_begin = tails_.count(), arcs_begin = arcs_.count();
    for (;;) {
      if (via >= 0) {
        tails_.push_back(via);
      } else if (previous >= 0) {
        arcs_.push_back(~via);
      }
      if (previous < 0) break;
      const Item& item = charts_[g].items[previous];
      via = item.via;
      previous = item.previous;
    }
    std::reverse(tails_.begin() + tails_begin, tails_.end());
    if (!lattice_.has_features()) arcs_.resize(arcs_begin);
    for (std::uint32_t r = rules.begin; r < rules.end;) {
      const std::int32_t lhs = grammar(g).lhs(r);
      const std::uint32_t first = r;
      while (r < rules.end && grammar(g).lhs(r) == lhs) ++r;
      groups_.push_back({node_of(lhs, i, j), local_rule(g, first, r),
                         static_cast<std::int32_t>(r - first), tails_begin, tails_.count(),
                         arcs_begin, arcs_.count()});
    }
  }

  NodeId node_of(std::int32_t category, std::int32_t i, std::int32_t j) {
    for (NodeId v = cell_begin_[cell_(i, j)]; v < category_.count(); ++v) {
      if (category_[v] == category) return v;
    }
    category_.push_back(category);
    span_.push_back({i, j});
    return category_.count() - 1;
  }

  // The place of rules [first, last) of a grammar among the rules in use.
  std::int32_t local_rule(std::size_t g, std::uint32_t first, std::uint32_t last) {
    const auto [entry, fresh] = local_rules_[g].try_emplace(first, rules_.count());
    if (fresh) {
      for (std::uint32_t r = first; r < last; ++r)
        rules_.push_back(input_.rule_space->offset(g) + r);
    }
    return entry->second;
  }

  void add_goal() {
    if (lattice_.length() == 0) return;
    const CellId c = cell_(0, lattice_.length());
    const NodeId end = cell_end_[c];
    for (NodeId v = cell_begin_[c]; v < end; ++v) {
      if (category_[v] != input_.goal_category) continue;
      category_.push_back(input_.rule_space->rule(input_.goal_rule).lhs);
      span_.push_back({0, lattice_.length()});
      goal_ = category_.count() - 1;
      tails_.push_back(v);
      rules_.push_back(input_.goal_rule);
      const std::int32_t t = tails_.count(), a = arcs_.count();
      groups_.push_back({goal_, rules_.count() - 1, 1, t - 1, t, a, a});
      return;
    }
  }

  // Sorts the groups by head; those of node v are at [begin[v], begin[v + 1]).
  IdVector<NodeId, ParsedGroup> sort_groups() {
    const IdRows<NodeId, ParsedGroup> by_head =
        sorted_by<NodeId>(category_.count(), groups_, &Group::head);
    IdVector<ParsedGroup, Group> sorted;
    sorted.reserve(groups_.size());
    for (const ParsedGroup g : by_head.values) sorted.push_back(groups_[g]);
    groups_ = std::move(sorted);
    return by_head.begin;
  }

  // Nodes that the goal needs, tails before heads.
  std::vector<NodeId> topological_order(const IdVector<NodeId, ParsedGroup>& begin) {
    enum : std::uint8_t { kNew, kOpen, kDone };
    struct Frame {
      NodeId node;
      std::int32_t group, tail;
    };
    IdVector<NodeId, std::uint8_t> state(category_.count(), kNew);
    std::vector<NodeId> order;
    std::vector<Frame> stack{{goal_, begin[goal_], 0}};
    state[goal_] = kOpen;
    while (!stack.empty()) {
      Frame& frame = stack.back();
      if (frame.group == begin[frame.node + 1]) {
        state[frame.node] = kDone;
        order.push_back(frame.node);
        stack.pop_back();
        continue;
      }
      const Group& group = groups_[frame.group];
      if (group.tails_begin + frame.tail == group.tails_end) {
        ++frame.group;
        frame.tail = 0;
        continue;
      }
      const NodeId tail = tails_[group.tails_begin + frame.tail++];
      if (state[tail] == kNew) {
        state[tail] = kOpen;
        stack.push_back({tail, begin[tail], 0});
      } else if (state[tail] == kOpen) {
        throw std::invalid_argument("unary rules form a cycle through category [" +
                                    std::string(vocabulary_->categories->text(category_[tail])) +
                                    "]");
      }
    }
    return order;
  }

  std::shared_ptr<Forest> make_forest() {
    auto forest = std::make_shared<Forest>();
    forest->rule_space = input_.rule_space;
    forest->vocabulary = vocabulary_;
    forest->source_length = lattice_.length();
    forest->goal_rule = input_.goal_rule;
    if (goal_ < 0) return forest;
    const IdVector<NodeId, ParsedGroup> begin = sort_groups();
    const std::vector<NodeId> order = topological_order(begin);
    IdVector<NodeId, NodeId> new_number(category_.count(), -1);
    NodeId nodes = 0;
    EdgeId edges = 0;
    for (const NodeId v : order) {
      new_number[v] = nodes++;
      for (const ParsedGroup g : ids(begin[v], begin[v + 1])) edges += groups_[g].rules;
    }
    reserve(*forest, nodes, edges);
    FeatureLayer costs;
    for (const NodeId v : order) {
      forest->category.push_back(category_[v]);
      forest->span.push_back(span_[v]);
      for (const ParsedGroup g : ids(begin[v], begin[v + 1])) {
        const Group& group = groups_[g];
        forest->groups.push_back(forest->edges());
        add_edges(*forest, group, new_number);
        if (lattice_.has_features()) add_costs(group, costs);
      }
      forest->edges_begin.push_back(forest->edges());
    }
    forest->groups.push_back(forest->edges());
    forest->rules = std::move(rules_);
    if (lattice_.has_features()) forest->layers.push_back(std::move(costs));
    return forest;
  }

  static void reserve(Forest& forest, NodeId nodes, EdgeId edges) {
    forest.category.reserve(nodes);
    forest.span.reserve(nodes);
    forest.edges_begin.reserve(nodes + 1);
    forest.edges_begin.push_back(0);
    forest.local_rule.reserve(edges);
    forest.head.reserve(edges);
    forest.tails.begin.reserve(edges + 1);
    forest.tails.values.reserve(2 * edges);
  }

  void add_edges(Forest& forest, const Group& group,
                 const IdVector<NodeId, NodeId>& new_number) const {
    for (std::int32_t r = 0; r < group.rules; ++r) {
      forest.local_rule.push_back(group.local_rule + r);
      forest.head.push_back(new_number[group.head]);
      for (std::int32_t t = group.tails_begin; t < group.tails_end; ++t)
        forest.tails.values.push_back(new_number[tails_[t]]);
      forest.tails.close();
    }
  }

  // One row of arc features a group.
  void add_costs(const Group& group, FeatureLayer& costs) const {
    for (std::int32_t a = group.arcs_begin; a < group.arcs_end; ++a) {
      const Lattice::Arc& arc = lattice_.arcs()[arcs_[a]];
      for (std::int32_t f = arc.features_begin; f < arc.features_end; ++f) {
        costs.features.push_back(lattice_.features()[f]);
        costs.values.push_back(lattice_.values()[f]);
      }
    }
    costs.row.resize(costs.row.count() + group.rules, costs.close());
  }

  const Lattice& lattice_;
  const ParserInput& input_;
  std::shared_ptr<const Vocabulary> vocabulary_;
  Cells cell_;
  std::vector<Chart> charts_;

  // completed nodes; those of a cell are neighbours
  IdVector<NodeId, std::int32_t> category_;
  IdVector<NodeId, SourceSpan> span_;
  IdVector<CellId, NodeId> cell_begin_, cell_end_;
  NodeId goal_ = -1;

  IdVector<ParsedGroup, Group> groups_;
  IdVector<std::int32_t, NodeId> tails_;
  IdVector<std::int32_t, Lattice::ArcId> arcs_;
  IdVector<LocalRule, std::uint32_t> rules_;
  std::vector<std::unordered_map<std::uint32_t, LocalRule>> local_rules_;
  Symbol epsilon_;
};

}  // namespace

std::shared_ptr<Forest> parse(const Lattice& lattice, const ParserInput& input,
                              std::shared_ptr<const Vocabulary> vocabulary) {
  return Parser(lattice, input, std::move(vocabulary)).run();
}

}  // namespace hopefear
