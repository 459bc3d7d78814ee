// n-grams of units - words, classes of words, alignment links - and the features that they fire.
// Shared by the threads of a decoder.
#pragma once

#include <algorithm>

#include "base/key_index.h"
#include "base/weights.h"

namespace hopefear {

using Ngram = std::span<const std::int32_t>;  // numbers of units

// Numbers for n-grams of one order, in the order of their first occurrence: a chain of pairs:
// (first unit, second unit), (number of that, third unit) and so on.
class NgramIndex {
 public:
  static constexpr std::int32_t kUnknown = KeyIndex::kUnknown;

  explicit NgramIndex(int order, std::size_t slots = 64)
      : links_(place_of(std::max(order - 1, 1)), KeyIndex(slots)) {}

  std::int32_t size() const { return links_.back().size(); }
  std::int32_t find(Ngram ngram) const {
    if (ngram.size() == 1) return links_[0].find(ngram[0]);
    std::int32_t head = ngram[0];
    for (std::size_t i = 1; i < ngram.size(); ++i) {
      head = links_[i - 1].find(KeyIndex::pair(head, ngram[i]));
      if (head == kUnknown) break;
    }
    return head;
  }
  std::int32_t insert(Ngram ngram) {
    if (ngram.size() == 1) return links_[0].insert(ngram[0]);
    std::int32_t head = ngram[0];
    for (std::size_t i = 1; i < ngram.size(); ++i) {
      head = links_[i - 1].insert(KeyIndex::pair(head, ngram[i]));
    }
    return head;
  }

 private:
  std::vector<KeyIndex> links_;
};

struct NgramOptions {
  int order = 2;           // 1 to kMostUnits
  bool boundaries = true;  // <s> and </s> around a derivation's string
  std::string prefix;
  // A feature for each pattern: which text of the unit at each position makes the name.
  std::vector<std::vector<int>> patterns;
  std::string separator = "_";
  // If not empty, features for the shorter n-grams that end at the same unit too: a prefix for each
  // length from 1 to the order, which follows `prefix`. With boundaries n - 1 times <s> are before
  // the string, so that each of its units ends an n-gram; a name has at most `begins` of them.
  std::vector<std::string> prefixes{};
  int begins = 1;

  // How often <s> is before the string.
  int leading() const { return prefixes.empty() ? 1 : order - 1; }
};

class NgramTable {
 public:
  static constexpr int kMostUnits = 5;
  // Returns the features of names, -1 if a name is not a feature.
  using Numbering = std::function<std::vector<FeatureId>(const std::vector<std::string>&)>;

  // Units have `texts` texts each.
  NgramTable(NgramOptions options, std::size_t texts, Numbering numbering);

  const NgramOptions& options() const { return options_; }
  std::int32_t begin_unit() const { return begin_; }
  std::int32_t end_unit() const { return end_; }

  // The number of a unit; a new unit gets a new number.
  std::int32_t unit(std::span<const std::string_view> texts);

  // The n-gram's row, and in `score` its w·f; the features of a new n-gram get numbers.
  std::int32_t row(Ngram ngram, const double* weights, double& score);
  std::vector<std::int32_t> rows(std::span<const Ngram> ngrams);
  // Appends the features of a row; `lock` excludes writers.
  std::shared_lock<std::shared_mutex> lock() const { return std::shared_lock(mutex_); }
  void append(std::int32_t row, std::vector<FeatureId>& features) const {
    features.insert(features.end(), features_[row].begin(), features_[row].end());
  }
  // The features of all n-grams so far, except the first ones.
  std::vector<FeatureId> features(std::size_t first) const;

 private:
  std::int32_t find(Ngram ngram, const double* weights, double& score) const;
  std::vector<std::string> names(Ngram ngram) const;
  std::string name(Ngram ngram, std::span<const int> pattern) const;

  NgramOptions options_;
  std::size_t texts_;
  Numbering numbering_;
  mutable std::shared_mutex mutex_;
  Interner units_;                    // the texts of each, joined
  std::int32_t begin_ = 0, end_ = 0;  // <s> and </s>
  NgramIndex rows_;
  IdRows<std::int32_t, FeatureId> features_;  // by row
};

}  // namespace hopefear
