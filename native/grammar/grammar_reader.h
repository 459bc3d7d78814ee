// cdec's text form of grammars: `[LHS] ||| source ||| target ||| features [||| alignment]`.
#pragma once

#include "grammar/grammar.h"

namespace hopefear {

// Adds the rules of a file (plain or gz). Throws InputError with file and line; also without rules.
void read_grammar(const std::string& path, Weights& weights, Grammar& grammar);

// The same for a grammar of one sentence, which the input names: it may have no rules, only a
// regular file is opened, and messages quote none of it.
void read_sentence_grammar(const std::string& path, Weights& weights, Grammar& grammar);

// The same for a text in memory; `name` stands for the file in messages.
void parse_grammar(std::string_view text, const std::string& name, Weights& weights,
                   Grammar& grammar);

}  // namespace hopefear
