// Rules independent of a decoder: the result of an extractor, and an input of parsing a sentence.
#pragma once

#include "grammar/grammar.h"

namespace hopefear {

struct SentenceGrammar {
  // A symbol is a word's place in `words` plus 1, or minus the index of a nonterminal in source
  // order (0, -1, ...), on both sides. Rules of one source side are neighbours and share it.
  struct Item {
    std::uint32_t source, target, alignment;  // where they begin
    std::uint8_t source_size, target_size;
    std::uint16_t alignment_size;
  };
  std::string category = "X";  // of left-hand sides and nonterminals
  bool any_span = false;       // whether the rules may cover more words than a decoder's limit
  IdVector<Symbol, std::string> words;
  std::vector<std::string> features;
  std::vector<Item> rules;
  std::vector<Symbol> symbols;
  std::vector<AlignmentPoint> points;
  std::vector<double> values;  // a row a rule, with a column a feature

  std::size_t size() const { return rules.size(); }
  std::span<const Symbol> source(const Item& rule) const {
    return {symbols.data() + rule.source, rule.source_size};
  }
  std::span<const Symbol> target(const Item& rule) const {
    return {symbols.data() + rule.target, rule.target_size};
  }
  std::span<const AlignmentPoint> alignment(const Item& rule) const {
    return {points.data() + rule.alignment, rule.alignment_size};
  }
  std::span<const double> values_of(std::size_t rule) const {
    return {values.data() + rule * features.size(), features.size()};
  }

  // cdec's text form, a line a rule.
  std::string text() const;
};

// Whether the text format can hold the word: it is not ||| and does not look like a nonterminal.
bool can_be_written(std::string_view word);

// Adds the rules to a grammar that is not finished.
void add_rules(const SentenceGrammar& rules, Weights& weights, Grammar& grammar);

}  // namespace hopefear
