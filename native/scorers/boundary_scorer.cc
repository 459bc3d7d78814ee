#include "scorers/boundary_scorer.h"

namespace hopefear {
namespace {

class BoundarySentence final : public IntegerStateScorer {
 public:
  BoundarySentence(const Forest& forest, std::int32_t order)
      : IntegerStateScorer(sizeof(BoundaryWords)), forest_(forest), order_(order) {}

  double estimate(LocalRule) const override { return 0; }

  double score(const ScoredEdge& edge, MarkValues&) const override {
    BoundaryReader reader(order_, [](std::span<const Symbol>, std::int32_t) {});
    for (const Symbol symbol : forest_.rule(edge.edge).target) {
      if (symbol > 0) {
        reader.word(symbol);
      } else {
        reader.tail(*reinterpret_cast<const BoundaryWords*>(edge.tails[-symbol]));
      }
    }
    *reinterpret_cast<BoundaryWords*>(edge.state) = reader.yield();
    return 0;
  }

 private:
  const Forest& forest_;
  std::int32_t order_;
};

}  // namespace

std::unique_ptr<SentenceScorer> BoundaryScorer::begin(const Forest& forest, const double*) const {
  return std::make_unique<BoundarySentence>(forest, order_);
}

}  // namespace hopefear
