// A grammar while rules are added: the rules in the order in which they come, and a trie in a hash
// table.
#pragma once

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
  std::uint32_t size() const { return count_of<std::uint32_t>(lhs_); }

  // The grammar, and what owns the memory of its tables; nothing is added afterwards.
  struct Finished {
    GrammarTables tables;
    std::shared_ptr<const void> memory;
  };
  Finished finish();

 private:
  using Node = TrieNumber;
  struct Tables;

  // The edges of the trie; that to a node has the node's number.
  struct Edge {
    Node parent;
    Symbol symbol;
  };
  Node node_of(const std::vector<Symbol>& source);
  Node child(Node parent, Symbol symbol);
  std::uint32_t hash_of(Node node) const {
    return hash_of(edges_[node].parent, edges_[node].symbol);
  }
  static std::uint32_t hash_of(Node parent, Symbol symbol) {
    return probing_hash((std::uint64_t{parent} << 32) | static_cast<std::uint32_t>(symbol));
  }

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
  ProbingSlots<Node> slots_{1 << 10};  // of the nodes but the root, which is 0
  std::vector<Symbol> last_source_;
  Node last_node_ = 0;
};

}  // namespace hopefear
