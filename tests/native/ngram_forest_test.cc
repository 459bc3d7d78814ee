#include "scorers/ngram_forest.h"

#include <map>
#include <set>

#include "toy.h"

namespace ngram_forest {

constexpr std::int32_t kOrder = 3;

const Toy& toy() {
  static const Toy instance;
  return instance;
}

// How often each n-gram stands in a text.
std::map<std::string, int> ngrams_of(const std::string& text) {
  const std::vector<std::string> words = words_of(text);
  std::map<std::string, int> counts;
  for (std::size_t begin = 0; begin < words.size(); ++begin) {
    std::string ngram;
    for (std::size_t end = begin; end < words.size() && end < begin + kOrder; ++end) {
      ngram += (end > begin ? " " : "") + words[end];
      ++counts[ngram];
    }
  }
  return counts;
}

std::string name_of(const NgramForest& forest, NgramId ngram) {
  return to_text(*forest.forest()->vocabulary, forest.words(ngram));
}

TEST(a_split_forest_has_the_same_derivations) {
  const auto source = toy().parse("a b c b a c");
  const NgramForest split(source, kOrder, 0);
  std::multiset<std::pair<std::string, long>> expected, found;
  const auto rounded = [](double score) { return std::lround(1e6 * score); };
  for (const Derivation& d : all_derivations(*source))
    expected.emplace(text_of(*source, d), rounded(score(*source, d)));
  for (const Derivation& d : all_derivations(*split.forest()))
    found.emplace(text_of(*split.forest(), d), rounded(score(*split.forest(), d)));
  CHECK(expected.size() > 100);
  CHECK(found == expected);
}

TEST(edges_form_the_ngrams_of_their_derivations) {
  const NgramForest split(toy().parse("a b c b a c"), kOrder, 0);
  for (const Derivation& d : all_derivations(*split.forest())) {
    std::map<std::string, int> formed;
    for (const EdgeId e : d) {
      for (const NgramId ngram : split.formed()[e]) ++formed[name_of(split, ngram)];
    }
    CHECK(formed == ngrams_of(text_of(*split.forest(), d)));
  }
}

TEST(counts_lengths_and_posteriors_of_ngrams_sum_over_all_derivations) {
  const auto source = toy().parse("a b c b a c");
  const NgramForest split(source, kOrder, 0);
  const auto all = all_derivations(*source);
  for (const double scale : {1.0, 0.3, 4.0}) {
    double total = 0, length = 0;
    std::map<std::string, double> counts, posteriors;
    for (const Derivation& d : all) total += std::exp(scale * score(*source, d));
    for (const Derivation& d : all) {
      const double p = std::exp(scale * score(*source, d)) / total;
      for (const auto& [ngram, count] : ngrams_of(text_of(*source, d))) {
        counts[ngram] += p * count;
        posteriors[ngram] += p;
        if (ngram.find(' ') == std::string::npos) length += p * count;
      }
    }
    CHECK_NEAR(split.expected_length(scale), length, 1e-9);
    const auto found_counts = split.expected_counts(scale);
    const auto found = split.posteriors(scale, 0), bounded = split.posteriors(scale, 0.2);
    CHECK_EQUAL(static_cast<std::size_t>(split.ngrams()), counts.size());
    for (const NgramId ngram : found.ids()) {
      const std::string name = name_of(split, ngram);
      CHECK_NEAR(found_counts[ngram], counts.at(name), 1e-9);
      CHECK_NEAR(found[ngram], posteriors.at(name), 1e-9);
      const bool negligible = counts.at(name) < 0.2;
      CHECK_NEAR(bounded[ngram], (negligible ? counts : posteriors).at(name), 1e-9);
    }
  }
}

TEST(derivations_score_the_gains_of_their_ngrams) {
  const NgramForest split(toy().parse("a b c b a c"), kOrder, 0);
  std::vector<double> gains;
  std::map<std::string, double> by_name;
  for (NgramId ngram = 0; ngram < split.ngrams(); ++ngram) {
    gains.push_back(0.25 * (ngram % 7) - 0.5);
    by_name[name_of(split, ngram)] = gains.back();
  }
  const auto scored = split.with_gains(gains, -0.75, 0.5);
  double best = -1e300;
  for (const Derivation& d : all_derivations(*split.forest())) {
    double expected = 0.5 * score(*split.forest(), d);
    for (const auto& [ngram, count] : ngrams_of(text_of(*split.forest(), d))) {
      expected += count * by_name.at(ngram);
      if (ngram.find(' ') == std::string::npos) expected -= 0.75 * count;
    }
    CHECK_NEAR(score(*scored, d), expected, 1e-9);
    best = std::max(best, expected);
  }
  CHECK_NEAR(score(*scored, viterbi(*scored)), best, 1e-9);
  gains.pop_back();
  CHECK_THROWS(split.with_gains(gains, 0, 1), std::invalid_argument);
}

TEST(a_pop_limit_leaves_some_edges_with_right_ngrams) {
  const auto source = toy().parse("a b c b a c");
  const NgramForest whole(source, kOrder, 0), narrow(source, kOrder, 2);
  CHECK(narrow.forest()->edges() < whole.forest()->edges());
  std::multiset<std::string> known;
  for (const Derivation& d : all_derivations(*source)) known.insert(text_of(*source, d));
  for (const Derivation& d : all_derivations(*narrow.forest())) {
    const std::string text = text_of(*narrow.forest(), d);
    CHECK(known.contains(text));
    int formed = 0, expected = 0;
    for (const EdgeId e : d) formed += static_cast<int>(narrow.formed()[e].size());
    for (const auto& [ngram, count] : ngrams_of(text)) expected += count;
    CHECK_EQUAL(formed, expected);
  }
}

TEST(ngrams_of_an_empty_forest_and_of_a_wrong_order) {
  const NgramForest empty(std::make_shared<Forest>(), kOrder, 0);
  CHECK_EQUAL(empty.ngrams(), 0);
  CHECK(empty.posteriors(1, 0).empty());
  const auto source = toy().parse("a");
  CHECK_THROWS(NgramForest(source, 0, 0), std::invalid_argument);
  CHECK_THROWS(NgramForest(source, 99, 0), std::invalid_argument);
}

}  // namespace ngram_forest
