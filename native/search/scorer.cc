#include "search/scorer.h"

namespace hopefear {

void SentenceScorer::score_batch(std::span<const ScoredEdge> edges, std::span<double> scores,
                                 std::vector<std::int32_t>& marks) const {
  for (std::size_t i = 0; i < edges.size(); ++i) scores[i] = score(edges[i], marks);
}

void SentenceScorer::fire(std::span<const EdgeId>, const Marks&, Forest&) const {}

}  // namespace hopefear
