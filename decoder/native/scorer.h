// What a feature with state is to the search: it scores an edge given the states of its tails.
//
// 1. StatefulScorer::begin(forest, weights) makes a SentenceScorer for one forest.
// 2. estimate(rule) says what the rule's own words bring, whatever stands around them.
// 3. score(edge, tails, state, values) fills the state of the head and the values of features(),
// and
//    returns their weighted sum, less what the tails counted already.
// 4. Items recombine when the states of all scorers are equal; that of the best derivation is kept,
// so a
//    state may hold facts of the derivation that equal() does not compare.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "forest.h"

namespace hopefear {

class SentenceScorer {
 public:
  virtual ~SentenceScorer() = default;

  virtual double estimate(std::int32_t local_rule) const = 0;
  virtual double score(EdgeId edge, std::span<const std::byte* const> tails, std::byte* state,
                       float* values) const = 0;
  virtual std::uint64_t hash(const std::byte* state) const = 0;
  virtual bool equal(const std::byte* a, const std::byte* b) const = 0;
};

class StatefulScorer {
 public:
  virtual ~StatefulScorer() = default;

  virtual std::size_t state_size() const = 0;
  virtual std::span<const FeatureId> features() const = 0;
  // The forest must outlive the result.
  virtual std::unique_ptr<SentenceScorer> begin(const Forest& forest,
                                                const double* weights) const = 0;
};

}  // namespace hopefear
