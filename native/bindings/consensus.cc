#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings.h"
#include "derivations.h"
#include "forest/subforest.h"
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

std::shared_ptr<Forest> forest_of_list(
    std::shared_ptr<Forest> forest, const std::vector<Argument<EdgeId>>& derivations,
    std::span<const double> scores, std::vector<std::string> source,
    std::vector<std::vector<std::string>> translations,
    const std::vector<std::vector<std::pair<std::uint8_t, std::uint8_t>>>& links) {
  WholeTranslations whole{std::move(source), std::move(translations), {}};
  expect(links.size() == whole.targets.size(), "expected the links of each translation");
  expect(!derivations.empty() && scores.size() == derivations.size() + links.size(),
         "expected a score for each of at least one derivation, and for each translation");
  for (const auto& of_translation : links) {
    auto& points = whole.alignments.emplace_back();
    for (const auto [f, e] : of_translation) points.push_back({f, e});
  }
  std::vector<Derivation> list;
  for (const auto& derivation : derivations) {
    list.push_back(checked(*forest, as_span(derivation)));
    if (list.back().empty() || forest->head[list.back()[0]] != forest->goal())
      throw nb::value_error("expected a derivation of this forest");
  }
  return unlocked([&] { return list_forest(forest, list, scores, whole); });
}

}  // namespace

void bind_consensus(nb::module_& module) {
  nb::class_<NgramForest>(module, "NgramForest",
                          "A forest that is split so that an edge always forms the same n-grams.")
      .def(nb::init<std::shared_ptr<Forest>, std::int32_t, std::int32_t>(), nb::arg("forest"),
           nb::kw_only(), nb::arg("order"), nb::arg("pop_limit"), Release())
      .def_prop_ro("forest", &NgramForest::forest)
      .def("texts", &ngram_texts, "The n-grams.")
      .def("orders", to_array(&ngram_orders), "The number of words of each n-gram.")
      .def("expected_counts", to_array(&NgramForest::expected_counts), nb::arg("scale"),
           "By n-gram.")
      .def("expected_length", &NgramForest::expected_length, nb::arg("scale"), Release(),
           "The expected number of words.")
      .def("posteriors", to_array(&NgramForest::posteriors), nb::arg("scale"), nb::kw_only(),
           nb::arg("negligible") = 0.0, "The probability to occur at least once, by n-gram.")
      .def("with_gains", &NgramForest::with_gains, nb::arg("gains"), nb::kw_only(),
           nb::arg("of_word"), nb::arg("of_model"), Release(),
           "The forest in which a derivation scores the gains of its n-grams.");
  module.def("list_forest", &forest_of_list, nb::arg("forest"), nb::arg("derivations"),
             nb::arg("scores"), nb::arg("source") = std::vector<std::string>{},
             nb::arg("translations") = std::vector<std::vector<std::string>>{},
             nb::arg("links") = std::vector<std::vector<std::pair<std::uint8_t, std::uint8_t>>>{},
             "A forest of some derivations alone, with other scores, and of translations of the "
             "whole sentence, which have no features.");
}

}  // namespace hopefear::bindings
