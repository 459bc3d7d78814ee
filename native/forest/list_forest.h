// A list of derivations as a forest that has no other derivation.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "forest/derivation.h"

namespace hopefear {

// Each derivation of `forest` scores what `scores` says; features are those of the derivations.
std::shared_ptr<Forest> list_forest(const std::shared_ptr<const Forest>& forest,
                                    const std::vector<Derivation>& derivations,
                                    std::span<const double> scores);

}  // namespace hopefear
