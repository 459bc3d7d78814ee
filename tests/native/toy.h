// Small forests, and all their derivations one by one.
#pragma once

#include <algorithm>
#include <iterator>

#include "check.h"
#include "files.h"
#include "forest/derivation.h"
#include "parse/engine.h"
#include "search/cube_pruning.h"

using namespace hopefear;

inline constexpr const char* kToyGrammar =
    "[X] ||| a ||| u ||| f=0.5\n"
    "[X] ||| a ||| v w ||| f=-0.25 g=1\n"
    "[X] ||| b ||| w ||| g=2\n"
    "[X] ||| c ||| u u ||| f=1 g=-0.5\n"
    "[X] ||| c ||| v ||| g=0.125\n"
    "[X] ||| a [X,1] ||| [1] u ||| f=0.75\n"
    "[X] ||| [X,1] b [X,2] ||| [2] w [1] ||| g=-1 ||| 1-1\n"
    "[X] ||| [X,1] c ||| v [1] ||| f=-0.5 g=0.25\n";

inline std::vector<std::string> words_of(const std::string& text) {
  std::istringstream in(text);
  return {std::istream_iterator<std::string>(in), {}};
}

struct Toy {
  explicit Toy(EngineOptions options = {}, const std::string& grammar = kToyGrammar)
      : weights(std::make_shared<Weights>()), engine(weights, std::move(options)) {
    const TemporaryFile file(grammar);
    engine.read_grammar(file.path());
    engine.finish();
    for (const auto& [name, value] :
         {std::pair{"f", 1.0}, {"g", 0.7}, {"Glue", -0.3}, {"PassThrough", -2.0}}) {
      weights->data()[weights->intern(name)] = value;
    }
  }

  static Input sentence(const std::string& text) {
    Input input;
    for (const std::string& word : words_of(text)) {
      const std::int32_t at = input.length++;
      input.arcs.push_back({at, at + 1, word, {}, {}});
    }
    return input;
  }

  std::shared_ptr<Forest> parse(const Input& input) const {
    auto forest = engine.parse(input);
    forest->reweight(*weights);
    return forest;
  }
  std::shared_ptr<Forest> parse(const std::string& text) const { return parse(sentence(text)); }

  std::shared_ptr<Forest> rescored(const std::shared_ptr<const Forest>& source,
                                   const StatefulScorer& scorer, std::int32_t pop_limit = 0) const {
    const StatefulScorer* const scorers[] = {&scorer};
    return rescore(source, scorers, weights.get(), {.pop_limit = pop_limit});
  }

  // w·f
  double weighted(const Forest& forest, const Derivation& derivation) const {
    double sum = 0;
    for (const auto& [feature, value] : features(forest, derivation))
      sum += weights->data()[feature] * value;
    return sum;
  }

  std::shared_ptr<Weights> weights;
  Engine engine;
};

// All derivations of a node, edges in preorder.
inline std::vector<Derivation> derivations_of(const Forest& forest, NodeId node) {
  std::vector<Derivation> all;
  for (EdgeId e = forest.edges_begin[node]; e < forest.edges_begin[node + 1]; ++e) {
    std::vector<Derivation> partial{{e}};
    for (const NodeId tail : forest.tails_of(e)) {
      std::vector<Derivation> longer;
      for (const Derivation& under : derivations_of(forest, tail)) {
        for (const Derivation& begin : partial) {
          longer.push_back(begin);
          longer.back().insert(longer.back().end(), under.begin(), under.end());
        }
      }
      partial = std::move(longer);
    }
    all.insert(all.end(), partial.begin(), partial.end());
  }
  return all;
}

// Of the goal, best first.
inline std::vector<Derivation> all_derivations(const Forest& forest) {
  if (forest.empty()) return {};
  std::vector<Derivation> all = derivations_of(forest, forest.goal());
  std::stable_sort(all.begin(), all.end(), [&](const Derivation& a, const Derivation& b) {
    return score(forest, a) > score(forest, b);
  });
  return all;
}

// The value of a feature in a derivation.
inline double value_of(const Forest& forest, const Derivation& derivation, FeatureId wanted) {
  for (const auto& [feature, value] : features(forest, derivation))
    if (feature == wanted) return value;
  return 0;
}

// Calls visit(forest, derivation) for each derivation of rescored forests, which lose none.
template <class Visit>
void for_each_rescored(const Toy& toy, const StatefulScorer& scorer,
                       const std::vector<std::string>& texts, Visit&& visit) {
  for (const std::string& text : texts) {
    const auto source = toy.parse(text);
    const auto rescored = toy.rescored(source, scorer);
    CHECK_EQUAL(rescored->paths(), source->paths());
    for (const Derivation& d : all_derivations(*rescored)) visit(*rescored, d);
  }
}
