
#include <algorithm>

#include "check.h"
#include "files.h"
#include "grammar/compiled_grammar.h"
#include "grammar/grammar_reader.h"

using namespace hopefear;

struct ReadGrammar {
  Weights weights;
  std::shared_ptr<Vocabulary> vocabulary = std::make_shared<Vocabulary>();
  Grammar grammar{vocabulary};
  void parse(std::string_view text) { parse_grammar(text, "text", weights, grammar); }
};

TEST(rules_come_back_as_they_were_read) {
  ReadGrammar f;
  f.parse(
      "[X] ||| b ||| ||| 0.5 named=-2 .25e1\n\n[NP] ||| a [X,1] b [NP] ||| [2] z [X,1] ||| n=1 ||| "
      "0-1 2-1\n");
  f.grammar.finish();
  CHECK_EQUAL(f.grammar.size(), 2u);
  const std::uint32_t wide = f.grammar.rule(0).target.empty() ? 1 : 0;
  const Rule rule = f.grammar.rule(wide), empty = f.grammar.rule(1 - wide);
  std::vector<Symbol> source;
  f.grammar.source(wide, source);
  CHECK_EQUAL(source.size(), 4u);
  CHECK_EQUAL(f.vocabulary->categories->text(-source[1]), "X");
  CHECK_EQUAL(f.vocabulary->categories->text(-source[3]), "NP");
  CHECK_EQUAL(f.vocabulary->categories->text(rule.lhs), "NP");
  CHECK_EQUAL(rule.target[0], -1);
  CHECK_EQUAL(rule.target[2], 0);
  CHECK_EQUAL(rule.alignment.size(), 2u);
  CHECK_EQUAL(int{rule.alignment[1].source}, 2);
  CHECK(empty.target.empty() && empty.alignment.empty());
  CHECK_EQUAL(f.weights.name(empty.features[0]), "PhraseModel_0");
  CHECK_EQUAL(f.weights.name(empty.features[1]), "named");
  CHECK_EQUAL(f.weights.name(empty.features[2]), "PhraseModel_2");
  CHECK_EQUAL(empty.values[2], 2.5f);
}

TEST(the_trie_finds_every_source_side) {
  ReadGrammar f;
  std::string text;
  for (int i = 0; i < 200; ++i) {
    text += "[X] ||| w" + std::to_string(i % 20) + " [X,1] w" + std::to_string(i / 20) +
            " ||| [1] t" + std::to_string(i) + "\n";
  }
  f.parse(text + "[X] ||| [X,1] ||| [1] q\n[S] ||| w1 [X,1] w1 ||| [1]\n");
  f.grammar.finish();
  CHECK_EQUAL(f.grammar.size(), 202u);
  CHECK_EQUAL(f.grammar.unaries().size(), 1u);
  for (std::uint32_t id = 0; id < f.grammar.size(); ++id) {
    std::vector<Symbol> source;
    f.grammar.source(id, source);
    Grammar::Node node = f.grammar.root();
    for (const Symbol symbol : source) node = f.grammar.child(node, symbol);
    const RuleRange rules = f.grammar.rules(node);
    CHECK(rules.begin <= id && id < rules.end);
  }
  CHECK_EQUAL(f.grammar.child(f.grammar.root(), 100000), Grammar::kNoNode);
}

TEST(scores_are_sums_of_weight_times_value) {
  ReadGrammar f;
  f.parse("[X] ||| a ||| b ||| x=2 y=-1");
  f.grammar.finish();
  f.weights.data()[f.weights.find("x")] = 0.5;
  f.weights.data()[f.weights.find("y")] = 3;
  CHECK_EQUAL(f.grammar.score(0, f.weights.data()), -2.0);
}

