#include "grammar/grammar.h"

#include <algorithm>

namespace hopefear {

Grammar::Grammar(std::shared_ptr<Vocabulary> vocabulary, const GrammarTables& tables,
                 std::shared_ptr<const void> memory, std::unique_ptr<const RuleChecks> checks)
    : vocabulary_(std::move(vocabulary)),
      size_(count_of<std::uint32_t>(tables.lhs)),
      t_(tables),
      memory_(std::move(memory)),
      checks_(std::move(checks)) {
  find_unaries();
}

void Grammar::add(const RuleText& rule) {
  assert(growing_ && "rules are added before finish()");
  growing_->add(rule);
  size_ = growing_->size();
}

void Grammar::finish() {
  assert(growing_);
  GrowingGrammar::Finished finished = growing_->finish();
  growing_.reset();
  t_ = finished.tables;
  memory_ = std::move(finished.memory);
  find_unaries();
}

void Grammar::find_unaries() {
  for (Node node = first_child(0); node < first_child(1) && t_.symbols[node] < 0; ++node) {
    const RuleRange range = rules(node);
    if (range.begin < range.end) unaries_.push_back({-t_.symbols[node], range});
  }
}

Rule Grammar::rule(std::uint32_t id) const {
  const std::uint32_t begin = t_.layout_begin[t_.layout[id]],
                      size = t_.layout_begin[t_.layout[id] + 1u] - begin,
                      alignment = t_.alignment_begin[id];
  return {t_.lhs[id],
          target(id),
          {t_.layout_features.data() + begin, size},
          {t_.values.data() + t_.value_begin[id], size},
          {t_.alignments.data() + alignment, t_.alignment_begin[id + 1] - alignment}};
}

void Grammar::source(std::uint32_t id, std::vector<Symbol>& out) const {
  out.clear();
  for (Node node = t_.node[id]; node != 0; node = t_.parents[node]) out.push_back(t_.symbols[node]);
  std::reverse(out.begin(), out.end());
}

double Grammar::score(std::uint32_t id, const double* weights) const {
  const std::uint32_t begin = t_.layout_begin[t_.layout[id]],
                      end = t_.layout_begin[t_.layout[id] + 1u];
  const float* values = t_.values.data() + t_.value_begin[id];
  double sum = 0;
  for (std::uint32_t k = begin; k < end; ++k) {
    sum += weights[t_.layout_features[k]] * double{values[k - begin]};
  }
  return sum;
}

std::span<const Symbol> Grammar::child_symbols(Node node) const {
  const Node begin = t_.trie[node].first_child;
  return {t_.symbols.data() + begin, std::max(begin, t_.trie[node + 1].first_child) - begin};
}

std::shared_ptr<const Grammar> Grammar::copy_of(std::span<const std::uint32_t> rules) const {
  struct Memory {
    std::shared_ptr<const void> layouts;
    std::vector<std::int32_t> lhs;
    std::vector<Node> node;
    std::vector<std::uint16_t> layout;
    std::vector<std::uint32_t> target_begin{0}, value_begin{0}, alignment_begin{0};
    std::vector<Symbol> targets;
    std::vector<float> values;
    std::vector<AlignmentPoint> alignments;
    // Each source side has a way of its own to the root; nobody asks for ways from it.
    std::vector<TrieNode> trie{{1, 0}, {1, 0}};
    std::vector<Symbol> symbols{0};
    std::vector<Node> parents{kNoNode};
  };
  const auto memory = std::make_shared<Memory>();
  Memory& m = *memory;
  m.layouts = memory_;
  const auto copy = []<class T>(std::span<const T> from, std::uint32_t begin, std::uint32_t end,
                                std::vector<T>& to, std::vector<std::uint32_t>& to_begin) {
    // These are not the checked values any more where the file has been cut.
    if (begin <= end && end <= from.size())
      to.insert(to.end(), from.begin() + begin, from.begin() + end);
    to_begin.push_back(count_of<std::uint32_t>(to));
  };
  Node last = kNoNode, way = 0;
  std::vector<Symbol> source;
  for (const std::uint32_t id : rules) {
    if (t_.node[id] != last) {
      last = t_.node[id];
      this->source(id, source);
      way = 0;
      for (const Symbol symbol : source) {
        m.symbols.push_back(symbol);
        m.parents.push_back(way);
        way = count_of<Node>(m.symbols) - 1;
      }
    }
    m.node.push_back(way);
    m.lhs.push_back(t_.lhs[id]);
    m.layout.push_back(t_.layout[id]);
    const std::uint32_t value = t_.value_begin[id], layout = m.layout.back();
    copy(t_.values, value, value + t_.layout_begin[layout + 1] - t_.layout_begin[layout], m.values,
         m.value_begin);
    copy(t_.targets, t_.target_begin[id], t_.target_begin[id + 1], m.targets, m.target_begin);
    copy(t_.alignments, t_.alignment_begin[id], t_.alignment_begin[id + 1], m.alignments,
         m.alignment_begin);
  }
  const GrammarTables tables{m.lhs,
                             m.node,
                             m.layout,
                             m.target_begin,
                             m.value_begin,
                             m.alignment_begin,
                             m.targets,
                             m.values,
                             m.alignments,
                             t_.layout_begin,
                             t_.layout_features,
                             m.trie,
                             m.symbols,
                             m.parents,
                             {}};
  return std::make_shared<Grammar>(vocabulary_, tables, memory, nullptr);
}

Grammar::Node Grammar::child(Node node, Symbol symbol) const {
  if (node == 0 && symbol > 0) {
    return t_.root_by_word.has(symbol) ? t_.root_by_word[symbol] : kNoNode;
  }
  const std::span<const Symbol> symbols = child_symbols(node);
  const auto found = std::lower_bound(symbols.begin(), symbols.end(), symbol);
  if (found == symbols.end() || *found != symbol) return kNoNode;
  return t_.trie[node].first_child + id_at<Node>(symbols, found);
}

}  // namespace hopefear
