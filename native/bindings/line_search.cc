#include <algorithm>
#include <stdexcept>

#include "arrays.h"
#include "bindings.h"
#include "optimise/forest_envelope.h"
#include "optimise/upper_envelope.h"

namespace hopefear::bindings {
namespace {

// (boundary, sums)
nb::typed<nb::tuple, Vector<double>, Matrix<double>> sweep_lines(
    const Argument<double>& slope, const Argument<double>& intercept,
    const Argument<std::int64_t>& begin,
    const nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>& statistics) {
  const Lines lines{as_span(slope), as_span(intercept)};
  const std::span<const std::int64_t> groups = as_span(begin);
  const std::size_t width = statistics.shape(1);
  const std::size_t n = statistics.shape(0);
  if (slope.shape(0) != n || intercept.shape(0) != n || width == 0) {
    throw std::invalid_argument(
        "expected a slope, an intercept and at least one statistic for every line");
  }
  if (groups.empty() || groups.front() != 0 || !std::ranges::is_sorted(groups) ||
      groups.back() != static_cast<std::int64_t>(n)) {
    throw std::invalid_argument("expected begin in ascending order, from 0 to the number of lines");
  }
  Sweep found =
      unlocked([&] { return sweep(lines, groups, {statistics.data(), n * width}, width); });
  return nb::make_tuple(owned(std::move(found.boundary)), owned(std::move(found.sums), width));
}

// (start, slope, intercept, derivations) of the pieces
nb::typed<nb::tuple, Vector<double>, Vector<double>, Vector<double>,
          nb::typed<nb::list, Vector<EdgeId>>>
best_along(const Forest& forest, const Argument<double>& weights,
           const Argument<double>& direction) {
  ForestEnvelope found =
      unlocked([&] { return forest_envelope(forest, as_span(weights), as_span(direction)); });
  nb::list derivations;
  for (Derivation& derivation : found.derivation) derivations.append(owned(std::move(derivation)));
  return nb::make_tuple(owned(std::move(found.start)), owned(std::move(found.slope)),
                        owned(std::move(found.intercept)), derivations);
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
