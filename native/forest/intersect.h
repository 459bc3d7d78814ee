// Forced decoding: the derivations of a forest whose target words are a path of a lattice.
#pragma once

#include "forest/forest.h"

namespace hopefear {

struct ReferenceArc {
  std::int32_t from, to;
  std::string word;
};

// The lattice has positions 0 to `length`. Scores and features are those of the source forest, also
// if it was rescored by a language model. The result is empty if no derivation remains.
// `second_goal` adds one more goal node above the goal, over an edge without features, as in cdec.
std::shared_ptr<Forest> intersect(const std::shared_ptr<const Forest>& forest, std::int32_t length,
                                  const std::vector<ReferenceArc>& arcs, bool second_goal = false);

}  // namespace hopefear
