#include "scorer.h"

namespace hopefear {

void SentenceScorer::score_batch(std::span<const ScoredEdge> edges, std::span<double> scores,
                                 std::vector<std::int32_t>& marks) const {
  for (std::size_t i = 0; i < edges.size(); ++i) scores[i] = score(edges[i], marks);
}

FeatureLayer SentenceScorer::fire(std::span<const EdgeId> edges, const Marks&) const {
  FeatureLayer layer;
  layer.row.assign(edges.size(), -1);
  return layer;
}

}  // namespace hopefear
