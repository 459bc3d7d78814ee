// Vocabulary, weights and grammars, which all sentences of a decoder share; and parsing with them.
//
// 1. Made, with a compiled grammar or without; read_grammar() and read_glue() while the
//    configuration is read.
// 2. finish(): the vocabulary and the rules' numbers are fixed from here on.
// 3. parse(), from any number of threads.
#pragma once

#include <filesystem>

#include "forest/forest_builder.h"
#include "grammar/compiled_grammar.h"
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
  bool passes = true;  // through, where words pass
};

struct Input {
  std::int32_t length = 0;
  std::vector<InputArc> arcs;
  std::vector<std::filesystem::path> grammar_paths;              // of this sentence only
  std::string grammar_text;                                      // of this sentence only
  std::vector<std::shared_ptr<const SentenceGrammar>> grammars;  // of this sentence only
  Borders borders;
};

class Engine {
 public:
  // `compiled_grammar` is the path of one, or empty. It is the decoder's main grammar, whose words
  // the vocabulary begins with; all other grammars are kept in memory of the process's own.
  Engine(std::shared_ptr<Weights> weights, EngineOptions options,
         const std::filesystem::path& compiled_grammar = {});

  void read_grammar(const std::filesystem::path& path) {
    hopefear::read_grammar(path, *weights_, growing());
  }
  void add_compiled_grammar(const std::filesystem::path& path) {
    hopefear::add_compiled_grammar(path, *weights_, growing());
  }
  void read_sentence_grammar(const std::filesystem::path& path) {
    hopefear::read_sentence_grammar(path, *weights_, growing());
  }
  void read_glue(const std::filesystem::path& path) {
    hopefear::read_grammar(path, *weights_, *glue_);
  }
  void finish();
  // Writes the main grammar, after finish(): what read_grammar() read, without a compiled grammar.
  // Returns its number of rules.
  std::uint32_t write_compiled_grammar(const std::filesystem::path& path) const {
    hopefear::write_compiled_grammar(path, *main_, *weights_);
    return main_->size();
  }

  std::shared_ptr<Forest> parse(const Input& input) const;
  // For a forest from elsewhere, which the decoder rescores.
  ForestGround ground() const { return {std::make_shared<Vocabulary>(*vocabulary_), base_}; }

  const std::shared_ptr<Weights>& weights() const { return weights_; }
  const Vocabulary& vocabulary() const { return *vocabulary_; }
  // Rules whose numbers are the same in every forest.
  std::uint32_t base_rules() const { return base_.size(); }
  const RuleSpace& base() const { return base_; }

 private:
  Grammar& growing();
  std::shared_ptr<Forest> parse_unwatched(const Input& input) const;
  std::shared_ptr<Grammar> pass_through(const Input& input,
                                        std::shared_ptr<Vocabulary> vocabulary) const;

  EngineOptions options_;
  std::shared_ptr<Weights> weights_;
  std::shared_ptr<Vocabulary> vocabulary_;
  std::shared_ptr<Grammar> main_, glue_, goal_;
  std::shared_ptr<Grammar> more_;  // rules beside those of a compiled main grammar; or null
  RuleSpace base_;
  std::vector<SpanPolicy> policies_;
  std::int32_t goal_category_ = 0, default_category_ = 0;
  IdVector<std::int32_t, FeatureId> pass_through_features_;  // PassThrough, PassThrough_1, ...
};

}  // namespace hopefear
