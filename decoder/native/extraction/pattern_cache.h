// What frequent patterns give in a text that does not change: their occurrences and their rules. A
// document has the same frequent patterns in most of its sentences.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "extraction/pattern_walk.h"
#include "extraction/phrase_pairs.h"

namespace hopefear {

class PatternCache {  // thread-safe
 public:
  using Occurrences = std::shared_ptr<const std::vector<Occurrence>>;
  using Pairs = std::shared_ptr<const PhrasePairs>;

  // A pattern's words, with kGap between its chunks.
  using Key = std::u32string;
  static constexpr char32_t kGap = 0;
  static Key key(const Pattern& pattern);

  struct Known {
    Occurrences occurrences;
    Pairs pairs;  // of the sampled occurrences, none twice
    std::size_t bytes() const;
  };

  // Of the text before the position `end`. Keeps at most about `most` bytes: what has not been
  // asked for lately is forgotten.
  PatternCache(std::int32_t end, std::size_t most) : end_(end), most_(most) {}

  std::int32_t end() const { return end_; }

  // Members are null where nothing is known.
  Known find(const Key& key);
  void keep(const Key& key, Occurrences occurrences);
  void keep(const Key& key, Pairs pairs);

 private:
  using Table = std::unordered_map<Key, Known>;

  Known* look_up(const Key& key);
  Known& entry(const Key& key);
  void count(std::size_t more);

  const std::int32_t end_;
  const std::size_t most_;
  std::mutex mutex_;
  Table recent_, before_;  // what is asked for moves from `before_` to `recent_`
  std::size_t bytes_ = 0;  // of recent_
};

}  // namespace hopefear
