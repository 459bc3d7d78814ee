// Beam and density pruning by max-marginals, as cdec does it.
#pragma once

#include <memory>

#include "forest.h"

namespace hopefear {

// Drops each edge whose best derivation stays more than `beam` behind the best one (0: no beam),
// and keeps at most about `density` times as many edges as the best derivation has (0: no limit).
std::shared_ptr<Forest> prune(const Forest& forest, double beam, double density);

}  // namespace hopefear
