#include "extraction/pattern_cache.h"

namespace hopefear {
namespace {

std::size_t bytes_of(const PhrasePairs& pairs) {
  return pairs.pairs.size() * sizeof(PhrasePairs::Pair) + pairs.symbols.size() * sizeof(Symbol) +
         pairs.points.size() * sizeof(AlignmentPoint);
}

}  // namespace

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
  if (pairs) bytes += bytes_of(*pairs);
  if (given) {
    bytes += bytes_of(given->pairs) + given->given.size() * sizeof(GivenPairs::Given) +
             given->ends.size() * sizeof(std::uint32_t);
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

void PatternCache::keep(const Key& key, auto Known::* member, auto what) {
  const std::scoped_lock lock(mutex_);
  Known& known = entry(key);
  known.*member = std::move(what);
  count(known.bytes());
}

void PatternCache::keep(const Key& key, Found occurrences) {
  keep(key, &Known::occurrences, std::move(occurrences));
}

void PatternCache::keep(const Key& key, Pairs pairs) { keep(key, &Known::pairs, std::move(pairs)); }

void PatternCache::keep(const Key& key, Given given) { keep(key, &Known::given, std::move(given)); }

void PatternCache::count(std::size_t more) {
  bytes_ += more;
  if (2 * bytes_ <= most_) return;
  before_ = std::move(recent_);
  recent_.clear();
  bytes_ = 0;
}

}  // namespace hopefear
