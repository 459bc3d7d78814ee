// Features sorted by name, with little memory in addition to the names.
#pragma once

#include <functional>

#include "base/weights.h"

namespace hopefear {

// Visits the features whose weights are not 0.
void for_each_by_name(const Weights& weights, const std::function<void(FeatureId)>& visit);

}  // namespace hopefear
