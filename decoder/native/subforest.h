// The part of a forest made of some of its edges.
#pragma once

#include <memory>
#include <vector>

#include "forest.h"

namespace hopefear {

// Keeps the edges that are marked and lie on a derivation of marked edges only; numbers stay in
// order. The result is empty when no derivation is left.
std::shared_ptr<Forest> subforest(const Forest& forest, const std::vector<bool>& keep);

}  // namespace hopefear
