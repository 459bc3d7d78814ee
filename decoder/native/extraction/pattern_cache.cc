#include "extraction/pattern_cache.h"

#include <utility>

namespace hopefear {

PatternCache::Key PatternCache::key(const Pattern& pattern) {
  Key key;
  std::size_t word = 0;
  for (const int size : pattern.chunks) {
    if (word > 0) key.push_back(kGap);
    for (int i = 0; i < size; ++i) key.push_back(static_cast<char32_t>(pattern.words[word++]));
  }
  return key;
}

std::size_t PatternCache::Known::bytes() const {
  std::size_t bytes = 200;  // of the entry itself
  if (occurrences) bytes += occurrences->size() * sizeof(Occurrence);
  if (pairs) {
    bytes += pairs->pairs.size() * sizeof(PhrasePairs::Pair) +
             pairs->symbols.size() * sizeof(Symbol) + pairs->points.size() * sizeof(AlignmentPoint);
  }
  return bytes;
}

PatternCache::Known* PatternCache::look_up(const Key& key) {
  if (const auto found = recent_.find(key); found != recent_.end()) return &found->second;
  const auto found = before_.find(key);
  if (found == before_.end()) return nullptr;
  Known& known = recent_[key] = std::move(found->second);
  before_.erase(found);
  bytes_ += known.bytes();
  return &known;
}

PatternCache::Known PatternCache::find(const Key& key) {
  const std::scoped_lock lock(mutex_);
  const Known* known = look_up(key);
  return known == nullptr ? Known{} : *known;
}

PatternCache::Known& PatternCache::entry(const Key& key) {
  if (Known* known = look_up(key)) {
    bytes_ -= known->bytes();
    return *known;
  }
  return recent_[key];
}

void PatternCache::keep(const Key& key, Occurrences occurrences) {
  const std::scoped_lock lock(mutex_);
  Known& known = entry(key);
  known.occurrences = std::move(occurrences);
  count(known.bytes());
}

void PatternCache::keep(const Key& key, Pairs pairs) {
  const std::scoped_lock lock(mutex_);
  Known& known = entry(key);
  known.pairs = std::move(pairs);
  count(known.bytes());
}

void PatternCache::count(std::size_t more) {
  bytes_ += more;
  if (2 * bytes_ <= most_) return;
  before_ = std::move(recent_);
  recent_.clear();
  bytes_ = 0;
}

}  // namespace hopefear
