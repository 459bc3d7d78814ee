#include "forest/prune.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <stdexcept>

#include "forest/derivation.h"
#include "forest/inside_outside.h"
#include "forest/subforest.h"

namespace hopefear {
namespace {

constexpr double kRounding = 1e-6;

}  // namespace

std::shared_ptr<Forest> prune(const Forest& forest, double beam, double density) {
  if (!(beam >= 0))
    throw std::invalid_argument("expected a beam of at least 0, got " + std::to_string(beam));
  if (density != 0 && !(density >= 1))
    throw std::invalid_argument("expected a density of 0 or at least 1, got " +
                                std::to_string(density));
  const IdVector<EdgeId, double> marginal = edge_marginals(forest, Semiring::kMax);
  double cutoff = -std::numeric_limits<double>::infinity();
  if (density != 0 && !forest.empty()) {
    const double wanted = density * count_of(viterbi(forest));
    if (wanted < marginal.count()) {
      std::vector<double> sorted = marginal;
      const auto nth = sorted.begin() + (static_cast<std::ptrdiff_t>(wanted) - 1);
      std::nth_element(sorted.begin(), nth, sorted.end(), std::greater<>());
      cutoff = *nth;
    }
  }
  if (beam > 0) cutoff = std::max(cutoff, -beam);
  IdVector<EdgeId, bool> keep(marginal.count());
  for (const EdgeId e : keep.ids()) {
    keep[e] = marginal[e] >= cutoff || marginal[e] >= -kRounding;
  }
  // The best derivation stays whatever rounding does: the error grows with the scores.
  for (const EdgeId e : viterbi(forest)) keep[e] = true;
  return subforest(forest, keep);
}

}  // namespace hopefear
