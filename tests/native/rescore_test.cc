#include <map>

#include "forest/kbest.h"
#include "toy.h"

// Bigrams of the target words, each with a value from a hash; the state is the first and last word.
class Bigrams final : public StatefulScorer {
 public:
  Bigrams(FeatureId feature, unsigned seed) : feature_(feature), seed_(seed) {}

  double value(Symbol a, Symbol b) const {
    return static_cast<double>(
               (static_cast<unsigned>(a) * 7919u + static_cast<unsigned>(b) * 104729u + seed_) %
               13u) /
               8 -
           0.75;
  }
  std::size_t state_size() const override { return sizeof(State); }
  std::span<const FeatureId> features() const override { return {&feature_, 1}; }
  std::unique_ptr<SentenceScorer> begin(const Forest& forest,
                                        const double* weights) const override {
    return std::make_unique<OfSentence>(*this, forest, weights[feature_]);
  }

 private:
  struct State {
    Symbol first, last;
  };
  class OfSentence final : public IntegerStateScorer {
   public:
    OfSentence(const Bigrams& model, const Forest& forest, double weight)
        : IntegerStateScorer(sizeof(State)), model_(model), forest_(forest), weight_(weight) {}
    double estimate(std::int32_t local_rule) const override {
      double sum = 0;
      Symbol last = 0;
      for (const Symbol s : forest_.rule_space->rule(forest_.rules[local_rule]).target) {
        if (s > 0 && last > 0) sum += model_.value(last, s);
        last = s > 0 ? s : 0;
      }
      return weight_ * sum;
    }
    double score(const ScoredEdge& edge, MarkValues&) const override {
      State out{0, 0};
      double sum = 0;
      const auto join = [&](Symbol first, Symbol last) {
        if (out.last > 0) sum += model_.value(out.last, first);
        if (out.first == 0) out.first = first;
        out.last = last;
      };
      for (const Symbol s : forest_.rule(edge.edge).target) {
        if (s > 0) {
          join(s, s);
        } else {
          State tail;
          std::memcpy(&tail, edge.tails[-s], sizeof tail);
          join(tail.first, tail.last);
        }
      }
      std::memcpy(edge.state, &out, sizeof out);
      *edge.values = static_cast<float>(sum);
      return weight_ * sum;
    }

   private:
    const Bigrams& model_;
    const Forest& forest_;
    double weight_;
  };

  FeatureId feature_;
  unsigned seed_;
};

// All derivations with the model's score added, by words and source tree.
static std::map<std::pair<std::string, std::string>, double> by_hand(
    const Toy& toy, const Forest& forest, std::span<const Bigrams* const> models) {
  std::map<std::pair<std::string, std::string>, double> all;
  for (const Derivation& d : all_derivations(forest)) {
    std::vector<Symbol> words;
    target_words(forest, d, words);
    double sum = score(forest, d);
    for (const Bigrams* model : models) {
      for (std::size_t i = 1; i < words.size(); ++i) {
        sum += toy.weights->data()[model->features()[0]] * model->value(words[i - 1], words[i]);
      }
    }
    all[{text_of(forest, d), tree(forest, d, Side::kSource) + tree(forest, d, Side::kTarget)}] =
        sum;
  }
  return all;
}

struct TwoModels {
  Toy toy;
  Bigrams one, two;
  std::vector<const Bigrams*> models;
  std::vector<const StatefulScorer*> scorers;
  explicit TwoModels(std::size_t count)
      : one(toy.weights->intern("one"), 3), two(toy.weights->intern("two"), 11) {
    toy.weights->data()[toy.weights->find("one")] = 0.8;
    toy.weights->data()[toy.weights->find("two")] = -0.5;
    models = {&one, &two};
    models.resize(count);
    scorers.assign(models.begin(), models.end());
  }
  std::shared_ptr<Forest> rescored(const std::shared_ptr<const Forest>& source,
                                   std::int32_t pop_limit) const {
    return rescore(source, scorers, toy.weights.get(), {.pop_limit = pop_limit});
  }
  double best(const std::shared_ptr<const Forest>& source, std::int32_t pop_limit) const {
    const auto forest = rescored(source, pop_limit);
    CHECK(!forest->empty());
    return score(*forest, viterbi(*forest));
  }
};