TEST(bad_rules_are_refused) {
  const auto refuse = [](const std::string& rule, const char* expected) {
    const std::string text = "[X] ||| a ||| b ||| f=1\n" + rule + "\n[X] ||| c ||| d ||| f=1\n";
    ReadGrammar f;
    CHECK_INPUT_ERROR(f.parse(text), 2u, expected);
    for (const std::string& content : {text, gzip(text)}) {
      const TemporaryFile file(content);
      ReadGrammar g;
      CHECK_INPUT_ERROR(read_grammar(file.path(), g.weights, g.grammar), 2u, expected);
    }
  };
  refuse("no rule", "expected '[LHS] ||| source");
  refuse("[X] ||| a", "expected '[LHS] ||| source");
  refuse("[X] ||| a ||| b ||| ||| ||| ", "at most five fields");
  refuse("X ||| a ||| b", "left-hand side");
  refuse("[X] [Y] ||| a ||| b", "left-hand side");
  refuse("[] ||| a ||| b", "left-hand side");
  refuse("[X,1] ||| a ||| b", "expected a category");
  refuse("[X] ||| ||| b", "expected a source side");
  refuse("[X] ||| [X,2] ||| [1]", "numbered from left to right");
  refuse("[X] ||| [X,0] ||| [1]", "nonterminal such as");
  refuse("[X] ||| [X,one] ||| [1]", "nonterminal such as");
  refuse("[X] ||| [X,1] ||| [one]", "got [1] on the source side only");
  refuse("[X] ||| [X,1] ||| [2]", "got [2] on the target side only");
  refuse("[X] ||| [X,1] ||| [1] [1]", "twice");
  refuse("[X] ||| [X,1] ||| a", "got [1] on the source side only");
  refuse("[X] ||| [X,1] ||| [Y,1]", "category of the source nonterminal");
  refuse("[X] ||| a ||| b ||| f=", "name=number");
  refuse("[X] ||| a ||| b ||| f=nan", "name=number");
  refuse("[X] ||| a ||| b ||| f=1e999", "name=number");
  refuse("[X] ||| a ||| b ||| =1", "feature name before");
  refuse("[X] ||| a ||| b ||| f=1 f=2", "expected one value for each feature");
  refuse("[X] ||| a ||| b ||| f=1 ||| 0", "alignment points");
  refuse("[X] ||| a ||| b ||| f=1 ||| 0-", "alignment points");
  refuse("[X] ||| a ||| b ||| f=1 ||| 0-1", "inside the rule");
  refuse("[X] ||| a ||| b ||| f=1 ||| 300-0", "alignment points");
  std::string wide;
  for (int i = 0; i < 256; ++i) wide += " a";
  refuse("[X] |||" + wide + " ||| b", "at most 255 symbols");
  std::string points;
  for (int i = 0; i < 0x10000; ++i) points += " 0-0";
  refuse("[X] ||| a ||| b ||| f=1 |||" + points, "at most 65535 alignment points");
}

TEST(an_empty_file_is_no_grammar) {
  const TemporaryFile file;
  ReadGrammar f;
  CHECK_INPUT_ERROR(read_grammar(file.path(), f.weights, f.grammar), 0u, "empty file");
  const TemporaryFile blank("\n \t\n");
  CHECK_INPUT_ERROR(read_grammar(blank.path(), f.weights, f.grammar), 0u, "only blank lines");
}

TEST(a_sentence_grammar_may_be_empty_and_is_not_quoted) {
  const TemporaryFile file, blank("\n \t\n"), bad("\n[X] ||| secret\n");
  ReadGrammar f;
  read_sentence_grammar(file.path(), f.weights, f.grammar);
  read_sentence_grammar(blank.path(), f.weights, f.grammar);
  CHECK_EQUAL(f.grammar.size(), 0u);
  try {
    read_sentence_grammar(bad.path(), f.weights, f.grammar);
    CHECK(false);
  } catch (const InputError& error) {
    CHECK_EQUAL(error.line(), 2u);
    CHECK_EQUAL(std::string(error.what()),
                "expected '[LHS] ||| source ||| target ||| features [||| alignment]'");
  }
  CHECK_INPUT_ERROR(read_sentence_grammar("/dev/null", f.weights, f.grammar), 0u, "regular file");
  CHECK_INPUT_ERROR(read_sentence_grammar("/", f.weights, f.grammar), 0u, "regular file");
}

