#include "plugins/rule_caches.h"

#include <map>

#include "plugins/rule_batch.h"
#include "toy.h"

// The same number for a rule in every forest, as far as there is one.
static std::uint32_t number(const Forest& forest, std::uint32_t id) {
  const std::int32_t lasting = forest.rule_space->lasting(id);
  return lasting == RuleSpace::kOwn ? id : static_cast<std::uint32_t>(lasting);
}

// One row an item: feature `column` 0 with the rule's number as value, but nothing on every third.
struct Answer {
  std::vector<FeatureId> columns;
  std::vector<std::int32_t> indptr{0}, column, row;
  std::vector<double> values;
  FeatureRows rows() const { return {columns, indptr, column, values, row}; }
};

static Answer answer(const Forest& forest, std::span<const std::int32_t> locals,
                     FeatureId feature) {
  Answer a;
  a.columns = {feature};
  for (const std::int32_t local : locals) {
    const std::uint32_t id = number(forest, forest.rules[local]);
    a.row.push_back(id % 3 == 0 ? -1 : count_of(a.values));
    if (id % 3 == 0) continue;
    a.column.push_back(0);
    a.values.push_back(id);
    a.indptr.push_back(count_of(a.values));
  }
  return a;
}

// Two plugins that say the same.
static void attach(RuleFeatureCache& cache, Forest& forest, std::span<const std::int32_t> missing,
                   FeatureId feature) {
  const Answer said = answer(forest, missing, feature);
  const FeatureRows both[] = {said.rows(), said.rows()};
  cache.attach(forest, missing, both);
}

static void check_layer(const Forest& forest, FeatureId feature) {
  for (EdgeId e = 0; e < forest.edges(); ++e) {
    double sum = 0;
    forest.visit_features(e, [&](FeatureId f, double value) { sum += f == feature ? value : 0.0; });
    const std::uint32_t id = number(forest, forest.rule_id(e));
    CHECK_EQUAL(sum, forest.rule_id(e) == forest.goal_rule || id % 3 == 0 ? 0.0 : 2.0 * id);
  }
}

TEST(a_rule_is_asked_about_once) {
  EngineOptions options;
  options.pass_through = true;
  const Toy toy(options);
  const FeatureId feature = toy.weights->intern("mine");
  RuleFeatureCache cache(toy.engine.base().lasting_size());
  std::map<std::uint32_t, int> asked;
  for (const char* text : {"a b", "a c x", "a b c", "x"}) {
    const auto forest = toy.parse(text);
    const auto missing = cache.missing(*forest);
    for (const std::int32_t local : missing) {
      const std::uint32_t id = forest->rules[local];
      if (forest->rule_space->lasting(id) >= 0) CHECK_EQUAL(++asked[number(*forest, id)], 1);
      CHECK(id != forest->goal_rule);
    }
    attach(cache, *forest, missing, feature);
    check_layer(*forest, feature);
  }
}

TEST(two_threads_may_have_asked_for_the_same_rule) {
  const Toy toy;
  const FeatureId feature = toy.weights->intern("mine");
  RuleFeatureCache cache(toy.engine.base().lasting_size());
  const auto one = toy.parse("a b"), two = toy.parse("a b c");
  const auto of_one = cache.missing(*one), of_two = cache.missing(*two);
  attach(cache, *one, of_one, feature);
  attach(cache, *two, of_two, feature);
  check_layer(*one, feature);
  check_layer(*two, feature);
}

TEST(attributes_reach_the_edges) {
  EngineOptions options;
  options.pass_through = true;
  const Toy toy(options);
  RuleAttributeCache cache(toy.engine.base().lasting_size(), 2);
  for (const char* text : {"a b", "a c x", "a b c", "a b"}) {
    const auto forest = toy.parse(text);
    const auto missing = cache.missing(*forest);
    std::vector<std::int32_t> sevenfold, negative;
    for (const std::int32_t local : missing) {
      const auto n = static_cast<std::int32_t>(number(*forest, forest->rules[local]));
      sevenfold.push_back(7 * n);
      negative.push_back(-n);
    }
    const std::span<const std::int32_t> answers[] = {sevenfold, negative};
    const auto attributes = cache.attributes(*forest, missing, answers);
    const std::size_t rules = forest->rules.size();
    CHECK_EQUAL(attributes.size(), 2 * rules);
    for (const LocalRule r : forest->rules.ids()) {
      const bool is_goal = forest->rules[r] == forest->goal_rule;
      const auto n = is_goal ? 0 : static_cast<std::int32_t>(number(*forest, forest->rules[r]));
      CHECK_EQUAL(attributes[place_of(r)], 7 * n);
      CHECK_EQUAL(attributes[rules + place_of(r)], -n);
    }
  }
  const auto known = toy.parse("a b c");
  for (const std::int32_t local : cache.missing(*known)) {
    CHECK_EQUAL(known->rule_space->lasting(known->rules[local]), RuleSpace::kOwn);
  }
}

