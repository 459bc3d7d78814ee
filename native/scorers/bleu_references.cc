#include "scorers/bleu_references.h"

#include <algorithm>

namespace hopefear {
namespace {

std::int64_t ngram_key(std::int32_t shorter, BleuReferences::Word last) {
  return KeyIndex::pair(shorter + 1, last);
}

}  // namespace

BleuReferences::BleuReferences(const std::vector<std::vector<Word>>& references, std::size_t order,
                               std::optional<double> length)
    : order_(order), length_(length) {
  IdVector<std::int32_t, std::int32_t> times;
  for (const std::vector<Word>& reference : references) {
    lengths_.push_back(reference.size());
    times.assign(times.size(), 0);
    for (std::size_t begin = 0; begin < reference.size(); ++begin) {
      std::int32_t ngram = KeyIndex::kUnknown;
      for (std::size_t i = begin; i < std::min(begin + order, reference.size()); ++i) {
        ngram = ngrams_.insert(ngram_key(ngram, reference[i]));
        times.resize(ngrams_.size(), 0);
        ++times[ngram];
      }
    }
    most_.resize(times.size(), 0);
    for (const std::int32_t i : times.ids()) most_[i] = std::max(most_[i], times[i]);
  }
  std::ranges::sort(lengths_);
}

void BleuReferences::statistics(std::span<const Word> translation,
                                std::span<double> statistics) const {
  const std::size_t length = translation.size();
  statistics[0] = static_cast<double>(length);
  statistics[1] = effective_length(length);
  for (std::size_t n = 0; n < order_; ++n)
    statistics[2 + n] = n < length ? static_cast<double>(length - n) : 0;
  count_matches(translation, statistics.subspan(2 + order_));
}

double BleuReferences::effective_length(std::size_t translation) const {
  if (length_) return *length_;
  const auto distance = [&](std::size_t length) {
    return length < translation ? translation - length : length - translation;
  };
  return static_cast<double>(*std::ranges::min_element(lengths_, {}, distance));
}

void BleuReferences::count_matches(std::span<const Word> translation,
                                   std::span<double> matches) const {
  std::ranges::fill(matches, 0);
  IdVector<std::int32_t, std::int32_t> left = most_;
  for (std::size_t begin = 0; begin < translation.size(); ++begin) {
    std::int32_t ngram = KeyIndex::kUnknown;
    for (std::size_t n = 0; n < order_ && begin + n < translation.size(); ++n) {
      ngram = ngrams_.find(ngram_key(ngram, translation[begin + n]));
      if (ngram == KeyIndex::kUnknown) break;  // a longer n-gram is in no reference, either
      std::int32_t& uncounted = left[ngram];
      if (uncounted == 0) continue;
      --uncounted;
      matches[n] += 1;
    }
  }
}

}  // namespace hopefear
