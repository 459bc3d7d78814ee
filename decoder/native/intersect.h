// Forced decoding: the derivations of a forest whose target words are a path of a lattice.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "forest.h"

namespace hopefear {

struct ReferenceArc {
  std::int32_t from, to;
  std::string word;
};

// The lattice runs from position 0 to `length`. Scores and features are those of the source forest,
// so a forest that was rescored by a language model stays right. Empty when nothing is left. With
// `second_goal` one more goal node stands above the goal, over an edge without features, as cdec
// has it.
std::shared_ptr<Forest> intersect(const std::shared_ptr<const Forest>& forest, std::int32_t length,
                                  const std::vector<ReferenceArc>& arcs, bool second_goal = false);

}  // namespace hopefear
