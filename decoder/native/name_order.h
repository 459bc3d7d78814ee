// Features in the order of their names, with little memory beside the names themselves.
#pragma once

#include <functional>

#include "weights.h"

namespace hopefear {

// Visits the features whose weights are not 0.
void for_each_by_name(const Weights& weights, const std::function<void(FeatureId)>& visit);

}  // namespace hopefear
