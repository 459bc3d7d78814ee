#include "search/scorer.h"

namespace hopefear {

void SentenceScorer::score_batch(std::span<const ScoredEdge> edges, std::span<double> scores,
                                 MarkValues& marks) const {
  for (std::size_t i = 0; i < edges.size(); ++i) scores[i] = score(edges[i], marks);
}

void SentenceScorer::fire(const IdVector<EdgeId, EdgeId>&, const Marks&, Forest&) const {}

}  // namespace hopefear
