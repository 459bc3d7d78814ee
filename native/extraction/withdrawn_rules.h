// Rules that an extraction does not take from corrections.
#pragma once

#include "grammar/grammar.h"

namespace hopefear {

class WithdrawnRules {
 public:
  // Symbols: words, and nonterminals from 0 down, those of the source side in order.
  struct Rule {
    std::vector<Symbol> source, target;
  };

  WithdrawnRules() = default;
  explicit WithdrawnRules(std::vector<Rule> rules) : rules_(std::move(rules)) {}

  bool empty() const { return rules_.empty(); }
  // Whether a rule is one of them, or holds one: its symbols stand together on either side, and no
  // link leads from them to other words.
  bool in(std::span<const Symbol> source, std::span<const Symbol> target,
          std::span<const AlignmentPoint> alignment) const;

 private:
  std::vector<Rule> rules_;
};

}  // namespace hopefear
