#include "forest/kbest_sums.h"

#include <map>
#include <set>

#include "scorers/joint_model.h"
#include "trigram_network.h"

namespace {

// Features of edges and of rules, with random values: no two derivations have the same score.
void add_layers(Forest& forest, Weights& weights, std::mt19937& draw) {
  for (const bool of_rules : {false, true}) {
    FeatureLayer layer;
    layer.item = of_rules ? FeatureLayer::Item::kLocalRule : FeatureLayer::Item::kEdge;
    const std::int32_t items = of_rules ? forest.rules.count() : forest.edges();
    for (std::int32_t i = 0; i < items; ++i) {
      if (draw() % 4 == 0) {
        layer.row.push_back(-1);
        continue;
      }
      for (const char* name : {"own", "always", "both", "zero"}) {
        double value = static_cast<double>(1 + draw() % 1000) / 1000;
        if (name == std::string("zero")) value = 0;
        if (name == std::string("both") && draw() % 2 == 0) value = -value;
        const FeatureId feature = weights.intern(of_rules ? std::string("rule_") + name : name);
        layer.features.push_back(feature);
        layer.values.push_back(value);
      }
      layer.row.push_back(layer.close());
    }
    forest.layers.push_back(std::move(layer));
  }
}

struct Layered {
  Toy toy;
  std::shared_ptr<Forest> forest;

  // Made from another forest twice: by a joint model, and by one from right to left.
  Layered(const std::string& text, unsigned seed) {
    std::mt19937 draw(seed);
    const auto weigh = [&] {
      for (std::int32_t i = 0; i < toy.weights->size(); ++i)
        toy.weights->data()[i] = static_cast<double>(draw() % 1000) / 500 - 1;
    };
    forest = toy.parse(text);
    add_layers(*forest, *toy.weights, draw);
    for (const bool right_to_left : {false, true}) {
      const FeatureId feature = toy.weights->intern(right_to_left ? "back" : "joint");
      const TrigramNetwork network(seed, right_to_left);
      const TemporaryFile file(network.file());
      const auto model = load_joint_model(file.path(), feature, toy.engine.vocabulary());
      weigh();
      forest->reweight(*toy.weights);
      forest = toy.rescored(forest, *model);
      add_layers(*forest, *toy.weights, draw);
    }
    weigh();
    forest->reweight(*toy.weights);
  }

  // The best derivation of each string, best first.
  std::vector<Derivation> best() const {
    std::vector<Derivation> found;
    std::set<std::string> seen;
    for (const Derivation& d : all_derivations(*forest))
      if (seen.insert(text_of(*forest, d)).second) found.push_back(d);
    return found;
  }
};

std::map<FeatureId, double> features_by_hand(const Forest& forest, const Derivation& derivation) {
  std::map<FeatureId, double> sums;
  for (const EdgeId e : derivation)
    forest.visit_features(e, [&](FeatureId feature, double value) { sums[feature] += value; });
  return sums;
}

}  // namespace

TEST(sums_over_the_best_translations_are_those_of_their_derivations) {
  for (unsigned seed = 0; seed < 6; ++seed) {
    const Layered layered(seed % 2 == 0 ? "a b c a" : "a b c b a", seed);
    const Forest& forest = *layered.forest;
    const std::vector<Derivation> best = layered.best();
    CHECK(best.size() > 10);
    for (const std::size_t k : {std::size_t{1}, std::size_t{7}, best.size() + 5}) {
      const KBestSums sums(layered.forest, static_cast<std::int32_t>(k));
      const std::size_t count = std::min(k, best.size());
      CHECK_EQUAL(static_cast<std::size_t>(sums.count()), count);

      std::mt19937 draw(seed);
      std::vector<double> weights(static_cast<std::size_t>(layered.toy.weights->size()) - 2);
      std::vector<double> factors(count);
      for (double& weight : weights) weight = static_cast<double>(draw() % 100) / 50 - 1;
      for (double& factor : factors) factor = static_cast<double>(draw() % 100) / 50 - 1;

      const std::vector<double> scores = sums.scores(weights);
      std::map<FeatureId, double> expected;
      std::map<FeatureId, std::set<bool>> signs;  // of the values of edges
      std::set<FeatureId> fire;
      for (std::size_t i = 0; i < count; ++i) {
        const auto words = sums.words(static_cast<std::int32_t>(i));
        CHECK_EQUAL(to_text(*forest.vocabulary, {words.begin(), words.end()}),
                    text_of(forest, best[i]));
        double score = 0;
        for (const auto& [feature, value] : features_by_hand(forest, best[i])) {
          if (place_of(feature) < weights.size()) score += weights[place_of(feature)] * value;
          expected[feature] += factors[i] * value;
          if (value != 0) fire.insert(feature);
        }
        CHECK_NEAR(scores[i], score, 1e-9);
        for (const EdgeId e : best[i]) {
          forest.visit_features(e, [&](FeatureId feature, double value) {
            if (value != 0) signs[feature].insert(value > 0);
          });
        }
      }

      const std::vector<KBestSums::Sum> found = sums.sums(factors);
      CHECK_EQUAL(found.size(), signs.size());
      std::vector<FeatureId> asked;
      for (const auto& [feature, sum, may_vanish] : found) {
        CHECK(signs.contains(feature));
        CHECK(asked.empty() || asked.back() < feature);
        CHECK_NEAR(sum, expected[feature], 1e-9);
        CHECK_EQUAL(may_vanish, signs[feature].size() == 2);
        asked.push_back(feature);
      }
      asked.push_back(layered.toy.weights->size());  // no feature
      const std::vector<bool> fired = sums.fire(asked);
      for (std::size_t i = 0; i < asked.size(); ++i)
        CHECK_EQUAL(bool{fired[i]}, fire.contains(asked[i]));
    }
  }
}

TEST(an_empty_forest_has_no_best_translations_to_sum) {
  const KBestSums sums(std::make_shared<const Forest>(), 10);
  CHECK_EQUAL(sums.count(), 0);
  CHECK(sums.scores({}).empty());
  CHECK(sums.sums({}).empty());
}
