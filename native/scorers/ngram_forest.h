// The n-grams of a forest: how often each is expected, how probable it is that a translation has
// it, and the search for the translation with the greatest sum of their gains.
//
// The forest is split by the words at the borders of its nodes, so that an edge always forms the
// same n-grams, and everything here is exact.
#pragma once

#include "base/key_index.h"
#include "forest/forest.h"

namespace hopefear {

using NgramId = std::int32_t;

class NgramForest {
 public:
  // N-grams of the orders 1 to `order`, at most kMostOrder. With a pop limit, the split forest has
  // only about so many edges a node, see cube_pruning.h; 0 for all.
  NgramForest(const std::shared_ptr<const Forest>& source, std::int32_t order,
              std::int32_t pop_limit);

  const std::shared_ptr<Forest>& forest() const { return forest_; }
  NgramId ngrams() const { return index_.size(); }
  // The words, in their order.
  std::vector<Symbol> words(NgramId ngram) const;
  // Occurrences, by edge.
  const IdRows<EdgeId, NgramId>& formed() const { return formed_; }

  // By n-gram, under p(d) ~ exp(scale * score).
  IdVector<NgramId, double> expected_counts(double scale) const;
  // The expected number of words.
  double expected_length(double scale) const;
  // The probability of an n-gram to occur at least once, by the derivations without it. An n-gram
  // whose expected count is below `negligible` has that count, which is never less.
  IdVector<NgramId, double> posteriors(double scale, double negligible) const;

  // The split forest in which a derivation scores the gains of all its n-grams, `of_word` for each
  // word, and `of_model` times its score.
  std::shared_ptr<Forest> with_gains(std::span<const double> gains, double of_word,
                                     double of_model) const;

 private:
  std::int32_t words_formed(EdgeId edge) const;

  std::shared_ptr<Forest> forest_;
  // An n-gram as the one without its first word, plus 1, and that word; unigrams have 0 and a word.
  KeyIndex index_;
  IdRows<EdgeId, NgramId> formed_;
};

}  // namespace hopefear
