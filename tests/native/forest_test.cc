#include <map>
#include <set>

#include "forest/continuations.h"
#include "forest/inside_outside.h"
#include "forest/intersect.h"
#include "forest/kbest.h"
#include "forest/kbest_sums.h"
#include "forest/prefix_search.h"
#include "forest/subforest.h"
#include "toy.h"

static const Toy& toy() {
  static const Toy instance;
  return instance;
}
static std::shared_ptr<Forest> forest_of(const std::string& text) { return toy().parse(text); }
static constexpr const char* kSentence = "a b c b a c";

TEST(viterbi_is_the_best_of_all) {
  const auto forest = forest_of(kSentence);
  const auto all = all_derivations(*forest);
  CHECK(all.size() > 100);
  CHECK_NEAR(score(*forest, viterbi(*forest)), score(*forest, all[0]), 1e-12);
  CHECK(viterbi(Forest{}).empty());
}

TEST(features_times_weights_are_the_score) {
  const auto forest = forest_of(kSentence);
  for (const Derivation& d : all_derivations(*forest))
    CHECK_NEAR(toy().weighted(*forest, d), score(*forest, d), 1e-9);
}

TEST(trees_read_as_the_derivation_says) {
  const auto forest = forest_of("a b");
  std::set<std::string> trees;
  for (const Derivation& d : all_derivations(*forest)) {
    trees.insert(tree(*forest, d, Side::kSource) + " " + tree(*forest, d, Side::kTarget));
  }
  CHECK(trees.contains("(S (S (X a)) (X b)) (S (S (X u)) (X w))"));
  CHECK(trees.contains("(S (X a (X b))) (S (X (X w) u))"));
}

TEST(kbest_lists_every_derivation_best_first) {
  const auto forest = forest_of(kSentence);
  const auto all = all_derivations(*forest);
  KBest lists(*forest, false);
  std::set<Derivation> seen;
  Derivation d;
  for (std::size_t k = 0; k < all.size(); ++k) {
    CHECK(lists.derivation(k, d));
    CHECK_NEAR(score(*forest, d), score(*forest, all[k]), 1e-9);
    seen.insert(d);
  }
  CHECK_EQUAL(seen.size(), all.size());
  CHECK(!lists.derivation(all.size(), d));
}

TEST(unique_kbest_keeps_the_best_of_each_string) {
  const auto forest = forest_of(kSentence);
  std::map<std::string, double> best;
  for (const Derivation& d : all_derivations(*forest))
    best.try_emplace(text_of(*forest, d), score(*forest, d));
  KBest lists(*forest, true);
  Derivation d;
  std::size_t k = 0;
  for (double last = 1e9; lists.derivation(k, d); ++k) {
    const auto entry = best.extract(text_of(*forest, d));
    CHECK(!entry.empty());
    CHECK_NEAR(score(*forest, d), entry.mapped(), 1e-9);
    CHECK(score(*forest, d) <= last + 1e-9);
    last = score(*forest, d);
  }
  CHECK(best.empty());
}

TEST(inside_and_outside_sum_over_all_derivations) {
  const auto forest = forest_of(kSentence);
  for (const double scale : {1.0, 0.3}) {
    double total = 0;
    IdVector<EdgeId, double> by_edge(forest->edges(), 0.0);
    std::map<FeatureId, double> expected;
    const auto all = all_derivations(*forest);
    for (const Derivation& d : all) total += std::exp(scale * score(*forest, d));
    for (const Derivation& d : all) {
      const double p = std::exp(scale * score(*forest, d)) / total;
      for (const EdgeId e : d) by_edge[e] += p;
      for (const auto& [feature, value] : features(*forest, d)) expected[feature] += p * value;
    }
    CHECK_NEAR(inside(*forest, Semiring::kLog, scale).back(), std::log(total), 1e-9);
    CHECK_NEAR(inside(*forest, Semiring::kMax, scale).back(), scale * score(*forest, all[0]), 1e-9);
    const auto marginals = edge_marginals(*forest, Semiring::kLog, scale);
    for (const EdgeId e : by_edge.ids()) CHECK_NEAR(std::exp(marginals[e]), by_edge[e], 1e-9);
    for (const auto& [feature, value] : feature_expectations(*forest, scale))
      CHECK_NEAR(value, expected[feature], 1e-9);
  }
}

