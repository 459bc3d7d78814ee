#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "arrays.h"
#include "bindings.h"
#include "forest/kbest.h"
#include "optimise/margin_update.h"
#include "scorers/bleu_references.h"
#include "scorers/bleu_scorer.h"
#include "search/cube_pruning.h"

namespace hopefear::bindings {
namespace {

std::shared_ptr<Forest> bleu_forest(std::shared_ptr<Forest> forest,
                                    std::shared_ptr<ReferenceNgrams> references,
                                    std::span<const double> document, double document_source_length,
                                    double reference_length, double model_weight,
                                    double bleu_weight, std::int32_t pop_limit) {
  BleuOptions options{{}, document_source_length, reference_length, bleu_weight};
  expect(document.size() == options.document.size(), "expected a pseudo-document of 10 counts");
  std::ranges::copy(document, options.document.begin());
  const BleuScorer scorer(std::move(references), options);
  const StatefulScorer* const scorers[] = {&scorer};
  return rescore(std::move(forest), scorers, nullptr, {pop_limit, model_weight});
}

// (texts, indptr, feature numbers, values) of the best derivations.
nb::typed<nb::tuple, std::vector<std::string>, Vector<std::int64_t>, Vector<FeatureId>,
          Vector<double>>
best_hypotheses(std::shared_ptr<Forest> forest, std::size_t k, bool unique) {
  std::vector<std::string> texts;
  std::vector<std::int64_t> indptr{0};
  std::vector<FeatureId> ids;
  std::vector<double> values;
  unlocked([&] {
    KBest lists(*forest, unique);
    Derivation derivation;
    for (std::int32_t rank = 0; std::cmp_less(rank, k) && lists.derivation(rank, derivation);
         ++rank) {
      texts.push_back(text_of(*forest, derivation));
      for (const auto& [id, value] : features(*forest, derivation)) {
        ids.push_back(id);
        values.push_back(value);
      }
      indptr.push_back(count_of<std::int64_t>(ids));
    }
  });
  return nb::make_tuple(std::move(texts), owned(std::move(indptr)), owned(std::move(ids)),
                        owned(std::move(values)));
}

// (alpha, steps, gap)
nb::typed<nb::tuple, Vector<double>, std::size_t, double> solve(
    const MatrixArgument& gram, std::span<const double> loss, std::span<const double> score,
    std::span<const std::int64_t> begin, std::span<const std::int64_t> start, double C,
    double tolerance, std::size_t max_steps) {
  const std::size_t n = loss.size(), m = start.size();
  expect(gram.shape(0) == n && gram.shape(1) == n && score.size() == n && begin.size() == m + 1,
         "expected arrays of matching lengths");
  expect_bounds(begin, n, "begin", "hypotheses");
  const std::vector<std::size_t> bounds(begin.begin(), begin.end());
  std::vector<double> alpha(n, 0.0), scores(score.begin(), score.end());
  for (std::size_t i = 0; i < m; ++i) {
    const auto j = static_cast<std::size_t>(start[i]);
    expect(j >= bounds[i] && j < bounds[i + 1],
           "expected start to be a hypothesis of its sentence");
    alpha[j] = C;
  }
  const SmoResult result = unlocked([&] {
    return smo({bounds, {gram.data(), n * n}, loss}, {C, tolerance, max_steps}, alpha, scores);
  });
  return nb::make_tuple(owned(std::move(alpha)), result.steps, result.gap);
}

// indptr, features, values, loss, and the row of the oracle.
using ConstraintArrays = std::tuple<Argument<std::int64_t>, Argument<FeatureId>, Argument<double>,
                                    Argument<double>, std::size_t>;

SentenceConstraints checked(const ConstraintArrays& arrays, std::size_t weights) {
  const auto& [indptr, features, values, loss, oracle] = arrays;
  const std::span<const std::int64_t> bounds = as_span(indptr);
  expect(bounds.size() == loss.shape(0) + 1 && features.shape(0) == values.shape(0) &&
             oracle < loss.shape(0),
         "expected arrays of matching lengths");
  expect_bounds(bounds, values.shape(0), "indptr", "values");
  const bool known = std::ranges::all_of(as_span(features), [&](FeatureId feature) {
    return feature >= 0 && std::cmp_less(feature, weights);
  });
  expect(known, "expected features that have weights");
  return {bounds, as_span(features), as_span(values), as_span(loss), oracle};
}

// (features, change, alpha, hinges, steps, gap)
nb::typed<nb::tuple, Vector<std::int64_t>, Vector<double>, Vector<double>, Vector<double>,
          std::size_t, double>
update_margins(const std::vector<ConstraintArrays>& batch, std::span<const double> weights,
               double C, double tolerance, std::size_t max_steps) {
  MarginUpdate update = unlocked([&] {
    std::vector<SentenceConstraints> sentences;
    for (const ConstraintArrays& arrays : batch)
      sentences.push_back(checked(arrays, weights.size()));
    return margin_update(sentences, weights, {C, tolerance, max_steps});
  });
  return nb::make_tuple(owned(std::move(update.features)), owned(std::move(update.change)),
                        owned(std::move(update.alpha)), owned(std::move(update.hinges)),
                        update.solved.steps, update.solved.gap);
}

using Words = std::vector<BleuReferences::Word>;

// The statistics of so many translations, of which words(i) gives one.
Matrix<double> statistics_of(const BleuReferences& references, std::size_t translations,
                             auto&& words) {
  const std::size_t columns = references.size();
  std::vector<double> statistics(translations * columns);
  unlocked([&] {
    for (std::size_t i = 0; i < translations; ++i)
      references.statistics(words(i), std::span(statistics).subspan(i * columns, columns));
  });
  return owned(std::move(statistics), columns);
}

}  // namespace

void bind_oracles(nb::module_& module) {
  nb::class_<ReferenceNgrams>(module, "ReferenceNgrams",
                              "The n-grams of the references of a sentence, as an automaton.")
      .def(nb::init<const std::vector<std::vector<std::string>>&>(), nb::arg("references"),
           Release());
  nb::class_<BleuReferences>(
      module, "BleuReferences",
      "The references of a sentence, as numbers of words from 1, for BLEU's statistics.")
      .def(nb::init<const std::vector<Words>&, std::size_t, std::optional<double>>(),
           nb::arg("references"), nb::kw_only(), nb::arg("order"), nb::arg("length").none(),
           Release())
      .def(
          "statistics",
          [](const BleuReferences& self, const std::vector<Words>& translations) {
            return statistics_of(self, translations.size(),
                                 [&](std::size_t i) -> const Words& { return translations[i]; });
          },
          nb::arg("translations"),
          "The statistics of translations, float64 (n, 2 + 2 order); a word that is in no "
          "reference is 0.")
      .def(
          "statistics_of_rows",
          [](const BleuReferences& self, std::span<const std::int64_t> indptr,
             std::span<const BleuReferences::Word> words) {
            expect_bounds(indptr, words.size(), "indptr", "words");
            return statistics_of(self, indptr.size() - 1, [&](std::size_t i) {
              return words.subspan(place_of(indptr[i]), place_of(indptr[i + 1] - indptr[i]));
            });
          },
          nb::arg("indptr"), nb::arg("words"), "The same of translations as CSR arrays.");
  module.def("bleu_forest", &bleu_forest, nb::arg("forest"), nb::arg("references"), nb::kw_only(),
             nb::arg("document"), nb::arg("document_source_length"), nb::arg("reference_length"),
             nb::arg("model_weight"), nb::arg("bleu_weight"), nb::arg("pop_limit"), Release(),
             "Rescores a forest with the model's score and B.");
  module.def("best_hypotheses", &best_hypotheses, nb::arg("forest"), nb::arg("k"), nb::kw_only(),
             nb::arg("unique"),
             "Texts, and features as CSR arrays (indptr, feature numbers, values), of the best "
             "derivations.");
  module.def("smo", &solve, nb::arg("gram"), nb::arg("loss"), nb::arg("score"), nb::arg("begin"),
             nb::arg("start"), nb::kw_only(), nb::arg("C"), nb::arg("tolerance"),
             nb::arg("max_steps"), "Solves MIRA's dual: (alpha, steps, gap).");
  module.def("margin_update", &update_margins, nb::arg("batch"), nb::arg("weights"), nb::kw_only(),
             nb::arg("C"), nb::arg("tolerance"), nb::arg("max_steps"),
             "MIRA's change for a batch, of each sentence (indptr, features, values, loss, row of "
             "the oracle): (features, change, alpha, hinges, steps, gap).");
}

}  // namespace hopefear::bindings
