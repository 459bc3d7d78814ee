// The n-grams of the references of a sentence as an Aho-Corasick automaton. A state is an n-gram of
// the references, the longest that the words read so far end in; its length is the number of
// n-grams, one of each order up to it, that the last word completes.
#pragma once

#include <string>

#include "base/id_vector.h"

namespace hopefear {

class ReferenceNgrams {
 public:
  using State = std::int32_t;
  using Word = std::int32_t;  // a word of the references, from 1
  static constexpr int kOrder = 4;
  static constexpr State kEmpty = 0;
  static constexpr Word kOther = 0;  // any word that is in no reference

  explicit ReferenceNgrams(const std::vector<std::vector<std::string>>& references);

  // The distinct words; that of number w is words()[w - 1].
  const IdVector<Word, std::string>& words() const { return words_; }
  State next(State state, Word word) const { return next_[place(state, word)]; }
  int length(State state) const { return at(state).length; }
  // The longest end of the n-gram that a further word can make a longer match.
  State right_context(State state) const { return at(state).right_context; }
  // Whether a word before the n-gram can make a longer match.
  bool extends_left(State state) const { return at(state).extends_left; }
  // The words of the n-gram, length(state) of them.
  const Word* words_of(State state) const { return at(state).words; }

 private:
  struct Ngram {
    Word words[kOrder];
    std::int32_t length;
    State right_context;
    bool extends_left;
  };

  const Ngram& at(State state) const { return ngrams_[state]; }
  std::int64_t place(State state, Word word) const { return std::int64_t{state} * columns_ + word; }

  IdVector<Word, std::string> words_;
  Word columns_ = 1;
  IdVector<State, Ngram> ngrams_;       // by length
  IdVector<std::int64_t, State> next_;  // state × word
};

}  // namespace hopefear
