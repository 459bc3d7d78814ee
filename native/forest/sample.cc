#include "forest/sample.h"

#include <cmath>
#include <random>

#include "forest/inside_outside.h"

namespace hopefear {

std::vector<Derivation> sample(const Forest& forest, std::size_t count, std::uint64_t seed,
                               double scale) {
  std::vector<Derivation> drawn;
  if (forest.empty()) return drawn;
  const IdVector<NodeId, double> in = inside(forest, Semiring::kLog, scale);
  std::mt19937_64 random(seed);
  std::vector<NodeId> open;
  while (drawn.size() < count) {
    Derivation derivation;
    open.push_back(forest.goal());
    while (!open.empty()) {
      const NodeId v = open.back();
      open.pop_back();
      double left = static_cast<double>(random() >> 11) * 0x1.0p-53;
      EdgeId chosen = forest.edges_begin[v];
      for (const EdgeId e : forest.edges_into(v)) {
        double product = scale * forest.score[e] - in[v];
        for (const NodeId tail : forest.tails_of(e)) product += in[tail];
        chosen = e;
        left -= std::exp(product);
        if (left < 0) break;
      }
      derivation.push_back(chosen);
      const std::span<const NodeId> tails = forest.tails_of(chosen);
      open.insert(open.end(), tails.rbegin(), tails.rend());
    }
    drawn.push_back(std::move(derivation));
  }
  return drawn;
}

}  // namespace hopefear
