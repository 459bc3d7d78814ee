#include "scorers/ngram_forest.h"

#include <cmath>

#include "forest/inside_outside.h"
#include "scorers/boundary_scorer.h"
#include "search/cube_pruning.h"

namespace hopefear {
namespace {

// N-grams whose absence is followed through the forest together.
constexpr std::int32_t kLanes = 8;
using Lanes = std::array<double, kLanes>;

// By edge, the probability of the edge given its head.
IdVector<EdgeId, double> edge_shares(const Forest& forest, double scale) {
  const IdVector<NodeId, double> in = inside(forest, Semiring::kLog, scale);
  IdVector<EdgeId, double> shares(forest.edges());
  for (const EdgeId e : shares.ids())
    shares[e] = std::exp(forest.with_tails(e, scale * forest.score[e] - in[forest.head[e]], in));
  return shares;
}

}  // namespace

NgramForest::NgramForest(const std::shared_ptr<const Forest>& source, std::int32_t order,
                         std::int32_t pop_limit) {
  expect(order >= 1 && order <= kMostOrder, "expected n-grams of an order from 1 to ", kMostOrder,
         ", got ", order);
  const BoundaryScorer scorer(order);
  const StatefulScorer* const scorers[] = {&scorer};
  forest_ = rescore(source, scorers, nullptr, {pop_limit, 1.0});
  IdVector<NodeId, BoundaryWords> boundaries(forest_->nodes());
  for (const EdgeId e : forest_->local_rule.ids()) {
    BoundaryReader reader(order, [this](std::span<const Symbol> reversed, std::int32_t inside) {
      NgramId ngram = -1;
      std::int32_t length = 0;
      for (const Symbol word : reversed) {
        ngram = index_.insert(KeyIndex::pair(ngram + 1, word));
        if (++length > inside) formed_.values.push_back(ngram);
      }
    });
    for (const Symbol symbol : forest_->rule(e).target) {
      if (symbol > 0) {
        reader.word(symbol);
      } else {
        reader.tail(boundaries[forest_->tails_of(e)[-symbol]]);
      }
    }
    boundaries[forest_->head[e]] = reader.yield();
    formed_.close();
  }
}

std::vector<Symbol> NgramForest::words(NgramId ngram) const {
  std::vector<Symbol> words;
  while (ngram >= 0) {
    const std::int64_t key = index_.key(ngram);
    words.push_back(static_cast<Symbol>(key & 0xFFFFFFFF));
    ngram = static_cast<NgramId>(key >> 32) - 1;
  }
  return words;
}

IdVector<NgramId, double> NgramForest::expected_counts(double scale) const {
  const IdVector<EdgeId, double> marginal = edge_marginals(*forest_, Semiring::kLog, scale);
  IdVector<NgramId, double> counts(ngrams(), 0.0);
  for (const EdgeId e : marginal.ids()) {
    const double posterior = std::exp(marginal[e]);
    for (const NgramId ngram : formed_[e]) counts[ngram] += posterior;
  }
  return counts;
}

double NgramForest::expected_length(double scale) const {
  const IdVector<EdgeId, double> marginal = edge_marginals(*forest_, Semiring::kLog, scale);
  double length = 0;
  for (const EdgeId e : marginal.ids()) length += std::exp(marginal[e]) * words_formed(e);
  return length;
}

IdVector<NgramId, double> NgramForest::posteriors(double scale, double negligible) const {
  IdVector<NgramId, double> posterior = expected_counts(scale);
  if (forest_->empty()) return posterior;
  const IdVector<EdgeId, double> shares = edge_shares(*forest_, scale);

  struct Occurrence {
    EdgeId edge;
    NgramId ngram;
  };
  IdVector<std::int32_t, Occurrence> occurrences;
  for (const EdgeId e : formed_.ids()) {
    for (const NgramId ngram : formed_[e]) occurrences.push_back({e, ngram});
  }
  const auto edges_of = sorted_by<NgramId>(ngrams(), occurrences, &Occurrence::ngram);
  std::vector<NgramId> sought;
  for (const NgramId ngram : posterior.ids()) {
    if (posterior[ngram] >= negligible) sought.push_back(ngram);
  }

  IdVector<EdgeId, std::uint8_t> has(forest_->edges(), std::uint8_t{0});  // a bit for each lane
  IdVector<NodeId, Lanes> without(forest_->nodes());
  for (std::size_t begin = 0; begin < sought.size(); begin += kLanes) {
    const std::span<const NgramId> batch(
        sought.begin() + static_cast<std::ptrdiff_t>(begin),
        sought.begin() + static_cast<std::ptrdiff_t>(std::min(begin + kLanes, sought.size())));
    const auto mark = [&](bool present) {
      for (std::size_t lane = 0; lane < batch.size(); ++lane) {
        for (const std::int32_t at : edges_of[batch[lane]]) {
          std::uint8_t& bits = has[occurrences[at].edge];
          bits = present ? static_cast<std::uint8_t>(bits | 1U << lane) : std::uint8_t{0};
        }
      }
    };
    mark(true);
    for (const NodeId v : forest_->category.ids()) {
      Lanes sum{};
      for (const EdgeId e : forest_->edges_into(v)) {
        Lanes product;
        product.fill(shares[e]);
        for (const NodeId tail : forest_->tails_of(e)) {
          for (std::size_t lane = 0; lane < kLanes; ++lane) product[lane] *= without[tail][lane];
        }
        if (const std::uint8_t bits = has[e]) {
          for (std::size_t lane = 0; lane < kLanes; ++lane) {
            if (bits >> lane & 1) product[lane] = 0;
          }
        }
        for (std::size_t lane = 0; lane < kLanes; ++lane) sum[lane] += product[lane];
      }
      without[v] = sum;
    }
    for (std::size_t lane = 0; lane < batch.size(); ++lane)
      posterior[batch[lane]] = std::clamp(1 - without.back()[lane], 0.0, 1.0);
    mark(false);
  }
  return posterior;
}

std::shared_ptr<Forest> NgramForest::with_gains(std::span<const double> gains, double of_word,
                                                double of_model) const {
  expect(gains.size() == static_cast<std::size_t>(ngrams()), "expected a gain for each n-gram");
  auto out = std::make_shared<Forest>(*forest_);
  for (const EdgeId e : out->score.ids()) {
    double score = of_model * forest_->score[e] + of_word * words_formed(e);
    for (const NgramId ngram : formed_[e]) score += gains[place_of(ngram)];
    out->score[e] = score;
  }
  return out;
}

std::int32_t NgramForest::words_formed(EdgeId edge) const {
  return static_cast<std::int32_t>(
      std::ranges::count_if(forest_->rule(edge).target, [](Symbol symbol) { return symbol > 0; }));
}

}  // namespace hopefear
