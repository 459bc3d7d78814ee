// A grammar while rules are added: the rules in the order in which they come, and a trie in a hash
// table.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "grammar/grammar_tables.h"

namespace hopefear {

// A rule while it is added.
struct RuleText {
  std::int32_t lhs;
  std::vector<Symbol> source;
  std::vector<Symbol> target;
  std::vector<FeatureId> features;
  std::vector<float> values;
  std::vector<AlignmentPoint> alignment;
};

class GrowingGrammar {
 public:
  // Throws std::invalid_argument if the two sides do not match.
  void add(const RuleText& rule);
  std::uint32_t size() const { return static_cast<std::uint32_t>(lhs_.size()); }

  // The grammar, and what owns the memory of its tables; nothing is added afterwards.
  struct Finished {
    GrammarTables tables;
    std::shared_ptr<const void> memory;
  };
  Finished finish();

 private:
  using Node = TrieNumber;
  struct Tables;

  // The edges of the trie, and a hash table over them (open addressing).
  struct Edge {
    Node parent;
    Symbol symbol;
  };
  Node node_of(const std::vector<Symbol>& source);
  Node child(Node parent, Symbol symbol);
  void place(Node node);
  std::size_t slot_of(Node parent, Symbol symbol) const;

  std::uint16_t layout(const std::vector<FeatureId>& features);
  std::vector<Node> number_trie(Tables& tables);
  void sort_rules(Tables& tables, const std::vector<Node>& new_number);

  std::vector<std::int32_t> lhs_;
  std::vector<Node> node_;
  std::vector<std::uint16_t> layout_;
  std::vector<std::uint32_t> target_begin_{0}, value_begin_{0}, alignment_begin_{0};
  std::vector<Symbol> targets_;
  std::vector<float> values_;
  std::vector<AlignmentPoint> alignments_;

  std::vector<std::uint32_t> layout_begin_{0};
  std::vector<FeatureId> layout_features_;

  std::vector<Edge> edges_{{kNoNode, 0}};
  std::vector<Node> slots_ = std::vector<Node>(1 << 10, kNoNode);
  std::vector<Symbol> last_source_;
  Node last_node_ = 0;
};

}  // namespace hopefear
