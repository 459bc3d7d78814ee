// The interface of a feature with a state: it scores an edge from the states of the edge's tails.
//
// 1. StatefulScorer::begin(forest, weights) makes a SentenceScorer for one forest.
// 2. estimate(rule) says the score of the rule's own words without context.
// 3. score(edge, ...) fills the state of the head and the values of features(), and returns their
//    weighted sum, less what the tails counted already.
// 4. rest_cost(state) says what is expected to be added to the score by what comes around the item:
//    the search compares items by their scores and rest costs. Equal states have equal rest costs.
// 5. Items recombine when the states of all scorers are equal; that of the best derivation is kept,
//    so a state may hold facts of the derivation that equal() does not compare.
//
// A scorer with open-ended features returns marks instead of values: numbers from which fire()
// makes layers after the search. A scorer with expensive calls may request batches of several
// edges.
#pragma once

#include <cstring>

#include "base/watched_file.h"
#include "forest/forest.h"

namespace hopefear {

using MarkValues = IdVector<std::int32_t, std::int32_t>;
using Marks = IdRows<EdgeId, std::int32_t>;  // of scored edges

// The states of an edge's tails in one derivation, and the memory for the results at its head.
struct ScoredEdge {
  EdgeId edge;
  IdSpan<std::int32_t, const std::byte* const> tails;
  std::byte* state;
  float* values;  // of features()
};

class SentenceScorer {
 public:
  virtual ~SentenceScorer() = default;

  virtual double estimate(LocalRule rule) const = 0;
  // May append to `marks`.
  virtual double score(const ScoredEdge& edge, MarkValues& marks) const = 0;
  // Scores several edges, if the scorer asked for it; appends one mark each.
  virtual void score_batch(std::span<const ScoredEdge> edges, std::span<double> scores,
                           MarkValues& marks) const {
    for (std::size_t i = 0; i < edges.size(); ++i) scores[i] = score(edges[i], marks);
  }
  virtual double rest_cost(const std::byte*) const { return 0; }
  virtual std::uint64_t hash(const std::byte* state) const = 0;
  virtual bool equal(const std::byte* a, const std::byte* b) const = 0;
  // Adds layers to the new forest, made of some edges of the source forest, given their marks.
  virtual void fire(const IdVector<EdgeId, EdgeId>&, const Marks&, Forest&) const {}
};

// A scorer whose states are integers of 32 bits: they recombine if all of them are equal.
class IntegerStateScorer : public SentenceScorer {
 public:
  explicit IntegerStateScorer(std::size_t state_size) : state_size_(state_size) {}

  std::uint64_t hash(const std::byte* state) const final {
    std::uint64_t hash = 0;
    for (std::size_t i = 0; i < state_size_; i += sizeof(std::uint32_t)) {
      std::uint32_t part;
      std::memcpy(&part, state + i, sizeof part);
      hash = spread(hash ^ part);
    }
    return hash;
  }
  bool equal(const std::byte* a, const std::byte* b) const final {
    return std::memcmp(a, b, state_size_) == 0;
  }

 protected:
  const std::size_t state_size_;  // bytes
};

class StatefulScorer {
 public:
  virtual ~StatefulScorer() = default;

  virtual std::size_t state_size() const = 0;
  virtual std::span<const FeatureId> features() const { return {}; }
  virtual bool leaves_marks() const { return false; }
  // Only for scorers that leave marks and have no features() of their own.
  virtual bool wants_batches() const { return false; }
  // What it reads through memory, inside reading().
  virtual const WatchedFile* file() const { return nullptr; }
  // The forest must outlive the result.
  virtual std::unique_ptr<SentenceScorer> begin(const Forest& forest,
                                                const double* weights) const = 0;
};

// A scorer that can also read a sentence that is no derivation.
class SentenceModel : public StatefulScorer {
 public:
  // The value of the feature for the words of a sentence and its end.
  virtual double sentence(std::span<const std::string> words) const = 0;
};

}  // namespace hopefear
