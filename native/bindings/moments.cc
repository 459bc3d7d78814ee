#include "forest/moments.h"

#include <nanobind/stl/shared_ptr.h>

#include "arrays.h"
#include "bindings.h"

namespace hopefear::bindings {
namespace {

// Holds its forest, which Moments itself only refers to.
struct ForestMoments {
  ForestMoments(std::shared_ptr<Forest> of, double scale)
      : forest(std::move(of)), moments(*forest, scale) {}

  std::span<const double> by_edge(std::span<const double> values) const {
    expect(std::cmp_equal(values.size(), forest->edges()), "expected ", forest->edges(),
           " values, one for each edge, got ", values.size());
    return values;
  }
  std::span<const double> rows(const MatrixArgument& values) const {
    expect(std::cmp_equal(values.shape(0), forest->edges()), "expected ", forest->edges(),
           " rows of values, one for each edge, got ", values.shape(0));
    expect(values.shape(1) > 0, "expected at least one column of values");
    return {values.data(), values.size()};
  }

  std::shared_ptr<Forest> forest;
  Moments moments;
};

}  // namespace

void bind_moments(nb::module_& module) {
  nb::class_<ForestMoments>(module, "Moments",
                            "Expectations of sums over derivations; see moments.h.")
      .def(nb::init<std::shared_ptr<Forest>, double>(), nb::arg("forest"), nb::arg("scale"),
           Release())
      .def_prop_ro("log_partition",
                   [](const ForestMoments& self) { return self.moments.log_partition(); })
      .def(
          "nodes",
          [](const ForestMoments& self) {
            return owned(std::vector<double>(self.moments.nodes()));
          },
          "Posteriors of nodes.")
      .def(
          "edges",
          [](const ForestMoments& self) {
            return owned(unlocked([&] { return self.moments.edges(); }));
          },
          "Posteriors of edges.")
      .def(
          "means",
          [](const ForestMoments& self, const MatrixArgument& values) {
            const std::size_t columns = values.shape(1);
            return owned(unlocked([&] { return self.moments.means(self.rows(values), columns); }),
                         columns);
          },
          nb::arg("values"), "Expected sums by node, float64 (N, columns).")
      .def(
          "covariances",
          [](const ForestMoments& self, const MatrixArgument& values,
             const MatrixArgument& others) {
            return owned(unlocked([&] {
                           return self.moments.covariances(self.rows(values), values.shape(1),
                                                           self.rows(others), others.shape(1));
                         }),
                         others.shape(1));
          },
          nb::arg("values"), nb::arg("others"), "By column of both.")
      .def(
          "edge_covariances",
          [](const ForestMoments& self, std::span<const double> values) {
            return owned(
                unlocked([&] { return self.moments.edge_covariances(self.by_edge(values)); }));
          },
          nb::arg("values"), "The covariance of a sum and how often an edge is used, by edge.")
      .def(
          "edge_third_moments",
          [](const ForestMoments& self, std::span<const double> first,
             std::span<const double> second) {
            return owned(unlocked([&] {
              return self.moments.edge_third_moments(self.by_edge(first), self.by_edge(second));
            }));
          },
          nb::arg("first"), nb::arg("second"),
          "The third central moment of two sums and how often an edge is used, by edge.");
  module.def("score_deviation", &score_deviation, nb::arg("forest"), Release(),
             "The standard deviation of the scores of all derivations.");
}

}  // namespace hopefear::bindings
