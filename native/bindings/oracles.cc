#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <stdexcept>
#include <tuple>
#include <utility>

#include "arrays.h"
#include "bindings.h"
#include "forest/derivation.h"
#include "forest/kbest.h"
#include "optimise/margin_update.h"
#include "optimise/smo.h"
#include "scorers/bleu_references.h"
#include "scorers/bleu_scorer.h"
#include "search/cube_pruning.h"

namespace hopefear::bindings {
namespace {

std::shared_ptr<Forest> bleu_forest(std::shared_ptr<Forest> forest,
                                    std::shared_ptr<ReferenceNgrams> references,
                                    const Argument<double>& document, double document_source_length,
                                    double reference_length, double model_weight,
                                    double bleu_weight, std::int32_t pop_limit) {
  BleuOptions options{{}, document_source_length, reference_length, bleu_weight};
  if (document.shape(0) != options.document.size()) {
    throw std::invalid_argument("expected a pseudo-document of 10 counts");
  }
  if (pop_limit < 0)
    throw std::invalid_argument("expected a pop limit of at least 0, got " +
                                std::to_string(pop_limit));
  std::ranges::copy(as_span(document), options.document.begin());
  const nb::gil_scoped_release release;
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
  {
    const nb::gil_scoped_release release;
    KBest lists(*forest, unique);
    Derivation derivation;
    std::vector<Symbol> words;
    for (std::int32_t rank = 0; std::cmp_less(rank, k) && lists.derivation(rank, derivation);
         ++rank) {
      target_words(*forest, derivation, words);
      texts.push_back(to_text(*forest->vocabulary, words));
      for (const auto& [id, value] : features(*forest, derivation)) {
        ids.push_back(id);
        values.push_back(value);
      }
      indptr.push_back(count_of<std::int64_t>(ids));
    }
  }
  return nb::make_tuple(std::move(texts), owned(std::move(indptr)), owned(std::move(ids)),
                        owned(std::move(values)));
}

// (alpha, steps, gap)
nb::typed<nb::tuple, Vector<double>, std::size_t, double> solve(
    const nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>& gram,
    const Argument<double>& loss, const Argument<double>& score,
    const Argument<std::int64_t>& begin, const Argument<std::int64_t>& start, double C,
    double tolerance, std::size_t max_steps) {
  const std::size_t n = loss.shape(0), m = start.shape(0);
  if (gram.shape(0) != n || gram.shape(1) != n || score.shape(0) != n || begin.shape(0) != m + 1) {
    throw std::invalid_argument("expected arrays of matching lengths");
  }
  std::vector<std::size_t> bounds(begin.data(), begin.data() + m + 1);
  if (bounds.front() != 0 || bounds.back() != n || !std::ranges::is_sorted(bounds)) {
    throw std::invalid_argument(
        "expected begin in ascending order, from 0 to the number of hypotheses");
  }
  std::vector<double> alpha(n, 0.0), scores(score.data(), score.data() + n);
  for (std::size_t i = 0; i < m; ++i) {
    const auto j = static_cast<std::size_t>(start.data()[i]);
    if (j < bounds[i] || j >= bounds[i + 1])
      throw std::invalid_argument("expected start to be a hypothesis of its sentence");
    alpha[j] = C;
  }
  SmoResult result{};
  {
    const nb::gil_scoped_release release;
    result = smo({bounds, {gram.data(), n * n}, as_span(loss)}, {C, tolerance, max_steps}, alpha,
                 scores);
  }
  return nb::make_tuple(owned(std::move(alpha)), result.steps, result.gap);
}

// indptr, features, values, loss, and the row of the oracle.
using ConstraintArrays = std::tuple<Argument<std::int64_t>, Argument<FeatureId>, Argument<double>,
                                    Argument<double>, std::size_t>;

SentenceConstraints checked(const ConstraintArrays& arrays, std::size_t weights) {
  const auto& [indptr, features, values, loss, oracle] = arrays;
  const std::span<const std::int64_t> bounds = as_span(indptr);
  if (bounds.size() != loss.shape(0) + 1 || features.shape(0) != values.shape(0) ||
      oracle >= loss.shape(0)) {
    throw std::invalid_argument("expected arrays of matching lengths");
  }
  if (bounds.front() != 0 || std::cmp_not_equal(bounds.back(), values.shape(0)) ||
      !std::ranges::is_sorted(bounds))
    throw std::invalid_argument(
        "expected indptr in ascending order, from 0 to the number of values");
  const bool known = std::ranges::all_of(as_span(features), [&](FeatureId feature) {
    return feature >= 0 && std::cmp_less(feature, weights);
  });
  if (!known) throw std::invalid_argument("expected features that have weights");
  return {bounds, as_span(features), as_span(values), as_span(loss), oracle};
}

// (features, change, alpha, hinges, steps, gap)
nb::typed<nb::tuple, Vector<std::int64_t>, Vector<double>, Vector<double>, Vector<double>,
          std::size_t, double>
update_margins(const std::vector<ConstraintArrays>& batch, const Argument<double>& weights,
               double C, double tolerance, std::size_t max_steps) {
  MarginUpdate update;
  {
    const nb::gil_scoped_release release;
    std::vector<SentenceConstraints> sentences;
    for (const ConstraintArrays& arrays : batch)
      sentences.push_back(checked(arrays, weights.shape(0)));
    update = margin_update(sentences, as_span(weights), {C, tolerance, max_steps});
  }
  return nb::make_tuple(owned(std::move(update.features)), owned(std::move(update.change)),
                        owned(std::move(update.alpha)), owned(std::move(update.hinges)),
                        update.solved.steps, update.solved.gap);
}

}  // namespace

void bind_oracles(nb::module_& module) {
  nb::class_<ReferenceNgrams>(module, "ReferenceNgrams",
                              "The n-grams of the references of a sentence, as an automaton.")
      .def(nb::init<const std::vector<std::vector<std::string>>&>(), nb::arg("references"),
           nb::call_guard<nb::gil_scoped_release>());
  using Words = std::vector<BleuReferences::Word>;
  nb::class_<BleuReferences>(
      module, "BleuReferences",
      "The references of a sentence, as numbers of words from 1, for BLEU's statistics.")
      .def(nb::init<const std::vector<Words>&, std::size_t, std::optional<double>>(),
           nb::arg("references"), nb::kw_only(), nb::arg("order"), nb::arg("length").none(),
           nb::call_guard<nb::gil_scoped_release>())
      .def(
          "statistics",
          [](const BleuReferences& self, const std::vector<Words>& translations) {
            std::vector<double> statistics(translations.size() * self.size());
            unlocked([&] {
              for (std::size_t i = 0; i < translations.size(); ++i)
                self.statistics(translations[i],
                                std::span(statistics).subspan(i * self.size(), self.size()));
            });
            return owned(std::move(statistics), self.size());
          },
          nb::arg("translations"),
          "The statistics of translations, float64 (n, 2 + 2 order); a word that is in no "
          "reference "
          "is 0.")
      .def(
          "statistics_of_rows",
          [](const BleuReferences& self, const Argument<std::int64_t>& indptr,
             const Argument<BleuReferences::Word>& words) {
            const std::span<const std::int64_t> begin = as_span(indptr);
            if (begin.empty() || begin.front() != 0 || !std::ranges::is_sorted(begin) ||
                std::cmp_not_equal(begin.back(), words.shape(0))) {
              throw std::invalid_argument(
                  "expected indptr in ascending order, from 0 to the number of words");
            }
            std::vector<double> statistics((begin.size() - 1) * self.size());
            unlocked([&] {
              for (std::size_t i = 0; i + 1 < begin.size(); ++i) {
                self.statistics(
                    as_span(words).subspan(place_of(begin[i]), place_of(begin[i + 1] - begin[i])),
                    std::span(statistics).subspan(i * self.size(), self.size()));
              }
            });
            return owned(std::move(statistics), self.size());
          },
          nb::arg("indptr"), nb::arg("words"), "The same of translations as CSR arrays.");
  module.def("bleu_forest", &bleu_forest, nb::arg("forest"), nb::arg("references"), nb::kw_only(),
             nb::arg("document"), nb::arg("document_source_length"), nb::arg("reference_length"),
             nb::arg("model_weight"), nb::arg("bleu_weight"), nb::arg("pop_limit"),
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
