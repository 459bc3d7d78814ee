#include "extraction/known_sentences.h"

#include <algorithm>

namespace hopefear {
namespace {

// Goes through the words of a pattern, and tells of each whether it is behind a gap.
class Steps {
 public:
  explicit Steps(const Pattern& pattern) : pattern_(pattern), left_(pattern.chunks.front()) {}

  bool done() const { return word_ == pattern_.words.size(); }
  std::pair<Word, bool> next() {
    const bool after_gap = left_ == 0;
    if (after_gap) left_ = pattern_.chunks[++chunk_];
    --left_;
    return {pattern_.words[word_++], after_gap};
  }

 private:
  const Pattern& pattern_;
  std::size_t word_ = 0, chunk_ = 0;
  int left_;
};

}  // namespace

KnownSentences::Known KnownSentences::find(std::span<const std::string> tokens) {
  const std::scoped_lock lock(mutex_);
  const auto found = std::ranges::find_if(
      entries_, [&](const Entry& entry) { return std::ranges::equal(entry.tokens, tokens); });
  if (found == entries_.end()) return nullptr;
  entries_.splice(entries_.begin(), entries_, found);
  return found->visits;
}

void KnownSentences::keep(std::span<const std::string> tokens, Known visits) {
  const std::scoped_lock lock(mutex_);
  entries_.push_front({{tokens.begin(), tokens.end()}, std::move(visits)});
  if (entries_.size() > kMost) entries_.pop_back();
}

WalkOrder::WalkOrder(std::span<const Word> sentence) {
  for (std::size_t i = 0; i < sentence.size(); ++i) {
    places_.push_back({sentence[i], static_cast<int>(i)});
  }
  std::ranges::stable_sort(places_, {}, &Place::word);
}

int WalkOrder::first(Word word) const {
  return std::ranges::lower_bound(places_, word, {}, &Place::word)->first;
}

bool WalkOrder::before(const Pattern& a, const Pattern& b) const {
  Steps left(a), right(b);
  while (!left.done() && !right.done()) {
    const auto [one, one_after_gap] = left.next();
    const auto [other, other_after_gap] = right.next();
    if (one != other) return first(one) < first(other);
    if (one_after_gap != other_after_gap) return other_after_gap;
  }
  return left.done() && !right.done();
}

}  // namespace hopefear
