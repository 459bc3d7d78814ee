#include "parse/engine.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <unordered_set>

namespace hopefear {
namespace {

constexpr std::int32_t kAnySpan = std::numeric_limits<std::int32_t>::max();
constexpr SpanPolicy kNeverMatched{-1, false};

std::ptrdiff_t characters(std::string_view text) {
  return std::ranges::count_if(text, [](char c) { return (c & 0xC0) != 0x80; });
}

}  // namespace

Engine::Engine(std::shared_ptr<Weights> weights, EngineOptions options,
               const std::filesystem::path& compiled_grammar)
    : options_(std::move(options)),
      weights_(std::move(weights)),
      vocabulary_(std::make_shared<Vocabulary>()),
      glue_(std::make_shared<Grammar>(vocabulary_)),
      goal_(std::make_shared<Grammar>(vocabulary_)) {
  std::optional<CompiledGrammar> compiled;
  if (!compiled_grammar.empty()) compiled.emplace(compiled_grammar).begin(*vocabulary_);
  const std::string s = "[" + options_.goal, x = "[" + options_.default_nonterminal;
  parse_grammar("[Goal] ||| " + s + ",1] ||| [1]", "the goal rule", *weights_, *goal_);
  // Text grammars and compiled ones number the categories alike, with glue rules or without.
  vocabulary_->categories->intern(options_.default_nonterminal);
  if (options_.glue) {
    parse_grammar(s + "] ||| " + x + ",1] ||| [1]\n" + s + "] ||| " + s + ",1] " + x +
                      ",2] ||| [1] [2] ||| Glue=1",
                  "the glue grammar", *weights_, *glue_);
  }
  if (options_.pass_through) {
    pass_through_features_.push_back(weights_->intern("PassThrough"));
    for (std::int32_t n = 1; n <= options_.extra_pass_through_features; ++n) {
      pass_through_features_.push_back(weights_->intern(concat("PassThrough_", n)));
    }
  }
  // Features have the numbers that they get while a text grammar is read.
  main_ =
      compiled ? compiled->grammar(vocabulary_, *weights_) : std::make_shared<Grammar>(vocabulary_);
}

Grammar& Engine::growing() {
  if (!main_->is_finished()) return *main_;
  if (!more_) more_ = std::make_shared<Grammar>(vocabulary_);
  return *more_;
}

void Engine::finish() {
  goal_category_ = vocabulary_->categories->intern(options_.goal);
  default_category_ = vocabulary_->categories->intern(options_.default_nonterminal);
  policies_ = {{options_.max_span, false}, {kAnySpan, true}, kNeverMatched};
  if (more_) policies_.push_back({options_.max_span, false});
  for (const auto& grammar : {main_, glue_, goal_, more_}) {
    if (!grammar) continue;
    if (!grammar->is_finished()) grammar->finish();
    base_.add(grammar);
  }
  base_.set_lasting(vocabulary_->words->end());
}

std::shared_ptr<Forest> Engine::parse(const Input& input) const {
  return reading(main_->file(), [&] { return parse_unwatched(input); });
}

std::shared_ptr<Forest> Engine::parse_unwatched(const Input& input) const {
  auto vocabulary = std::make_shared<Vocabulary>(*vocabulary_);
  Lattice lattice(input.length);
  std::vector<FeatureId> features;
  for (const InputArc& arc : input.arcs) {
    features.clear();
    for (const std::string& name : arc.features) features.push_back(weights_->intern(name));
    lattice.add_arc(arc.from, arc.to, vocabulary->words->intern(arc.word), features, arc.values);
  }
  lattice.finish();

  auto rules = std::make_shared<RuleSpace>(base_);
  ParserInput parser_input{rules, policies_, goal_->size() > 0 ? base_.offset(2) : 0,
                           goal_category_, input.borders};
  if (!input.grammar_paths.empty() || !input.grammar_text.empty() || !input.grammars.empty()) {
    auto grammar = std::make_shared<Grammar>(vocabulary);
    for (const std::filesystem::path& path : input.grammar_paths)
      hopefear::read_sentence_grammar(path, *weights_, *grammar);
    parse_grammar(input.grammar_text, "the sentence's grammar", *weights_, *grammar);
    auto unlimited = std::make_shared<Grammar>(vocabulary);
    for (const auto& rules : input.grammars)
      add_rules(*rules, *weights_, rules->any_span ? *unlimited : *grammar);
    grammar->finish();
    rules->add(grammar);
    parser_input.policies.push_back({options_.max_span, false});
    if (unlimited->size() > 0) {
      unlimited->finish();
      rules->add(unlimited);
      parser_input.policies.push_back({kAnySpan, false});
    }
  }
  if (options_.pass_through) {
    rules->add_pass_through(pass_through(input, vocabulary));
    parser_input.policies.push_back({std::max(options_.max_span, 1), false});
  }
  auto forest = hopefear::parse(lattice, parser_input, vocabulary);
  rules->keep(forest->rules);
  return forest;
}

// cdec's rules for passing a source word through.
std::shared_ptr<Grammar> Engine::pass_through(const Input& input,
                                              std::shared_ptr<Vocabulary> vocabulary) const {
  auto grammar = std::make_shared<Grammar>(vocabulary);
  std::unordered_set<Symbol> seen;
  for (const InputArc& arc : input.arcs) {
    const Symbol word = vocabulary->words->intern(arc.word);
    if (!arc.passes || !seen.insert(word).second) continue;
    RuleText rule{default_category_, {word}, {word}, {pass_through_features_[0]}, {1.0f}, {{0, 0}}};
    if (options_.extra_pass_through_features > 0) {
      const double length = static_cast<double>(characters(arc.word));
      const auto bucket = static_cast<std::int32_t>(std::log(length) / std::log(1.6)) + 1;
      rule.features.push_back(
          pass_through_features_[std::min(bucket, options_.extra_pass_through_features)]);
      rule.values.push_back(1.0f);
    }
    grammar->add(rule);
  }
  grammar->finish();
  return grammar;
}

}  // namespace hopefear
