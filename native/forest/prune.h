// Beam and density pruning by max-marginals, as cdec does it.
#pragma once

#include <memory>

#include "forest/forest.h"

namespace hopefear {

// Removes each edge whose best derivation is more than `beam` below the best derivation (0: no
// beam), and keeps at most about `density` times as many edges as the best derivation has (0: no
// limit).
std::shared_ptr<Forest> prune(const Forest& forest, double beam, double density);

}  // namespace hopefear
