
#include <set>

#include "toy.h"

static std::multiset<std::string> texts(const Forest& forest) {
  std::multiset<std::string> all;
  for (const Derivation& d : all_derivations(forest)) all.insert(text_of(forest, d));
  return all;
}

static std::string joined(const Forest& forest) {
  std::string all;
  for (const std::string& text : texts(forest)) all += text + ";";
  return all;
}

TEST(all_derivations_of_a_sentence) {
  const Toy toy;
  // Each is S → X, or S → S X by glue; by hand.
  CHECK_EQUAL(joined(*toy.parse("a")), "u;v w;");
  CHECK_EQUAL(joined(*toy.parse("a b")), "u w;v w w;w u;");
  CHECK_EQUAL(toy.parse("b a b")->paths(), 3.0);  // b (a b), b a b with two ways for a
}

TEST(a_forest_is_in_order) {
  const Toy toy;
  const auto forest = toy.parse("a b c a b");
  CHECK(!forest->empty());
  CHECK_EQUAL(forest->edges_begin.back(), forest->edges());
  for (NodeId v = 0; v < forest->nodes(); ++v) {
    CHECK(!forest->edges_into(v).empty());
    for (const EdgeId e : forest->edges_into(v)) {
      CHECK_EQUAL(forest->head[e], v);
      for (const NodeId tail : forest->tails_of(e)) CHECK(tail < v);
    }
  }
  CHECK_EQUAL(1.0 * count_of(all_derivations(*forest)), forest->paths());
}

TEST(no_derivation_gives_an_empty_forest) {
  const Toy toy;
  CHECK(toy.parse("a x")->empty());
  CHECK_EQUAL(toy.parse("a x")->paths(), 0.0);
  CHECK(toy.parse("")->empty());
}

TEST(unknown_words_pass_through) {
  EngineOptions options;
  options.pass_through = true;
  options.extra_pass_through_features = 3;
  const Toy toy(options);
  const auto forest = toy.parse("x");
  CHECK_EQUAL(joined(*forest), "x;");
  const auto values = features(*forest, viterbi(*forest));
  CHECK_EQUAL(values.size(), 2u);
  CHECK_EQUAL(toy.weights->name(values[1].first), "PassThrough_1");
}

TEST(the_span_limit_holds_for_all_but_glue) {
  EngineOptions options;
  options.max_span = 2;
  const Toy narrow(options);
  // Without [X,1] b [X,2] over three words; a [X,1] over two stays.
  const auto all = texts(*narrow.parse("a b c"));
  for (const Derivation& d : all_derivations(*narrow.parse("a b c"))) {
    const auto forest = narrow.parse("a b c");
    for (const EdgeId e : d) {
      const NodeId head = forest->head[e];
      const bool is_x = forest->vocabulary->categories->text(forest->category[head]) == "X";
      CHECK(!is_x || forest->span[head].end - forest->span[head].begin <= 2);
    }
  }
  CHECK(all.size() < texts(*Toy().parse("a b c")).size());
}

TEST(a_sentences_own_grammar) {
  const Toy toy;
  Input input = Toy::sentence("a x");
  input.grammar_text = "[X] ||| x ||| own ||| own=1\n";
  CHECK_EQUAL(joined(*toy.parse(input)), "own u;u own;v w own;");
  CHECK(toy.parse("a x")->empty());
  input.grammar_text = "[X] ||| x\n";
  CHECK_INPUT_ERROR(toy.parse(input), 1u, "[LHS] ||| source");
  input.grammar_text.clear();
  input.grammar_paths = {"/nowhere/grammar"};
  CHECK_INPUT_ERROR(toy.parse(input), 0u, "cannot be opened");
}

TEST(a_lattice_gives_each_of_its_paths) {
  const Toy toy;
  Input input;
  input.length = 2;
  input.arcs = {{0, 1, "a", {"cost"}, {0.5}}, {0, 2, "c", {}, {}}, {1, 2, "b", {}, {}}};
  std::multiset<std::string> both = texts(*toy.parse("a b"));
  both.merge(texts(*toy.parse("c")));
  const auto forest = toy.parse(input);
  CHECK(texts(*forest) == both);
  for (const Derivation& d : all_derivations(*forest)) {
    const std::string source = tree(*forest, d, Side::kSource);
    CHECK_EQUAL(value_of(*forest, d, toy.weights->find("cost")),
                source.find('a') == std::string::npos ? 0.0 : 0.5);
  }
}

TEST(distances_are_those_of_the_shortest_path) {
  Lattice lattice(4);
  for (const auto& [from, to] : {std::pair{0, 1}, {1, 2}, {2, 4}, {0, 3}})
    lattice.add_arc(from, to, 1);
  lattice.finish();
  CHECK_EQUAL(lattice.distance(0, 4), 3);
  CHECK_EQUAL(lattice.distance(0, 3), 1);
  CHECK(lattice.distance(3, 4) >= Lattice::kUnreachable);
  CHECK_EQUAL(lattice.widest_span(0), 0);
  CHECK_EQUAL(lattice.widest_span(1), 3);
  CHECK_EQUAL(lattice.widest_span(3), 4);
  CHECK_THROWS(lattice.add_arc(2, 2, 1), std::invalid_argument);
  CHECK_THROWS(lattice.add_arc(0, 5, 1), std::invalid_argument);
}

TEST(unary_rules_in_a_cycle_are_refused) {
  const Toy toy({}, "[X] ||| a ||| u\n[X] ||| [Y,1] ||| [1]\n[Y] ||| [X,1] ||| [1]\n");
  CHECK_THROWS(toy.parse("a"), std::invalid_argument);
}
