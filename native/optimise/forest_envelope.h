// The best derivations of a forest along a line through the weights (Macherey, Och, Thayer &
// Uszkoreit 2008 for lattices; Kumar, Macherey, Dyer & Och 2009 for hypergraphs).
#pragma once

#include "forest/derivation.h"

namespace hopefear {

// Best derivations from left to right: each with its score and the point where it becomes the best.
struct ForestEnvelope {
  std::vector<double> start;  // the first from -infinity
  std::vector<double> slope, intercept;
  std::vector<Derivation> derivation;
};

// The envelope of the scores (weights + x * direction)·f for all x. The arrays are indexed by
// feature number; features beyond their ends count as 0. Throws std::invalid_argument if the score
// of an edge is not finite.
ForestEnvelope forest_envelope(const Forest& forest, IdSpan<FeatureId, const double> weights,
                               IdSpan<FeatureId, const double> direction);

}  // namespace hopefear
