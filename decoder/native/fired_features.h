// Which features fire anywhere in a forest.
#pragma once

#include <vector>

#include "forest.h"

namespace hopefear {

// The different features of the layers of a forest and of those it was made from: what plugins and
// cdec's stateless functions said, but not the rules' own features, in no order.
std::vector<FeatureId> fired_features(const Forest& forest);

}  // namespace hopefear
