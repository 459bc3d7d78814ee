// A synchronous grammar: its rules as arrays, and a trie over their source sides.
//
// 1. Make a Grammar over a vocabulary and add rules (or let read_grammar do so).
// 2. Call finish(): rules are put in the order of the trie, so that the rules of one source side
// and
//    one left-hand side stand together, and get their final numbers.
// 3. Read: rule(), source(), and the trie from root().
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "base/vocabulary.h"
#include "base/weights.h"

namespace hopefear {

struct AlignmentPoint {
  std::uint8_t source;
  std::uint8_t target;
};

// A rule while it is added.
struct RuleText {
  std::int32_t lhs;
  std::vector<Symbol> source;
  std::vector<Symbol> target;
  std::vector<FeatureId> features;
  std::vector<float> values;
  std::vector<AlignmentPoint> alignment;
};

// A rule as it is read; the spans are views of the grammar's memory.
struct Rule {
  std::int32_t lhs;
  std::span<const Symbol> target;
  std::span<const FeatureId> features;
  std::span<const float> values;
  std::span<const AlignmentPoint> alignment;
};

struct RuleRange {
  std::uint32_t begin;
  std::uint32_t end;
};

class Grammar {
 public:
  using Node = std::uint32_t;  // of the trie
  static constexpr Node kNoNode = 0xffffffff;

  explicit Grammar(std::shared_ptr<Vocabulary> vocabulary) : vocabulary_(std::move(vocabulary)) {}

  // Throws std::invalid_argument if the two sides do not match.
  void add(const RuleText& rule);
  void finish();

  std::uint32_t size() const { return static_cast<std::uint32_t>(lhs_.size()); }
  Rule rule(std::uint32_t id) const;
  std::int32_t lhs(std::uint32_t id) const { return lhs_[id]; }
  std::span<const Symbol> target(std::uint32_t id) const {
    return {&targets_[target_begin_[id]], target_size_[id]};
  }
  void source(std::uint32_t id, std::vector<Symbol>& out) const;
  // Sum of weight times value over the rule's own features.
  double score(std::uint32_t id, const double* weights) const;

  Node root() const { return 0; }
  Node child(Node node, Symbol symbol) const;
  // The children of a node are neighbours, those over a nonterminal first.
  std::span<const Symbol> child_symbols(Node node) const;
  Node first_child(Node node) const { return trie_[node].first_child; }
  RuleRange rules(Node node) const { return {trie_[node].first_rule, trie_[node + 1].first_rule}; }

  // Rules whose source side is a single nonterminal, by that nonterminal's category.
  struct Unary {
    std::int32_t category;
    RuleRange rules;
  };
  std::span<const Unary> unaries() const { return unaries_; }

  Vocabulary& vocabulary() const { return *vocabulary_; }

 private:
  struct TrieNode {
    Node first_child;
    std::uint32_t first_rule;
  };
  // The trie while rules are added: its edges, and a hash table over them (open addressing).
  struct Growing {
    struct Edge {
      Node parent;
      Symbol symbol;
    };
    std::vector<Edge> edges{{kNoNode, 0}};
    std::vector<Node> slots = std::vector<Node>(1 << 10, kNoNode);
    std::vector<Symbol> last_source;
    Node last_node = 0;

    Node child(Node parent, Symbol symbol);
    void place(Node node);
    std::size_t slot_of(Node parent, Symbol symbol) const;
  };

  Node growing_node(const std::vector<Symbol>& source);
  std::uint16_t layout(const std::vector<FeatureId>& features);
  std::vector<Node> number_trie();
  void sort_rules(const std::vector<Node>& new_number);

  std::shared_ptr<Vocabulary> vocabulary_;

  // rules
  std::vector<std::int32_t> lhs_;
  std::vector<Node> node_;
  std::vector<std::uint32_t> target_begin_, value_begin_, alignment_begin_;
  std::vector<std::uint8_t> target_size_;
  std::vector<std::uint16_t> alignment_size_;
  std::vector<std::uint16_t> layout_;
  std::vector<Symbol> targets_{0};  // never empty, so that a view of no symbols has an address
  std::vector<float> values_{0};
  std::vector<AlignmentPoint> alignments_{{0, 0}};

  // Most rules of a grammar name the same features in the same order.
  std::vector<std::uint32_t> layout_begin_{0};
  std::vector<FeatureId> layout_features_;

  // trie, in breadth-first order; one more node at the end closes the ranges
  std::vector<TrieNode> trie_;
  std::vector<Symbol> symbols_;
  std::vector<Node> parents_;
  std::vector<Node> root_by_word_;
  std::vector<Unary> unaries_;

  std::unique_ptr<Growing> growing_ = std::make_unique<Growing>();
};

}  // namespace hopefear
