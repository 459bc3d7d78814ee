// How often the words of one sentence pair are linked: in a parallel text, or in the rules of a
// grammar. What the alignment of the pair is found from.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "extraction/lexical_table.h"
#include "grammar/grammar.h"

namespace hopefear {

struct LinkCounts {
  // A row a source word and a column a target word, the empty word last on either side.
  std::vector<double> pairs;
  // All links of each word, the empty word last.
  std::vector<double> sources, targets;
};

// Of words whose numbers are those of the table; words that it does not know may have numbers below
// 0. The links of `out` do not count.
LinkCounts link_counts(const LexicalTable& table, const LexicalTable& out,
                       std::span<const Word> source, std::span<const Word> target);

// Adds the links within the rules of a grammar, by the numbers of its vocabulary. A word of a rule
// without a link counts as linked to the empty word.
void add_links(const Grammar& grammar, LexicalTable& table);

}  // namespace hopefear
