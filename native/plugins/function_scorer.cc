#include "plugins/function_scorer.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/input_error.h"

namespace hopefear {

class FunctionScorer::Sentence final : public IntegerStateScorer {
 public:
  Sentence(const FunctionScorer& scorer, const Forest& forest, const double* weights)
      : IntegerStateScorer(scorer.state_size()),
        scorer_(scorer),
        forest_(forest),
        weights_(weights),
        state_(scorer.state_size_),
        values_(scorer.features_.size()) {}

  // Nothing is known before the function is called.
  double estimate(LocalRule) const override { return 0; }

  double score(const ScoredEdge& edge, MarkValues& marks) const override {
    const std::span<const NodeId> tails = forest_.tails_of(edge.edge);
    spans_.assign(1, forest_.span[forest_.head[edge.edge]]);
    tails_.resize(tails.size() * state_.size());
    for (std::size_t t = 0; t < tails.size(); ++t) {
      spans_.push_back(forest_.span[tails[t]]);
      std::memcpy(tails_.data() + t * state_.size(), edge.tails[static_cast<std::int32_t>(t)],
                  state_size_);
    }
    std::ranges::fill(state_, 0);
    std::ranges::fill(values_, 0);
    const std::int64_t* const rule =
        scorer_.rules_.data() + place_of(forest_.local_rule[edge.edge]) * scorer_.columns_;
    scorer_.function_(rule, spans_.data(), tails_.data(), std::ssize(tails), state_.data(),
                      values_.data());
    std::memcpy(edge.state, state_.data(), state_size_);
    return keep(marks);
  }

  // A mark is a row of fired_, -1 where nothing fired.
  void fire(const IdVector<EdgeId, EdgeId>&, const Marks& marks, Forest& out) const override {
    FeatureLayer layer = fired_;
    layer.row = marks.values;
    out.layers.push_back(std::move(layer));
  }

 private:
  double keep(MarkValues& marks) const {
    constexpr double kLargest = std::numeric_limits<float>::max();
    double sum = 0;
    bool fires = false;
    for (std::size_t j = 0; j < values_.size(); ++j) {
      const FeatureId feature = scorer_.features_[j];
      if (feature < 0 || values_[j] == 0) continue;
      if (!(std::abs(values_[j]) <= kLargest))
        throw InputError({}, 0, scorer_.plugin_, ": expected finite values, as a float has");
      sum += weights_[feature] * values_[j];
      fired_.features.push_back(feature);
      fired_.values.push_back(values_[j]);
      fires = true;
    }
    marks.push_back(fires ? fired_.close() : -1);
    return sum;
  }

  const FunctionScorer& scorer_;
  const Forest& forest_;
  const double* weights_;
  mutable FeatureLayer fired_;
  // of the edge at work
  mutable std::vector<SourceSpan> spans_;
  mutable std::vector<std::int64_t> tails_, state_;
  mutable std::vector<double> values_;
};

std::unique_ptr<SentenceScorer> FunctionScorer::begin(const Forest& forest,
                                                      const double* weights) const {
  expect(rules_.size() == forest.rules.size() * columns_, "expected ", forest.rules.size(),
         " rows of rules");
  return std::make_unique<Sentence>(*this, forest, weights);
}

}  // namespace hopefear
