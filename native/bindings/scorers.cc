#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings.h"
#include "feature_rows.h"
#include "plugins/function_scorer.h"
#include "plugins/ngram_scorer.h"
#include "python_scorer.h"

namespace hopefear::bindings {
namespace {

using RuleRows = nb::ndarray<const std::int64_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using AnyCallable = nb::typed<nb::callable, nb::object(...)>;

// Numbers names as features, or has numbers(names) do so with the interpreter lock.
NgramTable::Numbering numbering(std::shared_ptr<Weights> weights,
                                std::optional<AnyCallable> numbers) {
  if (!numbers) {
    return [weights = std::move(weights)](const std::vector<std::string>& names) {
      return weights->intern_all(std::vector<std::string_view>(names.begin(), names.end()));
    };
  }
  // The table may be dropped by a thread that does not hold the lock.
  std::shared_ptr<nb::callable> kept(new nb::callable(std::move(*numbers)), [](nb::callable* p) {
    const Acquire lock;
    delete p;
  });
  return [kept](const std::vector<std::string>& names) {
    const Acquire lock;
    const auto ids = nb::cast<Argument<FeatureId>>((*kept)(names));
    expect(ids.shape(0) == names.size(), "expected one number for each name");
    return std::vector<FeatureId>(ids.data(), ids.data() + ids.shape(0));
  };
}

// The numbers of units that a plugin gives as a text each, or a tuple of texts.
std::vector<std::int32_t> unit_numbers(NgramTable& table, const nb::sequence& units) {
  std::vector<std::int32_t> numbers;
  std::vector<std::string_view> texts;
  const auto add_text = [&](nb::handle text) {
    Py_ssize_t size;
    const char* data = PyUnicode_AsUTF8AndSize(text.ptr(), &size);
    if (data == nullptr) throw nb::python_error();
    texts.emplace_back(data, place_of(size));
  };
  for (const nb::handle unit : units) {
    texts.clear();
    if (nb::isinstance<nb::str>(unit)) {
      add_text(unit);
    } else {
      for (const nb::handle text : unit) add_text(text);
    }
    numbers.push_back(table.unit(texts));
  }
  return numbers;
}

// Strings over a plugin's units as strings over the table's.
RuleStrings rule_strings(const Forest& forest, std::span<const std::int32_t> rules,
                         IdSpan<std::int32_t, const std::int32_t> units,
                         std::span<const std::int32_t> indptr,
                         IdSpan<std::int32_t, const std::int32_t> symbols) {
  if (indptr.size() != rules.size() + 1 || indptr.front() != 0 ||
      indptr.back() != symbols.count()) {
    throw nb::value_error(
        "expected indptr from 0 to the number of symbols, one number more than rules");
  }
  RuleStrings strings;
  std::vector<std::int32_t> string;
  for (std::size_t i = 0; i < rules.size(); ++i) {
    if (!forest.rules.has(rules[i])) throw nb::index_error();
    if (indptr[i + 1] < indptr[i]) throw nb::value_error("expected ascending values in indptr");
    const Rule rule = forest.rule_space->rule(forest.rules[rules[i]]);
    const auto arity = std::ranges::count_if(rule.target, [](Symbol s) { return s <= 0; });
    string.clear();
    for (std::int32_t j = indptr[i]; j < indptr[i + 1]; ++j) {
      const std::int32_t symbol = symbols[j];
      if (symbol >= units.count()) throw nb::value_error("expected the number of a unit");
      if (symbol < -arity) throw nb::value_error("expected a nonterminal of the rule");
      string.push_back(symbol < 0 ? symbol : units[symbol]);
    }
    strings.add(string);
  }
  return strings;
}

// Adds the n-grams within rules to the forest, given the strings of the rules that are new.
void add_rule_ngrams(NgramTable& table, const RuleStrings& answer, RuleFeatureCache& cache,
                     Forest& forest, std::span<const std::int32_t> missing) {
  const RuleNgrams ngrams = ngrams_in_rules(table, answer);
  std::vector<std::int32_t> columns(ngrams.values.size());
  std::iota(columns.begin(), columns.end(), 0);
  const std::vector<double> ones(ngrams.values.size(), 1.0);
  const FeatureRows rows{ngrams.values, ngrams.begin, columns, ones, {}};
  cache.attach(forest, missing, {&rows, 1});
}

}  // namespace

void bind_scorers(nb::module_& module) {
  nb::class_<StatefulScorer>(module, "StatefulScorer", "A feature with a state, for cube pruning.");

  nb::class_<NgramTable>(module, "NgramTable", "n-grams of units and their features.")
      .def(
          "__init__",
          [](NgramTable* self, int order, bool boundaries, std::string prefix,
             std::vector<std::vector<int>> patterns, std::string separator,
             std::vector<std::string> prefixes, int begins, std::size_t texts,
             std::shared_ptr<Weights> weights, std::optional<AnyCallable> numbers) {
            new (self) NgramTable({order, boundaries, std::move(prefix), std::move(patterns),
                                   std::move(separator), std::move(prefixes), begins},
                                  texts, numbering(std::move(weights), std::move(numbers)));
          },
          nb::kw_only(), nb::arg("order"), nb::arg("boundaries"), nb::arg("prefix"),
          nb::arg("patterns"), nb::arg("separator"), nb::arg("prefixes"), nb::arg("begins"),
          nb::arg("texts"), nb::arg("weights"), nb::arg("numbers").none())
      .def("features", to_array(&NgramTable::features), nb::arg("first"),
           "The features of all n-grams so far but the first few, int32.")
      .def(
          "units",
          [](NgramTable& table, const nb::typed<nb::sequence, nb::object>& units) {
            return owned(unit_numbers(table, units));
          },
          nb::arg("units"), "The numbers of units, each a text or a tuple of texts, int32.");

  nb::class_<RuleStringCache, RuleCache>(module, "RuleStringCache", "What rules spell.")
      .def(nb::init<std::uint32_t>(), nb::arg("lasting_rules"));

  module.def(
      "ngram_scorer",
      [](std::shared_ptr<NgramTable> table, RuleStringCache& strings, RuleFeatureCache& features,
         Forest& forest, std::span<const LocalRule> missing, std::span<const std::int32_t> units,
         std::span<const std::int32_t> indptr, std::span<const std::int32_t> symbols) {
        const RuleStrings answer = rule_strings(forest, missing, units, indptr, symbols);
        add_rule_ngrams(*table, answer, features, forest, missing);
        return std::shared_ptr<StatefulScorer>(std::make_shared<NgramScorer>(
            std::move(table), strings.attach(forest, missing, answer)));
      },
      nb::arg("table"), nb::arg("strings"), nb::arg("features"), nb::arg("forest"),
      nb::arg("missing"), nb::arg("units"), nb::arg("indptr").noconvert(),
      nb::arg("symbols").noconvert(), Release(),
      "Stores the strings of new rules, adds the layer of n-grams within rules to the forest, "
      "and makes the scorer of the others.");

  module.def(
      "check_rows",
      [](const Argument<FeatureId>& columns, const Argument<std::int32_t>& indptr,
         const Argument<std::int32_t>& column, const Argument<double>& values,
         const std::optional<Argument<std::int32_t>>& row,
         std::size_t items) { feature_rows(columns, indptr, column, values, row, items); },
      nb::arg("columns"), nb::arg("indptr").noconvert(), nb::arg("column").noconvert(),
      nb::arg("values").noconvert(), nb::arg("row").noconvert().none(), nb::arg("items"),
      "Raises ValueError for arrays that cannot form a layer.");

  module.def(
      "python_scorer",
      [](std::size_t state_size, AnyCallable ask) {
        return std::shared_ptr<StatefulScorer>(
            std::make_shared<PythonScorer>(state_size, std::move(ask)));
      },
      nb::arg("state_size"), nb::arg("ask"), "A scorer that asks Python about batches of edges.");
  module.def(
      "function_scorer",
      [](std::string plugin, std::uintptr_t address, std::size_t state_size, const RuleRows& rules,
         const Argument<FeatureId>& features) -> std::shared_ptr<StatefulScorer> {
        const std::int64_t* const row = rules.data();
        return std::make_shared<FunctionScorer>(
            std::move(plugin), reinterpret_cast<StateFunction>(address), state_size,
            std::vector<std::int64_t>(row, row + rules.size()), rules.shape(1),
            std::vector<FeatureId>(features.data(), features.data() + features.shape(0)));
      },
      nb::arg("plugin"), nb::arg("address"), nb::arg("state_size"), nb::arg("rules").noconvert(),
      nb::arg("features"),
      "A scorer that calls machine code, a `StateFunction` of function_scorer.h, for each edge.");
}

}  // namespace hopefear::bindings
