#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>

#include "bindings.h"
#include "feature_rows.h"
#include "plugins/edge_groups.h"

namespace hopefear::bindings {
namespace {

using Pairs = nb::ndarray<const std::int32_t, nb::shape<-1, 2>, nb::c_contig, nb::device::cpu>;

std::span<const SourceSpan> as_spans(const Pairs& pairs) {
  return {reinterpret_cast<const SourceSpan*>(pairs.data()), pairs.shape(0)};
}

auto edge_uses(std::span<const std::int32_t> attribute, std::span<const std::int64_t> group,
               std::span<const std::int32_t> numbers) {
  EdgeUses uses = unlocked([&] { return EdgeUses(attribute, group, numbers); });
  return owned(std::move(uses.row), std::move(uses.attribute), std::move(uses.number));
}

auto source_steps(const Pairs& span, std::span<const std::int32_t> tail_indptr,
                  const Pairs& tail_span) {
  SourceSteps steps =
      unlocked([&] { return SourceSteps(as_spans(span), tail_indptr, as_spans(tail_span)); });
  return owned(std::move(steps.indptr), std::move(steps.previous), std::move(steps.place));
}

void add_edge_layer(Forest& forest, const Argument<FeatureId>& columns,
                    const Argument<std::int32_t>& indptr, const Argument<std::int32_t>& column,
                    const Argument<double>& values,
                    const std::optional<Argument<std::int32_t>>& row) {
  // Nothing fires on the goal's own edge, the last one.
  const EdgeId edges = forest.edges(), items = std::max(edges - 1, 0);
  const FeatureRows rows = feature_rows(columns, indptr, column, values, row, items);
  forest.layers.push_back(edge_layer(rows, items, edges));
}

std::shared_ptr<Forest> with_edge_layer(const Forest& forest, const Argument<FeatureId>& columns,
                                        const Argument<std::int32_t>& indptr,
                                        const Argument<std::int32_t>& column,
                                        const Argument<double>& values,
                                        const std::optional<Argument<std::int32_t>>& row) {
  const EdgeId edges = forest.edges();
  auto layered = std::make_shared<Forest>(forest);
  layered->layers.push_back(
      edge_layer(feature_rows(columns, indptr, column, values, row, edges), edges, edges));
  return layered;
}

}  // namespace

// What edge plugins are shown, and where their answers go.
void bind_edges(nb::module_& module) {
  nb::class_<EdgeGroups>(module, "EdgeGroups",
                         "Values that all edges of a group share; see hopefear.plugins.EdgeGroups.")
      .def(nb::init<const Forest&>(), nb::arg("forest"))
      .def("__len__", [](const EdgeGroups& self) { return self.category.size(); })
      .def("__repr__",
           [](const EdgeGroups& self) {
             return concat("<EdgeGroups: ", self.category.size(), " groups>");
           })
      .def_prop_ro("group", viewed<EdgeGroups>(&EdgeGroups::group),
                   "int64 (E,): the group of each edge")
      .def_prop_ro("head_category", viewed<EdgeGroups>(&EdgeGroups::category), "int32 (G,)")
      .def_prop_ro("span", viewed<EdgeGroups>(&EdgeGroups::span), "int32 (G, 2)")
      .def_prop_ro("tail_indptr", viewed_bounds<EdgeGroups>(&EdgeGroups::tail_spans),
                   "int32 (G + 1,)")
      .def_prop_ro("tail_span", viewed_values<EdgeGroups>(&EdgeGroups::tail_spans), "int32 (T, 2)");

  module.def("edge_uses", &edge_uses, nb::arg("attribute").noconvert(),
             nb::arg("group").noconvert(), nb::arg("numbers").noconvert(),
             "Numbers the distinct pairs of an edge's attribute and its group's number: for each "
             "edge its pair, and for each pair the attribute and the number, int32.");
  module.def("source_steps", &source_steps, nb::arg("span"), nb::arg("tail_indptr"),
             nb::arg("tail_span"),
             "Words and pairs of neighbours on the source sides of groups of edges: indptr by "
             "group, the positions of the first words, -1 for single words, and of the last words, "
             "int32.");
  module.def("add_edge_layer", &add_edge_layer, nb::arg("forest"), nb::arg("columns"),
             nb::arg("indptr").noconvert(), nb::arg("column").noconvert(),
             nb::arg("values").noconvert(), nb::arg("row").noconvert().none(), Release(),
             "Adds an edge plugin's features to a translation forest.");
  module.def("with_edge_layer", &with_edge_layer, nb::arg("forest"), nb::arg("columns"),
             nb::arg("indptr").noconvert(), nb::arg("column").noconvert(),
             nb::arg("values").noconvert(), nb::arg("row").noconvert().none(), Release(),
             "A forest whose edges, the goal's too, have more features; the scores stay.");
}

}  // namespace hopefear::bindings
