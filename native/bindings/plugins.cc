#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "base/key_index.h"
#include "bindings.h"
#include "feature_rows.h"
#include "plugins/rule_batch.h"
#include "plugins/rule_functions.h"

namespace hopefear::bindings {
namespace {

// Of the arrays of a batch, which are made when they are first read.
template <auto Member>
auto batch_array() {
  return viewed<RuleBatch>(
      [](const RuleBatch& batch) -> const auto& { return batch.arrays().*Member; });
}
template <auto Rows>
auto batch_bounds() {
  return viewed<RuleBatch>(
      [](const RuleBatch& batch) -> const auto& { return (batch.arrays().*Rows).begin; });
}
template <auto Rows>
auto batch_values() {
  return viewed<RuleBatch>(
      [](const RuleBatch& batch) -> const auto& { return (batch.arrays().*Rows).values; });
}

void expect_local(const Forest& forest, std::span<const LocalRule> rules) {
  for (const LocalRule local : rules)
    if (!forest.rules.has(local)) throw nb::index_error();
}

}  // namespace

void bind_plugins(nb::module_& module) {
  nb::class_<IndicatorNames>(module, "IndicatorNames",
                             "A sequence of names; each name is made when it is read.")
      .def("__len__", &IndicatorNames::size)
      .def(
          "__getitem__",
          [](const IndicatorNames& self, std::ptrdiff_t i) { return self.name(index_in(self, i)); },
          nb::arg("index"))
      .def("intern", to_array(&IndicatorNames::intern), nb::arg("weights"),
           "The numbers of the features of these names, int32.");

  nb::class_<KeyIndex>(module, "KeyIndex", "Numbers for integer keys, in the order of first sight.")
      .def(nb::init<>())
      .def("__len__", &KeyIndex::size)
      .def(
          "rows",
          [](KeyIndex& self, std::span<const std::int64_t> keys) {
            std::vector<std::int32_t> rows;
            std::vector<std::int64_t> fresh;
            // Not thread-safe by itself: the lock of the caller's table is held.
            unlocked([&] {
              rows.reserve(keys.size());
              for (std::size_t i = 0; i < keys.size(); ++i) {
                self.prefetch(keys, i);
                const std::int32_t known = self.size();
                rows.push_back(self.insert(keys[i]));
                if (rows.back() == known) fresh.push_back(keys[i]);
              }
            });
            return owned(std::move(rows), std::move(fresh));
          },
          nb::arg("keys").noconvert(),
          "The number of each key, int32, and the keys that were new, int64.")
      .def(
          "keys",
          [](const KeyIndex& self, std::int32_t first) {
            std::vector<std::int64_t> keys;
            for (; first < self.size(); ++first) keys.push_back(self.key(first));
            return owned(std::move(keys));
          },
          nb::arg("first"), "All keys but so many first ones, in order, int64.");

  nb::class_<RuleBatch>(module, "RuleBatch",
                        "The rules of a call of a plugin; see hopefear.plugins.RuleBatch.")
      .def(
          "__init__",
          [](RuleBatch* self, std::shared_ptr<Forest> forest, std::span<const LocalRule> locals,
             std::shared_ptr<Weights> weights) {
            expect_local(*forest, locals);
            new (self) RuleBatch(std::move(forest), locals, std::move(weights));
          },
          nb::arg("forest"), nb::arg("local_rules"), nb::arg("weights"))
      .def("__len__", [](const RuleBatch& batch) { return batch.size(); })
      .def("__repr__",
           [](const RuleBatch& batch) { return concat("<RuleBatch: ", batch.size(), " rules>"); })
      .def_prop_ro("ids", batch_array<&RuleBatch::Arrays::ids>())
      .def_prop_ro("lhs", batch_array<&RuleBatch::Arrays::lhs>())
      .def_prop_ro("source_indptr", batch_bounds<&RuleBatch::Arrays::source>())
      .def_prop_ro("source", batch_values<&RuleBatch::Arrays::source>())
      .def_prop_ro("target_indptr", batch_bounds<&RuleBatch::Arrays::target>())
      .def_prop_ro("target", batch_values<&RuleBatch::Arrays::target>())
      .def_prop_ro("alignment_indptr", batch_bounds<&RuleBatch::Arrays::alignment>())
      .def_prop_ro("alignment", batch_values<&RuleBatch::Arrays::alignment>())
      .def_prop_ro("nonterminals", batch_array<&RuleBatch::Arrays::nonterminals>())
      .def_prop_ro("first_own_symbol", &RuleBatch::first_own_symbol,
                   "Words from this number on belong to this sentence only.")
      .def_prop_ro("vocabulary", &RuleBatch::vocabulary,
                   "The number of the decoder's vocabulary: batches with equal numbers share the "
                   "words below first_own_symbol.")
      .def("symbol", &RuleBatch::symbol, nb::arg("id"),
           "Text of a terminal (> 0) or of a category (< 0).")
      .def(
          "feature_values",
          [](const RuleBatch& batch, std::string_view name) {
            return shown(unlocked([&] { return batch.feature_values(name); }));
          },
          nb::arg("name"), "The value of a feature that rules have in their grammar, float64.")
      .def("indicator_names", &RuleBatch::indicator_names, nb::arg("prefix") = "",
           "cdec's rule identity names, R:LHS:source:target.");

  module.def("fired_features", to_array(&fired_features), nb::arg("forest"),
             "The different features that plugins and functions fired in a forest and in those it "
             "was made from, int32.");

  nb::class_<RuleCache>(module, "RuleCache", "What plugins say of the decoder's own rules.")
      .def("missing", to_array(&RuleCache::missing), nb::arg("forest"),
           "Local rules of a forest that the plugins must be asked about, int32.");

  nb::class_<RuleFeatureCache, RuleCache>(module, "RuleFeatureCache",
                                          "The answers of rule plugins.")
      .def(nb::init<std::uint32_t>(), nb::arg("lasting_rules"))
      .def(
          "attach",
          [](RuleFeatureCache& cache, Forest& forest, std::span<const LocalRule> missing,
             const std::vector<RowArrays>& answers) {
            expect_local(forest, missing);
            std::vector<FeatureRows> rows;
            for (const RowArrays& answer : answers) {
              rows.push_back(std::apply(
                  [&](const auto&... arrays) { return feature_rows(arrays..., missing.size()); },
                  answer));
            }
            cache.attach(forest, missing, rows);
          },
          nb::arg("forest"), nb::arg("missing"), nb::arg("answers"), Release(),
          "Stores the answers, one from each plugin, and adds the layer to the forest.");

  nb::class_<RuleAttributeCache, RuleCache>(module, "RuleAttributeCache",
                                            "The attributes that edge plugins give to rules.")
      .def(nb::init<std::uint32_t, std::size_t>(), nb::arg("lasting_rules"), nb::arg("plugins"))
      .def(
          "attributes",
          [](RuleAttributeCache& cache, const Forest& forest, std::span<const LocalRule> missing,
             const std::vector<Argument<std::int32_t>>& answers) {
            expect_local(forest, missing);
            std::vector<std::span<const std::int32_t>> given;
            for (const Argument<std::int32_t>& answer : answers) {
              given.push_back(as_span(answer));
              if (given.back().size() != missing.size())
                throw nb::value_error("expected one attribute for each rule");
            }
            if (!missing.empty() && given.size() != cache.plugins())
              throw nb::value_error("expected one answer from each plugin");
            return shown(unlocked([&] { return cache.attributes(forest, missing, given); }),
                         std::max<std::size_t>(forest.rules.size(), 1));
          },
          nb::arg("forest"), nb::arg("missing"), nb::arg("answers"),
          "Stores the answers, one from each plugin; returns the attributes of the forest's rules, "
          "int32 (P, R).");

  module.def(
      "add_rule_functions",
      [](Forest& forest, const std::vector<std::shared_ptr<RuleFunction>>& functions) {
        std::vector<const RuleFunction*> pointers;
        for (const auto& function : functions) pointers.push_back(function.get());
        add_rule_functions(forest, pointers);
      },
      nb::arg("forest"), nb::arg("functions"), Release(),
      "Adds cdec's stateless functions to a translation forest.");
}

}  // namespace hopefear::bindings
