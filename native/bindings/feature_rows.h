// A plugin's answer, checked so that all later reads are inside its arrays.
#pragma once

#include <optional>

#include "arrays.h"
#include "plugins/rule_caches.h"

namespace hopefear::bindings {

// Feature numbers by column, indptr, columns, values, row.
using RowArrays = std::tuple<Argument<FeatureId>, Argument<std::int32_t>, Argument<std::int32_t>,
                             Argument<double>, std::optional<Argument<std::int32_t>>>;

// Throws std::invalid_argument.
FeatureRows feature_rows(const Argument<FeatureId>& columns, const Argument<std::int32_t>& indptr,
                         const Argument<std::int32_t>& column, const Argument<double>& values,
                         const std::optional<Argument<std::int32_t>>& row, std::size_t items);

}  // namespace hopefear::bindings
