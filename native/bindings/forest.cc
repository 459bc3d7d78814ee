
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include "arrays.h"
#include "bindings.h"
#include "forest/cdec_archive.h"

namespace hopefear::bindings {
namespace {

std::vector<SourceSpan> spans_of(const Forest& forest, std::span<const NodeId> nodes) {
  std::vector<SourceSpan> spans;
  spans.reserve(nodes.size());
  for (const NodeId v : nodes) spans.push_back(forest.span[v]);
  return spans;
}

std::vector<std::uint32_t> edge_rules(const Forest& forest) {
  std::vector<std::uint32_t> rules;
  rules.reserve(forest.local_rule.size());
  for (const LocalRule r : forest.local_rule) rules.push_back(forest.rules[r]);
  return rules;
}

// The features of every edge as CSR arrays: indptr, feature numbers, values.
auto edge_features(const Forest& forest) {
  std::vector<std::int64_t> indptr{0};
  std::vector<FeatureId> ids;
  std::vector<double> values;
  unlocked([&] {
    for (EdgeId e = 0; e < forest.edges(); ++e) {
      forest.visit_features(e, [&](FeatureId feature, double value) {
        ids.push_back(feature);
        values.push_back(value);
      });
      indptr.push_back(count_of<std::int64_t>(ids));
    }
  });
  return owned(std::move(indptr), std::move(ids), std::move(values));
}

// The features of one edge and their values; a feature may come twice.
std::vector<std::pair<FeatureId, double>> features_of(const Forest& forest, std::int64_t edge) {
  if (edge < 0 || edge >= static_cast<std::int64_t>(forest.edges())) {
    throw nb::index_error("no such edge");
  }
  std::vector<std::pair<FeatureId, double>> found;
  forest.visit_features(static_cast<EdgeId>(edge), [&](FeatureId feature, double value) {
    found.emplace_back(feature, value);
  });
  return found;
}

// The number of target words of each edge's rule.
std::vector<std::int32_t> edge_words(const Forest& forest) {
  IdVector<LocalRule, std::int32_t> of_rule;
  for (const std::uint32_t rule : forest.rules) {
    const std::span<const Symbol> target = forest.rule_space->rule(rule).target;
    of_rule.push_back(
        static_cast<std::int32_t>(std::ranges::count_if(target, [](Symbol s) { return s > 0; })));
  }
  std::vector<std::int32_t> words;
  words.reserve(forest.local_rule.size());
  for (const LocalRule r : forest.local_rule) words.push_back(of_rule[r]);
  return words;
}

using Symbols = nb::typed<nb::list, nb::any>;

Symbols symbol_texts(const Forest& forest, std::span<const Symbol> symbols, bool of_source) {
  nb::list out;
  Symbol next = 0;
  for (const Symbol symbol : symbols) {
    if (symbol > 0) {
      const std::string_view text = forest.vocabulary->words->text(symbol);
      out.append(nb::str(text.data(), text.size()));
    } else if (of_source) {
      const std::string_view text = forest.vocabulary->categories->text(-symbol);
      out.append(nb::make_tuple(nb::str(text.data(), text.size()), ++next));
    } else {
      out.append(1 - symbol);
    }
  }
  return out;
}

// (lhs, source, target, feature numbers, values, alignment) of a rule in use: source nonterminals
// are (category, index), target ones an index.
nb::typed<nb::tuple, nb::str, Symbols, Symbols, Vector<FeatureId>, Vector<float>,
          nb::typed<nb::list, nb::typed<nb::tuple, int, int>>>
describe_rule(const Forest& forest, std::size_t number) {
  if (number >= forest.rules.size()) throw nb::index_error();
  const std::uint32_t id = forest.rules.data()[number];
  const RuleSpace::Place place = forest.rule_space->find(id);
  const Rule rule = place.grammar->rule(place.rule);
  std::vector<Symbol> source;
  place.grammar->source(place.rule, source);
  nb::list alignment;
  for (const AlignmentPoint point : rule.alignment)
    alignment.append(nb::make_tuple(point.source, point.target));
  const std::string_view lhs = forest.vocabulary->categories->text(rule.lhs);
  return nb::make_tuple(nb::str(lhs.data(), lhs.size()), symbol_texts(forest, source, true),
                        symbol_texts(forest, rule.target, false),
                        owned(std::vector<FeatureId>(rule.features.begin(), rule.features.end())),
                        owned(std::vector<float>(rule.values.begin(), rule.values.end())),
                        alignment);
}

}  // namespace

void bind_forest(nb::module_& module) {
  nb::class_<Forest>(module, "Forest", "A hypergraph as arrays; see hopefear.decoder.Hypergraph.")
      .def_prop_ro("node_category", viewed<Forest>(&Forest::category), "int32 (N,)")
      .def_prop_ro("node_span", viewed<Forest>(&Forest::span), "int32 (N, 2)")
      .def_prop_ro("node_edges", viewed<Forest>(&Forest::edges_begin),
                   "int32 (N + 1,): the edges into node v are a range")
      .def_prop_ro("edge_local_rule", viewed<Forest>(&Forest::local_rule),
                   "int32 (E,): index into rules")
      .def_prop_ro("edge_head", viewed<Forest>(&Forest::head), "int32 (E,)")
      .def_prop_ro("edge_tails_indptr", viewed_bounds<Forest>(&Forest::tails), "int32 (E + 1,)")
      .def_prop_ro("edge_tails", viewed_values<Forest>(&Forest::tails), "int32 (T,)")
      .def_prop_ro("edge_score", viewed<Forest>(&Forest::score), "float64 (E,)")
      .def_prop_ro("edge_source", viewed<Forest>(&Forest::source_edge),
                   "int32 (E,): the edge of the forest before rescoring")
      .def_prop_ro("rules", viewed<Forest>(&Forest::rules),
                   "uint32 (R,): numbers of the rules in use")
      .def(
          "edge_rule",
          [](const Forest& f) { return shown(unlocked([&] { return edge_rules(f); })); },
          "uint32 (E,): rule numbers")
      .def(
          "edge_span",
          [](const Forest& f) { return shown(unlocked([&] { return spans_of(f, f.head); })); },
          "int32 (E, 2)")
      .def(
          "tail_span",
          [](const Forest& f) {
            return shown(unlocked([&] { return spans_of(f, f.tails.values); }));
          },
          "int32 (T, 2)")
      .def(
          "edge_words",
          [](const Forest& f) { return shown(unlocked([&] { return edge_words(f); })); },
          "int32 (E,): the number of target words of the edge's rule")
      .def("edge_features", &edge_features, "CSR arrays (indptr, feature numbers, values)")
      .def("features_of", &features_of, nb::arg("edge"), Release(),
           "Pairs of a feature number and a value.")
      .def("rule", &describe_rule, nb::arg("local_rule"))
      .def("category_name",
           [](const Forest& f, std::int32_t category) {
             const Interner& categories = *f.vocabulary->categories;
             if (category < 1 || category >= categories.end())
               throw nb::index_error("expected the number of a category");
             return std::string(categories.text(category));
           })
      .def_ro("source_length", &Forest::source_length)
      .def_prop_ro("source",
                   [](const Forest& f) { return std::const_pointer_cast<Forest>(f.source); })
      .def("with_scores", &Forest::with_scores, nb::arg("scores"), Release(),
           "The same derivations with other scores of edges.")
      .def("reweight", &Forest::reweight, nb::arg("weights"), Release(),
           "Sets every edge's score to w·f.")
      .def(
          "set_scores",
          [](Forest& f, std::span<const double> scores) {
            expect(scores.size() == f.score.size(), "expected a score for each edge");
            std::ranges::copy(scores, f.score.begin());
          },
          nb::arg("scores"), Release(), "Sets every edge's score: one that it had before.")
      .def("paths", &Forest::paths, Release());

  nb::class_<RuleParts>(module, "RuleParts", "A rule as text; see hopefear.decoder.Forest.read.")
      .def(nb::init<>())
      .def_rw("lhs", &RuleParts::lhs)
      .def_rw("source", &RuleParts::source, "(word, False) or (category, True)")
      .def_rw("target", &RuleParts::target, "(word, 0) or ('', index of a nonterminal, from 1)")
      .def_rw("features", &RuleParts::features)
      .def_rw("values", &RuleParts::values)
      .def_rw("alignment", &RuleParts::alignment);
  nb::class_<ForestParts>(module, "ForestParts", "What `build_forest` makes a forest of.")
      .def(nb::init<>())
      .def_rw("source_length", &ForestParts::source_length)
      .def_rw("category", &ForestParts::category)
      .def_rw("span", &ForestParts::span)
      .def_rw("rules", &ForestParts::rules)
      .def_rw("rule", &ForestParts::rule)
      .def_rw("head", &ForestParts::head)
      .def_rw("tails_begin", &ForestParts::tails_begin)
      .def_rw("tails", &ForestParts::tails)
      .def_rw("score", &ForestParts::score)
      .def_rw("features_begin", &ForestParts::features_begin)
      .def_rw("features", &ForestParts::features)
      .def_rw("values", &ForestParts::values);
  module.def(
      "build_forest", [](ForestParts parts) { return build_forest(std::move(parts)); },
      nb::arg("parts"), Release(),
      "A forest from arrays and rules. ValueError names the part that is wrong.");
  module.def(
      "read_cdec_forest",
      [](const nb::bytes& archive, Weights& weights, const std::string& without) {
        const std::string_view content(archive.c_str(), archive.size());
        const nb::gil_scoped_release release;
        return read_cdec_forest(content, weights, without);
      },
      nb::arg("archive"), nb::arg("weights"), nb::arg("without") = "",
      "A forest as cdec writes it. ValueError names the byte that is wrong.");
  module.def(
      "write_cdec_forest",
      [](const Forest& forest, const Weights& weights) {
        const std::string archive = unlocked([&] { return write_cdec_forest(forest, weights); });
        return nb::bytes(archive.data(), archive.size());
      },
      nb::arg("forest"), nb::arg("weights"),
      "The content of a forest file of cdec. ValueError if the format cannot hold the forest.");
}

}  // namespace hopefear::bindings
