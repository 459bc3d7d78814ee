#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <string>

#include "arrays.h"
#include "bindings.h"
#include "feature_rows.h"
#include "plugins/edge_groups.h"

namespace hopefear::bindings {
namespace {

template <auto Member>
auto array(nb::object self) {
  return view(nb::cast<const EdgeGroups&>(self).*Member, self);
}

using Pairs = nb::ndarray<const std::int32_t, nb::shape<-1, 2>, nb::c_contig, nb::device::cpu>;

std::span<const SourceSpan> as_spans(const Pairs& pairs) {
  return {reinterpret_cast<const SourceSpan*>(pairs.data()), pairs.shape(0)};
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
             return "<EdgeGroups: " + std::to_string(self.category.size()) + " groups>";
           })
      .def_prop_ro("group", &array<&EdgeGroups::group>, "int64 (E,): the group of each edge")
      .def_prop_ro("head_category", &array<&EdgeGroups::category>, "int32 (G,)")
      .def_prop_ro(
          "span",
          [](nb::object self) {
            return view_records<std::int32_t>(nb::cast<const EdgeGroups&>(self).span, self);
          },
          "int32 (G, 2)")
      .def_prop_ro(
          "tail_indptr",
          [](nb::object self) {
            return view(nb::cast<const EdgeGroups&>(self).tail_spans.begin, self);
          },
          "int32 (G + 1,)")
      .def_prop_ro(
          "tail_span",
          [](nb::object self) {
            const auto& spans = nb::cast<const EdgeGroups&>(self).tail_spans;
            return view_records<std::int32_t>(spans.values, self);
          },
          "int32 (T, 2)");

  module.def(
      "edge_uses",
      [](const Argument<std::int32_t>& attribute, const Argument<std::int64_t>& group,
         const Argument<std::int32_t>& numbers) {
        EdgeUses uses = unlocked(
            [&] { return EdgeUses(as_span(attribute), as_span(group), as_span(numbers)); });
        return nb::make_tuple(owned(std::move(uses.row)), owned(std::move(uses.attribute)),
                              owned(std::move(uses.number)));
      },
      nb::arg("attribute").noconvert(), nb::arg("group").noconvert(),
      nb::arg("numbers").noconvert(),
      nb::sig("def edge_uses(attribute: numpy.typing.NDArray[numpy.int32], "
              "group: numpy.typing.NDArray[numpy.int64], "
              "numbers: numpy.typing.NDArray[numpy.int32]) -> "
              "tuple[numpy.typing.NDArray[numpy.int32], numpy.typing.NDArray[numpy.int32], "
              "numpy.typing.NDArray[numpy.int32]]"),
      "Numbers the distinct pairs of an edge's attribute and its group's number: for each edge "
      "its pair, and for each pair the attribute and the number, int32.");

  module.def(
      "source_steps",
      [](const Pairs& span, const Argument<std::int32_t>& tail_indptr, const Pairs& tail_span) {
        SourceSteps steps = unlocked(
            [&] { return SourceSteps(as_spans(span), as_span(tail_indptr), as_spans(tail_span)); });
        return nb::make_tuple(owned(std::move(steps.indptr)), owned(std::move(steps.previous)),
                              owned(std::move(steps.place)));
      },
      nb::arg("span"), nb::arg("tail_indptr"), nb::arg("tail_span"),
      nb::sig("def source_steps(span: numpy.typing.NDArray[numpy.int32], "
              "tail_indptr: numpy.typing.NDArray[numpy.int32], "
              "tail_span: numpy.typing.NDArray[numpy.int32]) -> "
              "tuple[numpy.typing.NDArray[numpy.int32], numpy.typing.NDArray[numpy.int32], "
              "numpy.typing.NDArray[numpy.int32]]"),
      "Words and pairs of neighbours on the source sides of groups of edges: indptr by group, the "
      "positions of the first words, -1 for single words, and of the last words, int32.");

  module.def(
      "add_edge_layer",
      [](Forest& forest, const Argument<FeatureId>& columns, const Argument<std::int32_t>& indptr,
         const Argument<std::int32_t>& column, const Argument<double>& values,
         const std::optional<Argument<std::int32_t>>& row) {
        // Nothing fires on the goal's own edge, the last one.
        const EdgeId edges = forest.edges(), items = std::max(edges - 1, 0);
        const FeatureRows rows = feature_rows(columns, indptr, column, values, row, items);
        const nb::gil_scoped_release release;
        forest.layers.push_back(edge_layer(rows, items, edges));
      },
      nb::arg("forest"), nb::arg("columns"), nb::arg("indptr").noconvert(),
      nb::arg("column").noconvert(), nb::arg("values").noconvert(),
      nb::arg("row").noconvert().none(), "Adds an edge plugin's features to a translation forest.");
}

}  // namespace hopefear::bindings
