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
      const auto [found, is_new] = numbers.emplace(text, static_cast<Word>(words_.size()) + 1);
      if (is_new) words_.push_back(text);
      sentence.push_back(found->second);
    }
  }
  columns_ = words_.size() + 1;

  // The tree of n-grams, breadth first: a shorter n-gram has a smaller number. A child's place is 0
  // where there is none, which the empty n-gram, nobody's child, leaves free.
  ngrams_.push_back({{}, 0, kEmpty, false});
  next_.assign(columns_, kEmpty);
  std::vector<bool> has_child{false};
  for (int n = 0; n < kOrder; ++n) {
    for (const std::vector<Word>& sentence : sentences) {
      for (std::size_t end = static_cast<std::size_t>(n); end < sentence.size(); ++end) {
        State state = kEmpty;
        for (std::size_t i = end - static_cast<std::size_t>(n); i < end; ++i)
          state = next(state, sentence[i]);
        State& child = next_[static_cast<std::size_t>(state) * columns_ +
                             static_cast<std::size_t>(sentence[end])];
        if (child != kEmpty) continue;
        child = static_cast<State>(ngrams_.size());
        has_child[static_cast<std::size_t>(state)] = true;
        Ngram ngram = at(state);
        ngram.words[ngram.length++] = sentence[end];
        ngrams_.push_back(ngram);
        has_child.push_back(false);
        next_.resize(next_.size() + columns_, kEmpty);
      }
    }
  }

  // What is missing is filled in from the next shorter end of the n-gram, which comes earlier.
  std::vector<State> shorter(ngrams_.size(), kEmpty);
  for (std::size_t s = 0; s < ngrams_.size(); ++s) {
    ngrams_[s].right_context = has_child[s] && s > 0
                                   ? static_cast<State>(s)
                                   : ngrams_[static_cast<std::size_t>(shorter[s])].right_context;
    if (ngrams_[s].length > 0) ngrams_[static_cast<std::size_t>(shorter[s])].extends_left = true;
    for (std::size_t w = 1; w < columns_; ++w) {
      State& target = next_[s * columns_ + w];
      const State fallback = s == 0 ? kEmpty : next(shorter[s], static_cast<Word>(w));
      if (target == kEmpty) {
        target = fallback;
      } else if (ngrams_[static_cast<std::size_t>(target)].length == ngrams_[s].length + 1) {
        shorter[static_cast<std::size_t>(target)] = fallback;
      }
    }
  }
}

}  // namespace hopefear
