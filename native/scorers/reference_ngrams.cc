#include "scorers/reference_ngrams.h"

#include <algorithm>
#include <unordered_map>

namespace hopefear {

ReferenceNgrams::ReferenceNgrams(const std::vector<std::vector<std::string>>& references) {
  std::unordered_map<std::string, Word> numbers;
  std::vector<std::vector<Word>> sentences;
  for (const std::vector<std::string>& reference : references) {
    std::vector<Word>& sentence = sentences.emplace_back();
    for (const std::string& text : reference) {
      const auto [found, is_new] = numbers.emplace(text, words_.count() + 1);
      if (is_new) words_.push_back(text);
      sentence.push_back(found->second);
    }
  }
  columns_ = words_.count() + 1;

  // The tree of n-grams, breadth first: a shorter n-gram has a smaller number. A child's place is 0
  // where there is none, which the empty n-gram, nobody's child, leaves free.
  ngrams_.push_back({{}, 0, kEmpty, false});
  next_.assign(columns_, kEmpty);
  IdVector<State, bool> has_child{false};
  for (std::size_t n = 0; n < kOrder; ++n) {
    for (const std::vector<Word>& sentence : sentences) {
      for (std::size_t end = n; end < sentence.size(); ++end) {
        State state = kEmpty;
        for (std::size_t i = end - n; i < end; ++i) state = next(state, sentence[i]);
        State& child = next_[place(state, sentence[end])];
        if (child != kEmpty) continue;
        child = ngrams_.count();
        has_child[state] = true;
        Ngram ngram = at(state);
        ngram.words[ngram.length++] = sentence[end];
        ngrams_.push_back(ngram);
        has_child.push_back(false);
        next_.resize(next_.count() + columns_, kEmpty);
      }
    }
  }

  // What is missing is filled in from the next shorter end of the n-gram, which comes earlier.
  IdVector<State, State> shorter(ngrams_.count(), kEmpty);
  for (const State s : ngrams_.ids()) {
    ngrams_[s].right_context = has_child[s] && s > 0 ? s : ngrams_[shorter[s]].right_context;
    if (ngrams_[s].length > 0) ngrams_[shorter[s]].extends_left = true;
    for (Word w = 1; w < columns_; ++w) {
      State& target = next_[place(s, w)];
      const State fallback = s == 0 ? kEmpty : next(shorter[s], w);
      if (target == kEmpty) {
        target = fallback;
      } else if (ngrams_[target].length == ngrams_[s].length + 1) {
        shorter[target] = fallback;
      }
    }
  }
}

}  // namespace hopefear
