// A synchronous grammar: its rules as arrays, and a trie over their source sides.
//
// 1. Make a Grammar over a vocabulary and add rules (or let read_grammar do so).
// 2. Call finish(): rules are put in the order of the trie, so that the rules of one source side
// and
//    one left-hand side stand together, and get their final numbers.
// 3. Read: rule(), source(), and the trie from root().
//
// A compiled grammar (compiled_grammar.h) is finished from the start.
#pragma once

#include "grammar/growing_grammar.h"
#include "grammar/rule_checks.h"

namespace hopefear {

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
  using Node = TrieNumber;
  static constexpr Node kNoNode = hopefear::kNoNode;

  explicit Grammar(std::shared_ptr<Vocabulary> vocabulary)
      : vocabulary_(std::move(vocabulary)), growing_(std::make_unique<GrowingGrammar>()) {}
  // A finished grammar in memory that `memory` owns. With `checks`, nobody sees rules that have not
  // been checked: rules() does so, and throws InputError.
  Grammar(std::shared_ptr<Vocabulary> vocabulary, const GrammarTables& tables,
          std::shared_ptr<const void> memory, std::unique_ptr<const RuleChecks> checks);

  // Throws std::invalid_argument if the two sides do not match.
  void add(const RuleText& rule);
  void finish();
  bool is_finished() const { return !growing_; }

  std::uint32_t size() const { return size_; }
  Rule rule(std::uint32_t id) const;
  std::int32_t lhs(std::uint32_t id) const { return t_.lhs[id]; }
  std::span<const Symbol> target(std::uint32_t id) const {
    const std::uint32_t begin = t_.target_begin[id];
    return {t_.targets.data() + begin, t_.target_begin[id + 1] - begin};
  }
  void source(std::uint32_t id, std::vector<Symbol>& out) const;
  // Sum of weight times value over the rule's own features.
  double score(std::uint32_t id, const double* weights) const;

  Node root() const { return 0; }
  Node child(Node node, Symbol symbol) const;
  // The children of a node are neighbours, those over a nonterminal first. Behind the end of a file
  // that is cut, a node may begin before the one before it: it then has no children and no rules.
  std::span<const Symbol> child_symbols(Node node) const;
  Node first_child(Node node) const { return t_.trie[node].first_child; }
  RuleRange rules(Node node) const {
    const std::uint32_t begin = t_.trie[node].first_rule;
    const RuleRange range{begin, std::max(begin, t_.trie[node + 1].first_rule)};
    if (checks_) checks_->expect_good(range.begin, range.end);
    return range;
  }

  // Rules whose source side is a single nonterminal, by that nonterminal's category.
  struct Unary {
    std::int32_t category;
    RuleRange rules;
  };
  std::span<const Unary> unaries() const { return unaries_; }

  // Throws InputError unless all rules are good.
  void check_rules() const {
    if (checks_) checks_->expect_good(0, size_);
  }
  // That of a compiled grammar, which is read inside reading(); nullptr for other grammars.
  const WatchedFile* file() const { return checks_ ? checks_->file() : nullptr; }
  // A grammar of some of the rules of a compiled one, in this order, in memory of its own.
  std::shared_ptr<const Grammar> copy_of(std::span<const std::uint32_t> rules) const;

  Vocabulary& vocabulary() const { return *vocabulary_; }
  const GrammarTables& tables() const { return t_; }  // of a finished grammar

 private:
  void find_unaries();

  std::shared_ptr<Vocabulary> vocabulary_;
  std::uint32_t size_ = 0;
  GrammarTables t_;
  std::shared_ptr<const void> memory_;
  std::unique_ptr<const RuleChecks> checks_;
  std::vector<Unary> unaries_;
  std::unique_ptr<GrowingGrammar> growing_;
};

}  // namespace hopefear
