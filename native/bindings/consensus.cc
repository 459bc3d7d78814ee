#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <stdexcept>

#include "arrays.h"
#include "bindings.h"
#include "derivations.h"
#include "forest/list_forest.h"
#include "scorers/ngram_forest.h"

namespace hopefear::bindings {
namespace {

std::vector<std::string> ngram_texts(const NgramForest& ngrams) {
  std::vector<std::string> texts;
  for (const NgramId ngram : ids(NgramId{0}, ngrams.ngrams()))
    texts.push_back(to_text(*ngrams.forest()->vocabulary, ngrams.words(ngram)));
  return texts;
}

std::vector<std::int32_t> ngram_orders(const NgramForest& ngrams) {
  std::vector<std::int32_t> orders;
  for (const NgramId ngram : ids(NgramId{0}, ngrams.ngrams()))
    orders.push_back(count_of(ngrams.words(ngram)));
  return orders;
}

}  // namespace

void bind_consensus(nb::module_& module) {
  using Release = nb::call_guard<nb::gil_scoped_release>;

  nb::class_<NgramForest>(module, "NgramForest",
                          "A forest that is split so that an edge always forms the same n-grams.")
      .def(
          "__init__",
          [](NgramForest* self, std::shared_ptr<Forest> forest, std::int32_t order,
             std::int32_t pop_limit) { new (self) NgramForest(forest, order, pop_limit); },
          nb::arg("forest"), nb::kw_only(), nb::arg("order"), nb::arg("pop_limit"), Release())
      .def_prop_ro("forest", &NgramForest::forest)
      .def("texts", &ngram_texts, "The n-grams.")
      .def(
          "orders", [](const NgramForest& self) { return owned(ngram_orders(self)); },
          "The number of words of each n-gram.")
      .def(
          "expected_counts",
          [](const NgramForest& self, double scale) {
            return owned(unlocked([&] { return self.expected_counts(scale); }));
          },
          nb::arg("scale"), "By n-gram.")
      .def("expected_length", &NgramForest::expected_length, nb::arg("scale"), Release(),
           "The expected number of words.")
      .def(
          "posteriors",
          [](const NgramForest& self, double scale, double negligible) {
            return owned(unlocked([&] { return self.posteriors(scale, negligible); }));
          },
          nb::arg("scale"), nb::kw_only(), nb::arg("negligible") = 0.0,
          "The probability to occur at least once, by n-gram.")
      .def(
          "with_gains",
          [](const NgramForest& self, const Argument<double>& gains, double of_word,
             double of_model) {
            return unlocked([&] { return self.with_gains(as_span(gains), of_word, of_model); });
          },
          nb::arg("gains"), nb::kw_only(), nb::arg("of_word"), nb::arg("of_model"),
          "The forest in which a derivation scores the gains of its n-grams.");
  module.def(
      "list_forest",
      [](std::shared_ptr<Forest> forest, const std::vector<Argument<EdgeId>>& derivations,
         const Argument<double>& scores) {
        if (derivations.empty() || scores.shape(0) != derivations.size())
          throw std::invalid_argument("expected a score for each of at least one derivation");
        std::vector<Derivation> list;
        for (const auto& derivation : derivations) {
          list.push_back(checked(*forest, derivation));
          if (list.back().empty() || forest->head[list.back()[0]] != forest->goal())
            throw nb::value_error("expected a derivation of this forest");
        }
        return unlocked([&] { return list_forest(forest, list, as_span(scores)); });
      },
      nb::arg("forest"), nb::arg("derivations"), nb::arg("scores"),
      "A forest of some derivations alone, with other scores.");
}

}  // namespace hopefear::bindings
