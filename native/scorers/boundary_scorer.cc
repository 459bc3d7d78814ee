#include "scorers/boundary_scorer.h"

#include "base/probing.h"

namespace hopefear {
namespace {

class BoundarySentence final : public SentenceScorer {
 public:
  BoundarySentence(const Forest& forest, std::int32_t order) : forest_(forest), order_(order) {}

  double estimate(LocalRule) const override { return 0; }

  double score(const ScoredEdge& edge, MarkValues&) const override {
    BoundaryReader reader(order_, [](std::span<const Symbol>, std::int32_t) {});
    for (const Symbol symbol : forest_.rule(edge.edge).target) {
      if (symbol > 0) {
        reader.word(symbol);
      } else {
        reader.tail(words_at(edge.tails[-symbol]));
      }
    }
    *reinterpret_cast<BoundaryWords*>(edge.state) = reader.yield();
    return 0;
  }

  std::uint64_t hash(const std::byte* state) const override {
    const BoundaryWords& words = words_at(state);
    std::uint64_t hash = static_cast<std::uint64_t>(words.length);
    for (const Symbol word : words.first) hash = spread(hash + static_cast<std::uint64_t>(word));
    for (const Symbol word : words.last) hash = spread(hash + static_cast<std::uint64_t>(word));
    return hash;
  }

  bool equal(const std::byte* a, const std::byte* b) const override {
    return words_at(a) == words_at(b);
  }

 private:
  static const BoundaryWords& words_at(const std::byte* state) {
    return *reinterpret_cast<const BoundaryWords*>(state);
  }

  const Forest& forest_;
  std::int32_t order_;
};

}  // namespace

std::unique_ptr<SentenceScorer> BoundaryScorer::begin(const Forest& forest, const double*) const {
  return std::make_unique<BoundarySentence>(forest, order_);
}

}  // namespace hopefear
