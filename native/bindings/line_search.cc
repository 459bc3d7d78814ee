#include "arrays.h"
#include "bindings.h"
#include "optimise/forest_envelope.h"
#include "optimise/upper_envelope.h"

namespace hopefear::bindings {
namespace {

// (boundary, sums)
nb::typed<nb::tuple, Vector<double>, Matrix<double>> sweep_lines(
    std::span<const double> slope, std::span<const double> intercept,
    std::span<const std::int64_t> begin, const MatrixArgument& statistics) {
  const std::size_t n = statistics.shape(0), width = statistics.shape(1);
  expect(slope.size() == n && intercept.size() == n && width != 0,
         "expected a slope, an intercept and at least one statistic for every line");
  expect_bounds(begin, n, "begin", "lines");
  Sweep found = unlocked(
      [&] { return sweep({slope, intercept}, begin, {statistics.data(), n * width}, width); });
  return nb::make_tuple(owned(std::move(found.boundary)), owned(std::move(found.sums), width));
}

// (start, slope, intercept, derivations) of the pieces
nb::typed<nb::tuple, Vector<double>, Vector<double>, Vector<double>,
          nb::typed<nb::list, Vector<EdgeId>>>
best_along(const Forest& forest, std::span<const double> weights,
           std::span<const double> direction) {
  ForestEnvelope found = unlocked([&] { return forest_envelope(forest, weights, direction); });
  return nb::make_tuple(owned(std::move(found.start)), owned(std::move(found.slope)),
                        owned(std::move(found.intercept)), owned_list(found.derivation));
}

}  // namespace

void bind_line_search(nb::module_& module) {
  module.def("sweep_lines", &sweep_lines, nb::arg("slope"), nb::arg("intercept"), nb::arg("begin"),
             nb::arg("statistics"),
             "(boundaries, sums): sums of the statistics of the lines on top, by interval.");
  module.def("forest_envelope", &best_along, nb::arg("forest"), nb::arg("weights"),
             nb::arg("direction"),
             "(start, slope, intercept, derivation) of the best derivations along a direction.");
}

}  // namespace hopefear::bindings