TEST(without_a_limit_the_forest_has_every_derivation_with_its_score) {
  for (const std::size_t count : {1u, 2u}) {
    const TwoModels f(count);
    for (const char* text : {"a", "a b c", "c b a b", "a b c b a c"}) {
      const std::shared_ptr<const Forest> source = f.toy.parse(text);
      auto expected = by_hand(f.toy, *source, f.models);
      const auto rescored = f.rescored(source, 0);
      CHECK_EQUAL(rescored->paths(), source->paths());
      for (const Derivation& d : all_derivations(*rescored)) {
        const std::string trees =
            tree(*rescored, d, Side::kSource) + tree(*rescored, d, Side::kTarget);
        const auto entry = expected.extract({text_of(*rescored, d), trees});
        CHECK(!entry.empty());
        if (!entry.empty()) CHECK_NEAR(score(*rescored, d), entry.mapped(), 1e-5);
        CHECK_NEAR(f.toy.weighted(*rescored, d), score(*rescored, d), 1e-5);
      }
      CHECK(expected.empty());
    }
  }
}

TEST(a_limit_loses_quality_slowly) {
  const TwoModels f(2);
  const std::shared_ptr<const Forest> source = f.toy.parse("a b c b a c b a");
  const double exact = f.best(source, 0);
  CHECK_NEAR(f.best(source, 200), exact, 0.2);
  for (const std::int32_t limit : {1, 5}) CHECK(f.best(source, limit) <= exact + 1e-6);
}

TEST(a_small_forest_is_searched_in_full) {
  const TwoModels f(2);
  for (const char* text : {"a", "a b", "a b c"}) {
    const std::shared_ptr<const Forest> source = f.toy.parse(text);
    CHECK_EQUAL(f.rescored(source, 200)->paths(), source->paths());
  }
}

TEST(more_pops_never_find_less_than_one_pop) {
  const TwoModels f(2);
  for (const char* text : {"a b c b a c b a", "c c b a b b a a c"}) {
    const std::shared_ptr<const Forest> source = f.toy.parse(text);
    for (const std::int32_t limit : {5, 20, 100})
      CHECK(f.best(source, limit) >= f.best(source, 1) - 1e-6);
  }
}

TEST(the_scale_of_the_weights_does_not_matter) {
  TwoModels f(2);
  const std::shared_ptr<const Forest> source = f.toy.parse("a b c b a c b a");
  const auto before = f.rescored(source, 3)->source_edge;
  // Powers of two: rounding stays the same.
  for (std::int32_t i = 0; i < f.toy.weights->size(); ++i) f.toy.weights->data()[i] *= 8;
  auto scaled = std::make_shared<Forest>(*source);
  scaled->reweight(*f.toy.weights);
  CHECK(before == f.rescored(scaled, 3)->source_edge);
}

TEST(a_rescored_forest_is_rescored_again) {
  TwoModels f(1);
  const std::shared_ptr<const Forest> source = f.toy.parse("a b c b");
  const auto twice = f.toy.rescored(f.rescored(source, 0), f.two);
  const TwoModels both(2);
  const auto at_once = rescore(source, both.scorers, f.toy.weights.get(), {.pop_limit = 0});
  CHECK_EQUAL(twice->paths(), at_once->paths());
  CHECK_NEAR(score(*twice, viterbi(*twice)), score(*at_once, viterbi(*at_once)), 1e-5);
}

TEST(an_empty_forest_stays_empty) {
  const TwoModels f(1);
  CHECK(f.rescored(f.toy.parse("x"), 200)->empty());
  CHECK_THROWS(f.rescored(f.toy.parse("a"), -1), std::invalid_argument);
}