TEST(an_edge_layer_leaves_the_goals_edge_alone) {
  const Toy toy;
  const auto forest = toy.parse("a b");
  const FeatureId feature = toy.weights->intern("mine");
  const std::vector<FeatureId> columns{feature};
  const std::vector<std::int32_t> indptr{0, 1}, column{0};
  const std::vector<double> values{2};
  const EdgeId edges = forest->edges();
  const IdVector<EdgeId, Row> row(edges - 1, 0);
  forest->layers.push_back(edge_layer({columns, indptr, column, values, row}, edges - 1, edges));
  toy.weights->data()[feature] = 10;
  const auto before = forest->score;
  forest->reweight(*toy.weights);
  for (EdgeId e = 0; e + 1 < edges; ++e) CHECK_NEAR(forest->score[e], before[e] + 20, 1e-12);
  CHECK_NEAR(forest->score.back(), before.back(), 1e-12);
}

TEST(dropped_names_do_not_fire) {
  const Toy toy;
  const auto forest = toy.parse("a b");
  const FeatureId kept = toy.weights->intern("kept"), other = toy.weights->intern("other");
  const std::vector<FeatureId> columns{-1, kept, other};
  const std::vector<std::int32_t> indptr{0, 2, 4, 5}, column{0, 1, 1, 0, 2};
  const std::vector<double> values{1, 2, 3, 4, 5};
  const EdgeId edges = forest->edges();
  IdVector<EdgeId, Row> row(edges - 1, 0);
  row[0] = 1;
  forest->layers.push_back(edge_layer({columns, indptr, column, values, row}, edges - 1, edges));
  const FeatureLayer& layer = forest->layers.back();
  CHECK(layer.features == (std::vector<FeatureId>{kept, kept, other}));
  CHECK(layer.values == (std::vector<double>{2, 3, 5}));
  // no edge has the row of the other one
  CHECK(fired_features(*forest) == std::vector<FeatureId>{kept});

  RuleFeatureCache cache(toy.engine.base().lasting_size());
  for (int pass = 0; pass < 2; ++pass) {
    const auto again = toy.parse("a b");
    attach(cache, *again, cache.missing(*again), -1);
    CHECK(again->layers.back().features.empty());
    CHECK(fired_features(*again).empty());
  }
}

static std::vector<LocalRule> all_rules(const Forest& forest) {
  return {forest.rules.ids().begin(), forest.rules.ids().end()};
}

TEST(crossing_nonterminals) {
  // swapped; in order around a word whose link crosses the second; alone behind a word, not linked
  const Toy toy({},
                "[X] ||| a [X,1] b [X,2] ||| [2] z [1]\n"
                "[X] ||| [X,1] c [X,2] ||| [1] [2] d ||| f=1 ||| 1-2\n"
                "[X] ||| a [X,1] ||| [1] d\n[X] ||| a ||| a\n");
  const auto forest = toy.parse("a a b a c a");
  const auto locals = all_rules(*forest);
  const RuleBatch batch(forest, locals, toy.weights);
  std::map<std::string, std::string> found;
  const IndicatorNames names = batch.indicator_names("");
  for (const RuleBatch::Nonterminal& n : batch.arrays().nonterminals) {
    found[names.name(place_of(n.rule))] +=
        std::to_string(n.source) + std::to_string(n.target) + (n.crosses ? "! " : " ");
  }
  CHECK_EQUAL(found["R:X:a_NX_b_NX:N2_z_N1"], "12! 30! ");
  CHECK_EQUAL(found["R:X:NX_c_NX:N1_N2_d"], "00 21! ");
  CHECK_EQUAL(found["R:X:a_NX:N1_d"], "10 ");
}

TEST(rules_laid_out_and_named) {
  const Toy toy({},
                "[X] ||| a=b [X,1] ; [X,2] ||| [2] 's [1] ||| f=1 ||| 0-1\n[X] ||| a ||| ||| "
                "f=1\n[X] ||| c ||| c\n");
  const auto forest = toy.parse("a=b a ; c");
  const auto locals = all_rules(*forest);
  const RuleBatch batch(forest, locals, toy.weights);
  const IndicatorNames names = batch.indicator_names("p_");
  const std::vector<FeatureId> ids = names.intern(*toy.weights);
  bool found = false, empty = false;
  for (std::size_t i = 0; i < names.size(); ++i) {
    CHECK_EQUAL(toy.weights->name(ids[i]), names.name(i));
    found = found || names.name(i) == "p_R:X:a_b_NX___NX:N2_'s_N1";
    empty = empty || names.name(i) == "p_R:X:a:";
  }
  CHECK(found && empty);
  CHECK_EQUAL(batch.arrays().source.begin.size(), locals.size() + 1);
  CHECK_EQUAL(batch.arrays().alignment.begin.back(), 1);
  CHECK_EQUAL(batch.arrays().nonterminals.size(), 4u);  // two, and one each of S → X and the goal
  CHECK_EQUAL(batch.symbol(0), "");
  CHECK_EQUAL(batch.symbol(100000), "");
}
