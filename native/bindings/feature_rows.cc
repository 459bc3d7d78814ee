#include "feature_rows.h"

#include <cmath>
#include <limits>

namespace hopefear::bindings {
namespace {

// As in grammars and forests, whose values are floats: their squares are finite, too.
constexpr double kLargest = std::numeric_limits<float>::max();

// Whether all values pass; looks at every one, so that it can look at several at a time.
template <class T, class Test>
bool all(std::span<const T> values, Test&& test) {
  bool pass = true;
  for (const T value : values) pass &= test(value);
  return pass;
}

}  // namespace

FeatureRows feature_rows(const Argument<FeatureId>& columns, const Argument<std::int32_t>& indptr,
                         const Argument<std::int32_t>& column, const Argument<double>& values,
                         const std::optional<Argument<std::int32_t>>& row, std::size_t items) {
  FeatureRows rows{as_span(columns), as_span(indptr), as_span(column), as_span(values), {}};
  if (row) rows.row = as_span(*row);
  const auto fail = [](const char* message) { throw std::invalid_argument(message); };
  if (rows.indptr.empty() || rows.indptr.front() != 0) fail("expected indptr to begin with 0");
  if (!std::ranges::is_sorted(rows.indptr)) fail("expected ascending values in indptr");
  if (std::cmp_not_equal(rows.indptr.back(), rows.column.size()) ||
      rows.column.size() != rows.values.size()) {
    fail("expected columns and values as long as the last number in indptr");
  }
  if (!all(rows.values, [](double value) { return std::abs(value) <= kLargest; }))
    fail("expected finite values, as a float has");
  const auto columns_end = count_of<std::uint32_t>(rows.columns);
  if (!all(rows.column,
           [=](std::int32_t c) { return static_cast<std::uint32_t>(c) < columns_end; }))
    fail("expected columns from 0 to below the number of names");
  const Row count = rows.rows();
  if (row && rows.row.size() != items) fail("expected one number in row for each item");
  if (!row && std::cmp_not_equal(count, items)) fail("expected one row for each item");
  if (!all(rows.row, [=](std::int32_t r) { return (r >= -1) & (r < count); }))
    fail("expected numbers in row from -1 to below the number of rows");
  return rows;
}

}  // namespace hopefear::bindings