TEST(pruning_keeps_what_is_near_the_best) {
  const auto forest = forest_of(kSentence);
  const auto all = all_derivations(*forest);
  const double best = score(*forest, all[0]);
  for (const double beam : {0.5, 1.5}) {
    const auto pruned = prune(*forest, beam, 0);
    CHECK(pruned->edges() < forest->edges());
    std::size_t near = 0, kept = 0;
    for (const Derivation& d : all) near += score(*forest, d) >= best - beam;
    for (const Derivation& d : all_derivations(*pruned)) kept += score(*pruned, d) >= best - beam;
    CHECK_EQUAL(kept, near);
  }
  const auto dense = prune(*forest, 0, 1);
  CHECK_NEAR(score(*dense, viterbi(*dense)), best, 1e-9);
  CHECK(dense->edges() < forest->edges());
  CHECK_EQUAL(prune(*forest, 0, 0)->edges(), forest->edges());
}

TEST(a_subforest_of_half_a_derivation_is_empty) {
  const auto forest = forest_of(kSentence);
  IdVector<EdgeId, bool> keep(forest->edges(), false);
  keep.back() = true;
  CHECK(subforest(*forest, keep)->empty());
}

TEST(samples_have_their_frequencies) {
  const auto forest = forest_of("a b");
  const auto all = all_derivations(*forest);
  double total = 0;
  for (const Derivation& d : all) total += std::exp(score(*forest, d));
  std::map<Derivation, double> count;
  constexpr std::size_t kDraws = 20000;
  for (const Derivation& d : sample(*forest, kDraws, 7)) ++count[d];
  for (const Derivation& d : all) {
    CHECK_NEAR(count[d] / kDraws, std::exp(score(*forest, d)) / total, 0.02);
  }
  CHECK(sample(*forest, 50, 3) == sample(*forest, 50, 3));
}

TEST(intersection_keeps_exactly_the_derivations_of_the_reference) {
  const auto forest = forest_of(kSentence);
  std::map<std::string, std::vector<double>> scores;
  for (const Derivation& d : all_derivations(*forest))
    scores[text_of(*forest, d)].push_back(score(*forest, d));
  std::size_t tried = 0;
  for (const auto& [text, expected] : scores) {
    if (++tried % 7 != 0) continue;
    std::vector<ReferenceArc> arcs;
    std::int32_t n = 0;
    for (const std::string& word : words_of(text)) {
      arcs.push_back({n, n + 1, word});
      ++n;
    }
    const auto narrowed = intersect(forest, n, arcs);
    const auto left = all_derivations(*narrowed);
    CHECK_EQUAL(left.size(), expected.size());
    for (std::size_t k = 0; k < std::min(left.size(), expected.size()); ++k) {
      CHECK_EQUAL(text_of(*narrowed, left[k]), text);
      CHECK_NEAR(score(*narrowed, left[k]), expected[k], 1e-9);
    }
    CHECK(intersect(forest, n + 1, arcs)->empty());
  }
  CHECK(intersect(forest, 1, {{0, 1, "unheard"}})->empty());
}

TEST(intersection_with_a_lattice) {
  const auto forest = forest_of("a b");  // u w, v w w, w u
  const auto left =
      all_derivations(*intersect(forest, 2, {{0, 1, "u"}, {0, 1, "w"}, {1, 2, "w"}, {1, 2, "u"}}));
  CHECK_EQUAL(left.size(), 2u);
}

TEST(reweighting_follows_the_weights) {
  const Toy mine;
  const auto forest = mine.parse("a b c");
  mine.weights->data()[mine.weights->find("f")] = -3;
  forest->reweight(*mine.weights);
  for (const Derivation& d : all_derivations(*forest))
    CHECK_NEAR(mine.weighted(*forest, d), score(*forest, d), 1e-9);
}

