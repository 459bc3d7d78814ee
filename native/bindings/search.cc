#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings.h"
#include "derivations.h"
#include "forest/continuations.h"
#include "forest/inside_outside.h"
#include "forest/intersect.h"
#include "forest/kbest_sums.h"
#include "forest/prefix_search.h"
#include "forest/subforest.h"
#include "search/cube_pruning.h"

namespace hopefear::bindings {
namespace {

// Holds its forest, which KBest itself only refers to.
struct LazyKBest {
  LazyKBest(std::shared_ptr<Forest> of, bool unique)
      : forest(std::move(of)), lists(*forest, unique) {}
  std::shared_ptr<Forest> forest;
  KBest lists;
};

auto as_arrays(const std::vector<std::pair<FeatureId, double>>& features) {
  std::vector<FeatureId> ids;
  std::vector<double> values;
  for (const auto& [id, value] : features) {
    ids.push_back(id);
    values.push_back(value);
  }
  return owned(std::move(ids), std::move(values));
}

// (distinct words, indptr, number of each word among them) of all translations.
nb::typed<nb::tuple, std::vector<std::string>, Vector<std::int64_t>, Vector<std::int32_t>>
numbered_words(const KBestSums& lists) {
  std::vector<std::string> distinct;
  std::vector<std::int64_t> indptr{0};
  std::vector<std::int32_t> numbers;
  unlocked([&] {
    std::unordered_map<Symbol, std::int32_t> number_of;
    for (const std::int32_t rank : ids(0, lists.count())) {
      for (const Symbol word : lists.words(rank)) {
        const auto [found, is_new] = number_of.emplace(word, count_of(distinct));
        if (is_new) distinct.emplace_back(lists.forest().vocabulary->words->text(word));
        numbers.push_back(found->second);
      }
      indptr.push_back(count_of<std::int64_t>(numbers));
    }
  });
  return nb::make_tuple(std::move(distinct), owned(std::move(indptr)), owned(std::move(numbers)));
}

// (feature numbers, sums, 1 for those of which some translations may have 0)
auto weighted_sums(const KBestSums& lists, std::span<const double> factors) {
  expect(factors.size() == place_of(lists.count()), "expected a factor for each translation");
  const auto sums = unlocked([&] { return lists.sums(factors); });
  std::vector<FeatureId> features;
  std::vector<double> values;
  std::vector<std::uint8_t> may_vanish;
  for (const KBestSums::Sum& each : sums) {
    features.push_back(each.feature);
    values.push_back(each.sum);
    may_vanish.push_back(each.may_vanish);
  }
  return owned(std::move(features), std::move(values), std::move(may_vanish));
}

IdVector<NodeId, double> outside_scores(const Forest& forest, Semiring semiring, double scale) {
  return outside(forest, inside(forest, semiring, scale), semiring, scale);
}

std::shared_ptr<Forest> subforest_of(const Forest& forest, std::span<const EdgeId> edges) {
  IdVector<EdgeId, bool> keep(forest.edges());
  for (const EdgeId e : edges) {
    if (!keep.has(e)) throw nb::index_error("expected an edge of this forest");
    keep[e] = true;
  }
  return subforest(forest, keep);
}

}  // namespace

void bind_search(nb::module_& module) {
  module.def(
      "rescore",
      [](std::shared_ptr<Forest> source,
         const std::vector<std::shared_ptr<StatefulScorer>>& scorers, const Weights& weights,
         std::int32_t pop_limit) {
        std::vector<const StatefulScorer*> pointers;
        for (const auto& scorer : scorers) pointers.push_back(scorer.get());
        return rescore(source, pointers, &weights, {pop_limit, 1.0});
      },
      nb::arg("source"), nb::arg("scorers"), nb::arg("weights"), nb::kw_only(),
      nb::arg("pop_limit"), Release(),
      "Intersects a forest with stateful scorers by cube pruning.");

  module.def("viterbi", to_array(&viterbi), nb::arg("forest"),
             "The best derivation: its edges in preorder, int32.");
  nb::class_<LazyKBest>(
      module, "KBest",
      "Derivations of a forest, best first; each is computed when it is requested.")
      .def(nb::init<std::shared_ptr<Forest>, bool>(), nb::arg("forest"), nb::arg("unique"))
      .def(
          "derivation",
          [](LazyKBest& self, std::size_t k) -> std::optional<Vector<EdgeId>> {
            Derivation derivation;
            const bool found =
                std::in_range<std::int32_t>(k) && unlocked([&] {
                  return self.lists.derivation(static_cast<std::int32_t>(k), derivation);
                });
            if (!found) return std::nullopt;
            return owned(std::move(derivation));
          },
          nb::arg("k"), "The k-th best, k from 0; None when there are fewer.");
  nb::class_<KBestSums>(module, "KBestSums",
                        "Sums over the k best translations; see hopefear.decoder.KBestSums.")
      .def(
          "__init__",
          [](KBestSums* self, std::shared_ptr<Forest> forest, std::size_t k) {
            constexpr std::size_t kMost = std::numeric_limits<std::int32_t>::max();
            new (self) KBestSums(std::move(forest), static_cast<std::int32_t>(std::min(k, kMost)));
          },
          nb::arg("forest"), nb::arg("k"), Release())
      .def("__len__", &KBestSums::count)
      .def("words", &numbered_words,
           "Distinct words, and CSR arrays (indptr, numbers) of the words of each translation.")
      .def("scores", to_array(&KBestSums::scores), nb::arg("weights"), "w·f of each translation.")
      .def("sums", &weighted_sums, nb::arg("factors"),
           "Feature numbers, the sum of each over the translations times their factors, and 1 "
           "where translations may have 0 where an edge has another value.")
      .def("fire", &KBestSums::fire, nb::arg("features"), Release(),
           "Which of some features, ascending, are not 0 in some translation.");
  module.def(
      "sample",
      [](const Forest& forest, std::size_t count, std::uint64_t seed, double scale) {
        std::vector<Derivation> drawn =
            unlocked([&] { return sample(forest, count, seed, scale); });
        return owned_list(drawn);
      },
      nb::arg("forest"), nb::arg("count"), nb::kw_only(), nb::arg("seed"), nb::arg("scale") = 1.0);

  module.def(
      "target_text",
      [](const Forest& forest, std::span<const EdgeId> derivation) {
        return text_of(forest, checked(forest, derivation));
      },
      nb::arg("forest"), nb::arg("derivation"), Release());
  module.def(
      "tree",
      [](const Forest& forest, std::span<const EdgeId> derivation, bool of_source) {
        const Side side = of_source ? Side::kSource : Side::kTarget;
        return tree(forest, checked(forest, derivation), side);
      },
      nb::arg("forest"), nb::arg("derivation"), nb::kw_only(), nb::arg("of_source"), Release());
  module.def(
      "features",
      [](const Forest& forest, std::span<const EdgeId> derivation) {
        return as_arrays(unlocked([&] { return features(forest, checked(forest, derivation)); }));
      },
      nb::arg("forest"), nb::arg("derivation"), "Feature numbers and values, without zeros.");
  module.def(
      "score",
      [](const Forest& forest, std::span<const EdgeId> derivation) {
        return score(forest, checked(forest, derivation));
      },
      nb::arg("forest"), nb::arg("derivation"), Release());

  nb::enum_<Semiring>(module, "Semiring").value("LOG", Semiring::kLog).value("MAX", Semiring::kMax);
  module.def("inside", to_array(&inside), nb::arg("forest"), nb::arg("semiring"),
             nb::arg("scale") = 1.0, "Inside scores by node.");
  module.def("outside", to_array(&outside_scores), nb::arg("forest"), nb::arg("semiring"),
             nb::arg("scale") = 1.0, "Outside scores by node.");
  module.def("edge_marginals", to_array(&edge_marginals), nb::arg("forest"), nb::arg("semiring"),
             nb::arg("scale") = 1.0, "Log posteriors or max-marginals by edge.");
  module.def(
      "feature_expectations",
      [](const Forest& forest, double scale) {
        return as_arrays(unlocked([&] { return feature_expectations(forest, scale); }));
      },
      nb::arg("forest"), nb::arg("scale") = 1.0, "Feature numbers and expected values.");
  module.def("subforest", &subforest_of, nb::arg("forest"), nb::arg("edges"), Release(),
             "The derivations that consist of some edges.");
  module.def("prune", &prune, nb::arg("forest"), nb::kw_only(), nb::arg("beam"), nb::arg("density"),
             Release());
  module.def(
      "intersect",
      [](std::shared_ptr<Forest> forest, std::int32_t length,
         const std::vector<std::pair<std::pair<std::int32_t, std::int32_t>, std::string>>& arcs,
         bool second_goal) {
        std::vector<ReferenceArc> reference;
        for (const auto& [span, word] : arcs) reference.push_back({span.first, span.second, word});
        return intersect(std::move(forest), length, reference, second_goal);
      },
      nb::arg("forest"), nb::arg("length"), nb::arg("arcs"), nb::kw_only(), nb::arg("second_goal"),
      Release(), "Derivations whose words are a path of a lattice, arcs being ((from, to), word).");
  nb::class_<PrefixSearch>(
      module, "PrefixSearch",
      "The derivations of a forest that begin with what has been typed; see prefix_search.h.")
      .def(nb::init<std::shared_ptr<Forest>>(), nb::arg("forest"), Release())
      .def("type", &PrefixSearch::type, nb::arg("words"), nb::kw_only(), nb::arg("open"), Release(),
           "Tells the words that were typed; with `open`, the last one is the beginning of a word.")
      .def("meet", &PrefixSearch::meet, Release(),
           "Finds out a part of what `type` asks for; returns whether there is more.")
      .def("edits", &PrefixSearch::edits, "The edits that the best derivation needs.")
      .def("score_range", &PrefixSearch::score_range,
           "By how much the scores of the forest's derivations differ at most.")
      .def("within", &PrefixSearch::within, nb::arg("beam"), Release(),
           "All derivations whose scores differ from the best one's by so much, and some others.")
      .def("boundary", &PrefixSearch::boundary, nb::arg("translation"), Release(),
           "How many words of a translation the typed words stand for.");
  nb::class_<Continuations>(module, "Continuations",
                            "The words that may follow the beginnings of a forest's translations, "
                            "which have numbers, no words at all 0; see continuations.h.")
      .def(nb::init<std::shared_ptr<Forest>, double>(), nb::arg("forest"), nb::kw_only(),
           nb::arg("least"), Release())
      .def_prop_ro("words", &Continuations::words, "The distinct words of the forest, by number.")
      .def(
          "following",
          [](const Continuations& continuations, BeginningId b) {
            auto [words, scores] = unlocked([&] { return continuations.following(b); });
            return owned(std::move(words), std::move(scores));
          },
          nb::arg("beginning"),
          "The words that may follow, and the best score of a derivation with each.")
      .def("whole", &Continuations::whole, nb::arg("beginning"),
           "The best score of a derivation that ends here, or -inf.")
      .def("extended", &Continuations::extended, nb::arg("beginning"), nb::arg("word"),
           nb::kw_only(), nb::arg("least"), Release(),
           "A beginning with a word more, for derivations with at least a score.");
}

}  // namespace hopefear::bindings
