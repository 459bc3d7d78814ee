// Vocabulary, weights and grammars, which all sentences of a decoder share; and parsing with them.
//
// 1. read_grammar() and add_glue() while the configuration is read.
// 2. finish(): the vocabulary and the rules' numbers are fixed from here on.
// 3. parse(), from any number of threads.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "grammar/grammar_reader.h"
#include "grammar/sentence_grammar.h"
#include "parse/parser.h"

namespace hopefear {

struct EngineOptions {
  std::string goal = "S";
  std::string default_nonterminal = "X";
  std::int32_t max_span = 10;
  bool glue = true;
  bool pass_through = false;
  std::int32_t extra_pass_through_features = 0;
};

// An arc of the input as text.
struct InputArc {
  std::int32_t from, to;
  std::string word;
  std::vector<std::string> features;
  std::vector<double> values;
};

struct Input {
  std::int32_t length = 0;
  std::vector<InputArc> arcs;
  std::vector<std::string> grammar_paths;                        // of this sentence only
  std::string grammar_text;                                      // of this sentence only
  std::vector<std::shared_ptr<const SentenceGrammar>> grammars;  // of this sentence only
};

class Engine {
 public:
  Engine(std::shared_ptr<Weights> weights, EngineOptions options);

  void read_grammar(const std::string& path) { hopefear::read_grammar(path, *weights_, *main_); }
  void read_sentence_grammar(const std::string& path) {
    hopefear::read_sentence_grammar(path, *weights_, *main_);
  }
  void read_glue(const std::string& path) { hopefear::read_grammar(path, *weights_, *glue_); }
  void finish();

  std::shared_ptr<Forest> parse(const Input& input) const;

  const std::shared_ptr<Weights>& weights() const { return weights_; }
  const Vocabulary& vocabulary() const { return *vocabulary_; }
  // Rules whose numbers are the same in every forest.
  std::uint32_t base_rules() const { return base_.size(); }
  const RuleSpace& base() const { return base_; }

 private:
  std::shared_ptr<Grammar> pass_through(const Lattice& lattice,
                                        std::shared_ptr<Vocabulary> vocabulary) const;

  EngineOptions options_;
  std::shared_ptr<Weights> weights_;
  std::shared_ptr<Vocabulary> vocabulary_;
  std::shared_ptr<Grammar> main_, glue_, goal_;
  RuleSpace base_;
  std::vector<SpanPolicy> policies_;
  std::int32_t goal_category_ = 0, default_category_ = 0;
  std::vector<FeatureId> pass_through_features_;  // PassThrough, PassThrough_1, ...
};

}  // namespace hopefear