TEST(what_is_typed_is_met_by_the_best_derivation_that_begins_so) {
  const auto forest = forest_of(kSentence);
  const auto all = all_derivations(*forest);
  PrefixSearch search(forest);
  std::vector<std::string> typed;
  std::string beginning;
  for (const std::string& word : words_of(text_of(*forest, all[all.size() / 2]))) {
    search.type(typed, false);
    while (search.meet()) {
    }
    CHECK_NEAR(search.edits(), 0, 1e-12);
    const auto best = search.within(0);
    std::size_t first = 0;
    while (!(text_of(*forest, all[first]) + " ").starts_with(beginning)) ++first;
    CHECK_NEAR(score(*best, viterbi(*best)), score(*forest, all[first]), 1e-9);
    CHECK((text_of(*best, viterbi(*best)) + " ").starts_with(beginning));
    typed.push_back(word);
    beginning += word + " ";
  }
  typed.insert(typed.begin() + 1, {"unheard", "of"});
  search.type(typed, true);
  CHECK(search.meet());
  search.type(typed, true);  // again, after a part
  while (search.meet()) {
  }
  CHECK_NEAR(search.edits(), 2, 1e-12);
  CHECK(!search.within(search.score_range())->empty());
  CHECK_EQUAL(search.boundary({"unheard"}), 1);
}

TEST(what_follows_has_the_score_of_the_best_derivation_that_begins_so) {
  const auto forest = forest_of(kSentence);
  const auto all = all_derivations(*forest);
  const auto chosen = all[all.size() / 2];
  Continuations continuations(forest, Continuations::kNever);
  BeginningId beginning = 0;
  std::string said;
  for (const std::string& word : words_of(text_of(*forest, chosen))) {
    said += word + " ";
    std::size_t first = 0;
    while (!(text_of(*forest, all[first]) + " ").starts_with(said)) ++first;
    const auto [words, scores] = continuations.following(beginning);
    std::size_t place = 0;
    while (continuations.words()[place_of(words[place])] != word) ++place;
    CHECK_NEAR(scores[place], score(*forest, all[first]), 1e-9);
    beginning = continuations.extended(beginning, words[place], Continuations::kNever);
  }
  CHECK(continuations.whole(beginning) >= score(*forest, chosen) - 1e-9);
  const double best = score(*forest, all[0]);
  CHECK(Continuations(forest, best + 1).following(0).words.empty());
}

TEST(a_list_can_have_translations_of_its_own) {
  const auto forest = forest_of(kSentence);
  const auto all = all_derivations(*forest);
  const WholeTranslations whole{
      {"s", "t"}, {{"quite", "new"}, {"quite", "new", "words"}}, {{}, {{1, 2}}}};
  const std::vector<Derivation> list{all[1]};
  const std::vector<double> scores{1, 3, 2};
  const auto made = list_forest(forest, list, scores, whole);
  std::vector<std::pair<std::string, double>> found;
  for (const Derivation& d : all_derivations(*made)) {
    found.emplace_back(text_of(*made, d), score(*made, d));
    if (found.back().second > 1) {
      CHECK(features(*made, d).empty());
      CHECK_EQUAL(made->span[made->head[d[1]]].end, forest->source_length);
    }
  }
  std::ranges::sort(found);
  std::vector<std::pair<std::string, double>> expected{
      {"quite new", 3}, {"quite new words", 2}, {text_of(*forest, all[1]), 1}};
  std::ranges::sort(expected);
  CHECK(found == expected);
  const KBestSums sums(made, 3);
  const std::vector<double> weights(8, 0.0);
  CHECK_EQUAL(sums.scores(weights).size(), 3u);
}

TEST(a_list_of_derivations_is_a_forest_without_others) {
  const auto forest = forest_of(kSentence);
  auto all = all_derivations(*forest);
  // Every third derivation, the worst first, one of them twice.
  std::vector<Derivation> list;
  std::vector<double> scores;
  for (std::size_t k = all.size(); k-- > 0;) {
    if (k % 3 != 0) continue;
    list.push_back(all[k]);
    scores.push_back(0.5 * static_cast<double>(k % 11));
  }
  list.push_back(list.front());
  scores.push_back(-1);
  const auto made = list_forest(forest, list, scores);
  std::multiset<std::pair<std::string, double>> expected, found;
  for (std::size_t i = 0; i < list.size(); ++i)
    expected.emplace(text_of(*forest, list[i]), scores[i]);
  std::multiset<Derivation> origins;
  for (const Derivation& d : all_derivations(*made)) {
    found.emplace(text_of(*made, d), score(*made, d));
    Derivation origin;
    for (const EdgeId e : d) origin.push_back(made->source_edge[e]);
    CHECK(features(*made, d) == features(*forest, origin));
    CHECK_EQUAL(tree(*made, d, Side::kSource), tree(*forest, origin, Side::kSource));
    origins.insert(origin);
  }
  CHECK(found == expected);
  CHECK(origins == std::multiset<Derivation>(list.begin(), list.end()));
}
