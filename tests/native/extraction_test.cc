#include <algorithm>
#include <random>

#include "check.h"
#include "extraction/grammar_extractor.h"
#include "files.h"

using namespace hopefear;

namespace {

using Words = std::vector<std::string_view>;
const std::vector<std::string> kFeatures = {"EgivenFCoherent", "SampleCountF",   "CountEF",
                                            "MaxLexFgivenE",   "MaxLexEgivenF",  "IsSingletonF",
                                            "IsSingletonFE",   "LogProbEgivenF", "LogProbFgivenE",
                                            "LogLexEgivenF",   "LogLexFgivenE"};

struct RandomPairs {
  std::mt19937 draw{1};
  std::size_t below(std::size_t n) { return draw() % n; }
  Words words(std::string_view letters, std::size_t least) {
    Words out(least + below(9));
    for (std::string_view& word : out) word = letters.substr(below(letters.size()), 1);
    return out;
  }
  void add(Bitext& bitext) {
    const Words source = words("abcd", 0), target = words("wxyz", 0);
    std::vector<GivenLink> links;
    for (std::size_t i = below(9); i > 0 && !source.empty() && !target.empty(); --i) {
      links.push_back({static_cast<std::int64_t>(below(source.size())),
                       static_cast<std::int64_t>(below(target.size()))});
    }
    bitext.add(source, target, links);
  }
};

// Where words stand in a text, one position after the other.
std::vector<std::int32_t> search(const BitextSide& side, const std::vector<Word>& phrase) {
  std::vector<std::int32_t> out;
  for (std::size_t i = 0; i + phrase.size() <= side.text.size(); ++i) {
    if (std::equal(phrase.begin(), phrase.end(),
                   side.text.begin() + static_cast<std::ptrdiff_t>(i)))
      out.push_back(static_cast<std::int32_t>(i));
  }
  return out;
}

}  // namespace

TEST(phrases_are_found_while_the_text_grows) {
  RandomPairs random;
  Bitext bitext;
  PhraseIndex index(bitext.source);
  for (int round = 0; round < 40; ++round) {
    for (std::size_t i = random.below(5); i > 0; --i) random.add(bitext);
    index.update();
    for (int k = 0; k < 20; ++k) {
      std::vector<Word> phrase;
      PhraseIndex::Ranges ranges = index.all();
      for (const std::string_view word : random.words("abcde", 1)) {
        const Word number = bitext.source.words.find(word);
        ranges = index.narrow(ranges, phrase.size(), number);
        phrase.push_back(number);
        CHECK(index.positions(ranges, phrase.size()) == search(bitext.source, phrase));
      }
    }
  }
}

TEST(extraction_stays_within_its_memory_whatever_the_limits) {
  RandomPairs random;
  std::size_t rules = 0;
  for (int round = 0; round < 60; ++round) {
    auto bitext = std::make_shared<Bitext>();
    for (int i = 0; i < 10; ++i) random.add(*bitext);
    ExtractionOptions options;
    options.features = kFeatures;
    options.limits = {1 + static_cast<int>(random.below(7)),
                      static_cast<int>(random.below(4)),
                      1 + static_cast<int>(random.below(10)),
                      1 + static_cast<int>(random.below(3)),
                      random.below(2) == 0,
                      1 + static_cast<int>(random.below(5))};
    GrammarExtractor extractor(bitext, options);
    for (int i = 0; i < 5; ++i) {
      std::vector<std::string> tokens;
      for (const std::string_view word : random.words("abcde", 0)) tokens.emplace_back(word);
      const std::int64_t out = static_cast<std::int64_t>(random.below(10));
      const SentenceGrammar grammar = extractor.grammar(tokens, extractor.exclusion({out}));
      CHECK_EQUAL(grammar.values.size(), grammar.size() * kFeatures.size());
      for (const double value : grammar.values) CHECK(std::isfinite(value));
      rules += grammar.size();
      extractor.add(Words{"a", "b"}, Words{"x"}, std::vector<GivenLink>{{0, 0}});
    }
  }
  CHECK(rules > 100);
}

TEST(rules_of_corrections_are_withdrawn) {
  auto bitext = std::make_shared<Bitext>();
  const Words source{"a", "b"}, target{"y", "x"};
  const std::vector<GivenLink> links{{0, 1}, {1, 0}};
  GrammarExtractor extractor(bitext, {.features = kFeatures, .corrections_from = 1});
  for (int i = 0; i < 2; ++i) extractor.add(source, target, links);
  const std::vector<std::string> tokens{"a", "b"};
  Exclusion exclusion = extractor.exclusion({0});
  const std::size_t all = extractor.grammar(tokens, exclusion).size();
  const RuleSides gap{{1, "b"}, {"y", 1}}, word{{"a"}, {"x"}}, unknown{{"c", 1, "d"}, {1, "e"}};
  extractor.withdraw(exclusion, std::vector{unknown});
  CHECK(extractor.grammar(tokens, exclusion).size() == all);
  extractor.withdraw(exclusion, std::vector{gap, word, unknown});
  CHECK(extractor.grammar(tokens, exclusion).size() == 1);  // b to y
  // The text itself has them all.
  Exclusion corrections = extractor.exclusion({1});
  extractor.withdraw(corrections, std::vector{gap, word});
  CHECK(extractor.grammar(tokens, corrections).size() == all);
}

TEST(a_grammar_is_added_to_another_as_its_text_is) {
  auto bitext = std::make_shared<Bitext>();
  bitext->add(Words{"a", "b", "c"}, Words{"z", "x"}, std::vector<GivenLink>{{0, 1}, {2, 0}});
  GrammarExtractor extractor(bitext, {{}, {"CountEF"}, 0});
  const std::vector<std::string> tokens = {"a", "b", "c"};
  const SentenceGrammar rules = extractor.grammar(tokens, Exclusion());
  Weights weights;
  Grammar grammar(std::make_shared<Vocabulary>());
  add_rules(rules, weights, grammar);
  grammar.finish();
  CHECK(rules.size() > 0);
  CHECK_EQUAL(grammar.size(), rules.size());
  CHECK_EQUAL(weights.name(grammar.rule(0).features[0]), "CountEF");
  CHECK(rules.text().find("[X] ||| a b [X,1] ||| [X,1] x ||| CountEF=0.301029995664 ||| 0-1\n") !=
        std::string::npos);
}

TEST(files_of_a_bitext) {
  const TemporaryFile source(gzip("a b\nc\n")), target("x\ny z\n"), alignment("0-0 1-0\n0-1\n");
  Bitext bitext;
  const BitextFiles files{source.path(), target.path(), alignment.path(), false};
  CHECK_EQUAL(check_bitext(files), 2u);
  bitext.read(files);
  CHECK_EQUAL(bitext.size(), 2u);
  CHECK_EQUAL(bitext.links.size(), 3u);
  CHECK_EQUAL(bitext.source.linked[0].first, 0);
  CHECK(!bitext.target.linked[2].linked());
  alignment.write("0-0 1-0\n0-2\n");
  Bitext other;
  CHECK_INPUT_ERROR(other.read(files), 2, "got 0-2");
}
