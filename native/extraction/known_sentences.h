// What a text that does not change gives for whole sentences: a translator's next sentence is
// prepared before its turn, and asked for again after a correction.
#pragma once

#include <list>

#include "extraction/pattern_cache.h"

namespace hopefear {

// What a pattern gives in the text before the corrections.
struct TextPart {
  std::size_t occurrences = 0;
  PatternCache::Pairs pairs;  // of the sampled occurrences; null if there are none
};

// The patterns of a sentence that occur in the text, in the order of the walk.
struct Visited {
  Pattern pattern;
  TextPart text;
};
using Visits = std::vector<Visited>;

class KnownSentences {  // thread-safe
 public:
  using Known = std::shared_ptr<const Visits>;

  // Null where the sentence is not known.
  Known find(std::span<const std::string> tokens);
  // Forgets the sentence that has not been asked for longest, if there are too many.
  void keep(std::span<const std::string> tokens, Known visits);

 private:
  struct Entry {
    std::vector<std::string> tokens;
    Known visits;
  };
  static constexpr std::size_t kMost = 8;

  std::mutex mutex_;
  std::list<Entry> entries_;  // the latest first
};

// The order in which a walk over a sentence visits patterns.
class WalkOrder {
 public:
  explicit WalkOrder(std::span<const Word> sentence);
  bool before(const Pattern& a, const Pattern& b) const;

 private:
  struct Place {
    Word word;
    int first;
  };
  int first(Word word) const;

  std::vector<Place> places_;  // by word
};

}  // namespace hopefear
