// A scorer that scores nothing: it splits a forest by the words at the borders of nodes.
#pragma once

#include <memory>

#include "scorers/boundary_words.h"
#include "search/scorer.h"

namespace hopefear {

class BoundaryScorer final : public StatefulScorer {
 public:
  explicit BoundaryScorer(std::int32_t order) : order_(order) {}

  std::size_t state_size() const override { return sizeof(BoundaryWords); }
  std::unique_ptr<SentenceScorer> begin(const Forest& forest, const double* weights) const override;

 private:
  std::int32_t order_;
};

}  // namespace hopefear
