// The part of a forest made of some of its edges.
#pragma once

#include <memory>
#include <vector>

#include "forest/forest.h"

namespace hopefear {

// Keeps the marked edges that are on a derivation of marked edges only; the order of the edges
// stays. The result is empty if no derivation remains.
std::shared_ptr<Forest> subforest(const Forest& forest, const IdVector<EdgeId, bool>& keep);

}  // namespace hopefear