TEST(a_compiled_grammar_has_the_same_rules) {
  std::string text = "[X] ||| [X,1] ||| [1] q\n[S] ||| w1 [X,1] w1 ||| [1] ||| g=0.5 ||| 0-0\n";
  for (int i = 0; i < 3000; ++i) {  // several blocks of rules
    text += "[X] ||| w" + std::to_string(i % 20) + " [X,1] w" + std::to_string(i / 20) +
            " ||| [1] t" + std::to_string(i) + " ||| f=" + std::to_string(i) + "\n";
  }
  ReadGrammar f;
  f.parse(text);
  f.grammar.finish();
  const TemporaryFile file;
  write_compiled_grammar(file.path(), f.grammar, f.weights);

  Weights weights;
  weights.intern("other");
  const auto vocabulary = std::make_shared<Vocabulary>();
  std::shared_ptr<Grammar> mapped;
  {
    const CompiledGrammar compiled(file.path());
    compiled.begin(*vocabulary);
    mapped = compiled.grammar(vocabulary, weights);
  }
  Grammar copied(std::make_shared<Vocabulary>());
  add_compiled_grammar(file.path(), weights, copied);
  copied.finish();
  for (const Grammar* g : {static_cast<const Grammar*>(mapped.get()), &std::as_const(copied)}) {
    CHECK_EQUAL(g->size(), f.grammar.size());
    CHECK_EQUAL(g->unaries().size(), 1u);
    std::vector<Symbol> source, expected;
    for (std::uint32_t id = 0; id < g->size(); ++id) {
      g->source(id, source);
      f.grammar.source(id, expected);
      CHECK(source == expected);
      Grammar::Node node = g->root();
      for (const Symbol symbol : source) node = g->child(node, symbol);
      const RuleRange rules = g->rules(node);
      CHECK(rules.begin <= id && id < rules.end);
      const Rule rule = g->rule(id), other = f.grammar.rule(id);
      CHECK_EQUAL(rule.lhs, other.lhs);
      CHECK(std::ranges::equal(rule.target, other.target));
      CHECK(std::ranges::equal(rule.values, other.values));
      CHECK_EQUAL(rule.alignment.size(), other.alignment.size());
      CHECK_EQUAL(rule.features.size(), other.features.size());
      for (std::size_t k = 0; k < rule.features.size(); ++k)
        CHECK_EQUAL(weights.name(rule.features[k]), f.weights.name(other.features[k]));
    }
  }
}

TEST(a_damaged_rule_is_found_when_it_is_needed) {
  std::string text;
  for (int i = 0; i < 3000; ++i) text += "[X] ||| w" + std::to_string(i) + " ||| t ||| f=1\n";
  ReadGrammar f;
  f.parse(text);
  f.grammar.finish();
  const TemporaryFile file;
  write_compiled_grammar(file.path(), f.grammar, f.weights);
  std::string content = read_file(file.path());
  content[content.size() - 70] ^= 1;  // in one of the last values; padding may follow
  file.write(content);
  Weights weights;
  const auto vocabulary = std::make_shared<Vocabulary>();
  const CompiledGrammar compiled(file.path());
  compiled.begin(*vocabulary);
  const auto grammar = compiled.grammar(vocabulary, weights);
  const auto rules_of = [&](const char* word) {
    return grammar->rules(grammar->child(grammar->root(), vocabulary->words->find(word)));
  };
  CHECK_EQUAL(rules_of("w0").end, 1u);
  CHECK_INPUT_ERROR(rules_of("w2999"), 0u, "the checksum of block 2");
  CHECK_INPUT_ERROR(grammar->check_rules(), 0u, "the checksum of block 2");
}
