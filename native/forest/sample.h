// Derivations drawn from the distribution that a forest's scores define, p(d) ~ exp(scale * score).
#pragma once

#include <cstdint>
#include <vector>

#include "forest/derivation.h"

namespace hopefear {

std::vector<Derivation> sample(const Forest& forest, std::size_t count, std::uint64_t seed,
                               double scale = 1.0);

}  // namespace hopefear
