#include "scorers/rest_costs.h"

#include <array>
#include <map>

#include "check.h"
#include "files.h"
#include "lm/model.hh"

using hopefear::RestCosts;
using lm::ngram::ChartState;
using lm::ngram::ProbingModel;
using Word = std::string;

namespace {

// The frequencies are found in a few rounds, which come near to them.
constexpr double kNear = 0.015;

const std::array<Word, 3> kNext{"u", "w", "</s>"};

// A trigram model that knows all trigrams: what it has of bigrams and words is never used behind
// two words.
struct TrigramModel {
  std::map<std::pair<Word, Word>, std::array<double, 3>> trigrams{
      {{"<s>", "u"}, {.2, .5, .3}}, {{"<s>", "w"}, {.1, .6, .3}}, {{"u", "u"}, {.3, .1, .6}},
      {{"w", "u"}, {.5, .2, .3}},   {{"u", "w"}, {.6, .2, .2}},   {{"w", "w"}, {.2, .2, .6}}};
  std::map<Word, std::array<double, 3>> bigrams{
      {"<s>", {.6, .3, .1}}, {"u", {.1, .2, .7}}, {"w", {.4, .4, .2}}};
  std::array<double, 3> words{.1, .3, .6};

  std::string arpa() const {
    std::string text =
        "\\data\\\nngram 1=5\nngram 2=9\nngram 3=18\n\n\\1-grams:\n-9\t<unk>\n-9\t<s>\t0\n";
    const auto add = [&](const std::array<double, 3>& shares, const Word& before,
                         const char* back_off) {
      for (std::size_t i = 0; i < 3; ++i) {
        text += std::to_string(std::log10(shares[i])) + '\t' + before + kNext[i] + back_off;
      }
    };
    add(words, "", "\t0\n");
    text += "\n\\2-grams:\n";
    for (const auto& [first, shares] : bigrams) add(shares, first + ' ', "\t0\n");
    text += "\n\\3-grams:\n";
    for (const auto& [pair, shares] : trigrams)
      add(shares, pair.first + ' ' + pair.second + ' ', "\n");
    return text + "\n\\end\\\n";
  }

  // How often each word stands behind two others in the long run, where a sentence follows another.
  std::map<std::pair<Word, Word>, std::array<double, 3>> frequencies() const {
    std::map<std::pair<Word, Word>, std::array<double, 3>> found;
    std::map<std::pair<Word, Word>, double> now{{{"", "<s>"}, 1}};
    for (int round = 0; round < 1000; ++round) {
      std::map<std::pair<Word, Word>, double> next;
      for (const auto& [pair, frequency] : now) {
        const auto& shares = pair.second == "<s>" ? bigrams.at("<s>") : trigrams.at(pair);
        for (std::size_t i = 0; i < 3; ++i) {
          found[pair][i] = frequency * shares[i];
          next[i == 2 ? std::pair<Word, Word>("", "<s>") : std::pair(pair.second, kNext[i])] +=
              frequency * shares[i];
        }
      }
      now = next;
    }
    return found;
  }
};

}  // namespace

TEST(words_expect_the_mean_of_their_probabilities_in_all_contexts) {
  const TrigramModel text;
  const TemporaryFile arpa(text.arpa());
  lm::ngram::Config config;
  config.messages = nullptr;
  config.show_progress = false;
  const ProbingModel model(arpa.path().c_str(), config);
  const auto number = [&](std::string_view word) {
    return model.GetVocabulary().Index(StringPiece(word.data(), word.size()));
  };
  const RestCosts rest_costs(arpa.path(), 3, number);
  const auto rest_cost = [&](const std::vector<Word>& words, bool begins = false) {
    ChartState chart;
    lm::ngram::RuleScore<ProbingModel> rule(model, chart);
    if (begins) rule.BeginSentence();
    for (const Word& word : words) rule.Terminal(number(word));
    rule.Finish();
    return double{rest_costs.of(chart.left)};
  };
  std::array<double, 3> of_word{};
  std::map<Word, std::array<double, 3>> of_pair;
  for (const auto& [pair, frequencies] : text.frequencies()) {
    for (std::size_t i = 0; i < 3; ++i) {
      of_word[i] += frequencies[i];
      of_pair[pair.second][i] += frequencies[i];
    }
  }
  for (std::size_t i = 0; i < 2; ++i) {
    const Word& word = kNext[i];
    const double gain = std::log10(of_word[i] / text.words[i]);
    CHECK_NEAR(rest_cost({word}), gain, kNear);
    CHECK_EQUAL(rest_cost({word}, true), 0.0);
    for (std::size_t j = 0; j < 2; ++j) {
      const double mean = of_pair[word][j] / of_word[i];
      const double more = std::log10(mean / text.bigrams.at(word)[j]);
      CHECK_NEAR(rest_cost({word, kNext[j]}), gain + more, kNear);
      CHECK_NEAR(rest_cost({word, kNext[j], "u"}), gain + more, kNear);  // u has its context
    }
  }
  CHECK_EQUAL(rest_cost({"unknown"}), 0.0);
  CHECK_EQUAL(double{RestCosts().of(lm::ngram::Left{})}, 0.0);
  const TemporaryFile latin("\\data\\\nngram 1=1\nngram 2=0\n\n\\1-grams:\n-1\t\xe9\t0\n");
  CHECK_EQUAL(double{RestCosts(latin.path(), 2, number).of(lm::ngram::Left{})}, 0.0);
}
