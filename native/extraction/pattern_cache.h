// What frequent patterns give in a text that does not change: their occurrences and their rules. A
// document has the same frequent patterns in most of its sentences.
#pragma once

#include <mutex>
#include <unordered_map>

#include "extraction/phrase_pairs.h"

namespace hopefear {

// What each occurrence of a pattern gives.
struct GivenPairs {
  struct Given {
    std::uint32_t pair;
    float share;
  };
  PhrasePairs pairs;  // of all occurrences, in order, none twice
  std::vector<Given> given;
  std::vector<std::uint32_t> ends;  // of what each occurrence gives

  std::span<const Given> of(std::size_t occurrence) const {
    const std::size_t begin = occurrence == 0 ? 0 : ends[occurrence - 1];
    return std::span(given).subspan(begin, ends[occurrence] - begin);
  }
};

class PatternCache {  // thread-safe
 public:
  using Found = std::shared_ptr<const std::vector<Occurrence>>;
  using Pairs = std::shared_ptr<const PhrasePairs>;
  using Given = std::shared_ptr<const GivenPairs>;

  // A pattern's words, with kGap between its chunks.
  using Key = std::u32string;
  static constexpr char32_t kGap = 0;
  static Key key(const Pattern& pattern);

  struct Known {
    Found occurrences;
    Pairs pairs;  // of the sampled occurrences, none twice
    Given given;
    std::size_t bytes() const;
  };

  // Of the text before the position `end`. Keeps at most about `most` bytes: what has not been
  // asked for lately is forgotten.
  PatternCache(std::int32_t end, std::size_t most) : end_(end), most_(most) {}

  std::int32_t end() const { return end_; }

  // Members are null where nothing is known.
  Known find(const Key& key);
  void keep(const Key& key, Found occurrences);
  void keep(const Key& key, Pairs pairs);
  void keep(const Key& key, Given given);

 private:
  using Table = std::unordered_map<Key, Known>;

  void keep(const Key& key, auto Known::* member, auto what);
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
