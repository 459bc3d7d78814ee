// Which features fire anywhere in a forest.
#pragma once

#include <vector>

#include "forest/forest.h"

namespace hopefear {

// The distinct features of the layers of a forest and of the forests it was made from, in no
// particular order: those of plugins and of cdec's stateless functions, without the rules' own
// features.
std::vector<FeatureId> fired_features(const Forest& forest);

}  // namespace hopefear
