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
  return {t_.symbols.data() + t_.trie[node].first_child,
          t_.trie[node + 1].first_child - t_.trie[node].first_child};
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
