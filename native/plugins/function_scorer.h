// A feature with a state that one function computes, for an edge at a time: machine code that a
// plugin gives by its address.
#pragma once

#include "search/scorer.h"

namespace hopefear {

// `rule` is the row of the edge's rule; `spans` are those of the head and of the tails, `tails`
// their states. The function sets the head's state and the values of the features, 0 before.
using StateFunction = void (*)(const std::int64_t* rule, const SourceSpan* spans,
                               const std::int64_t* tails, std::int64_t tail_count,
                               std::int64_t* state, double* values);

class FunctionScorer final : public StatefulScorer {
 public:
  // `rules` has `columns` numbers for each local rule of a forest. A feature below 0 is dropped.
  // `plugin` is its name in messages.
  FunctionScorer(std::string plugin, StateFunction function, std::size_t state_size,
                 std::vector<std::int64_t> rules, std::size_t columns,
                 std::vector<FeatureId> features)
      : plugin_(std::move(plugin)),
        function_(function),
        state_size_(state_size),
        rules_(std::move(rules)),
        columns_(columns),
        features_(std::move(features)) {}

  std::size_t state_size() const override { return state_size_ * sizeof(std::int64_t); }
  bool leaves_marks() const override { return true; }
  // Throws std::invalid_argument if the rules are not those of the forest.
  std::unique_ptr<SentenceScorer> begin(const Forest& forest, const double* weights) const override;

 private:
  class Sentence;

  std::string plugin_;
  StateFunction function_;
  std::size_t state_size_;
  std::vector<std::int64_t> rules_;
  std::size_t columns_;
  std::vector<FeatureId> features_;
};

}  // namespace hopefear
