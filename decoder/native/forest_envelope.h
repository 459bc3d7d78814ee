// The best derivations of a forest along a line through the weights (Macherey, Och, Thayer &
// Uszkoreit 2008 for lattices; Kumar, Macherey, Dyer & Och 2009 for hypergraphs).
#pragma once

#include <span>

#include "derivation.h"
#include "forest.h"

namespace hopefear {

// Derivations from left to right: which is on top, with what score, and from where on.
struct ForestEnvelope {
  std::vector<double> start;  // the first from -infinity
  std::vector<double> slope, intercept;
  std::vector<Derivation> derivation;
};

// Of scores (weights + x * direction)·f for all x. Arrays are by feature number; features behind
// their end count as 0. std::invalid_argument where an edge's score is not finite.
ForestEnvelope forest_envelope(const Forest& forest, std::span<const double> weights,
                               std::span<const double> direction);

}  // namespace hopefear
