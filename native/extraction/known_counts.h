// Rules of a small text with the counts that the rules of a grammar tell, as if the text had been
// added to that of the grammar.
#pragma once

#include "extraction/lexical_table.h"
#include "grammar/sentence_grammar.h"

namespace hopefear {

// Adds up counts from the features of cdec's extractor, as far as `rules` have them and `known`,
// a grammar of the same extractor, has the source side: samples and pairs come from SampleCountF
// and CountEF of both. Lexical weights are those of `links`, the links within the rules of `known`,
// with the links of the rule itself. PostEditNew and PostEditOnly say of which rules `known` lacks
// a source word.
void add_counts(const Grammar& known, const Weights& weights, const LexicalTable& links,
                SentenceGrammar& rules);

}  // namespace hopefear
