#include "plugins/pair_names.h"

#include <algorithm>
#include <stdexcept>

namespace hopefear {

std::int32_t WordTexts::size() const {
  const std::shared_lock lock(mutex_);
  return static_cast<std::int32_t>(texts_.size() / types_);
}

void WordTexts::add(const std::vector<std::string>& texts) {
  if (texts.size() % types_ != 0)
    throw std::invalid_argument("expected one text for each type, got " +
                                std::to_string(texts.size()) + " texts for " +
                                std::to_string(types_) + " types");
  const std::unique_lock lock(mutex_);
  texts_.insert(texts_.end(), texts.begin(), texts.end());
}

std::string_view WordTexts::text(std::int32_t word, std::size_t type) const {
  const std::shared_lock lock(mutex_);
  if (word < 0)
    throw std::out_of_range("expected the number of a known word, got " + std::to_string(word));
  return texts_.at(static_cast<std::size_t>(word) * types_ + type);
}

PairNames::PairNames(std::string prefix, std::string separator,
                     std::shared_ptr<const WordTexts> first,
                     std::shared_ptr<const WordTexts> second, std::vector<Pattern> patterns)
    : prefix_(std::move(prefix)),
      separator_(std::move(separator)),
      first_(std::move(first)),
      second_(std::move(second)),
      patterns_(std::move(patterns)) {
  for (const auto& [one, other] : patterns_) {
    if (one >= first_->types() || other >= second_->types())
      throw std::invalid_argument("expected patterns with types of the words' texts, got " +
                                  std::to_string(one) + " and " + std::to_string(other));
  }
}

PairNames::Columns PairNames::columns(std::span<const std::int64_t> keys) {
  Columns answer;
  answer.indptr.reserve(keys.size() + 1);
  answer.columns.reserve(keys.size() * patterns_.size());
  const std::lock_guard lock(mutex_);
  const bool one_each = patterns_.size() == 1;  // so that names and keys have the same numbers
  for (std::size_t i = 0; i < keys.size(); ++i) {
    keys_.prefetch(keys, i);
    const std::int64_t key = keys[i];
    std::int32_t row = keys_.find(key);
    if (row == KeyIndex::kUnknown) {
      add_names(key);
      row = keys_.insert(key);
    }
    const auto r = static_cast<std::size_t>(row);
    const std::int32_t begin = one_each ? row : begin_[r], end = one_each ? row + 1 : begin_[r + 1];
    for (std::int32_t name = begin; name < end; ++name) answer.columns.push_back(name);
    answer.indptr.push_back(static_cast<std::int32_t>(answer.columns.size()));
  }
  return answer;
}

std::size_t PairNames::size() const {
  const std::lock_guard lock(mutex_);
  return names_.size();
}

std::string PairNames::name(std::size_t i) const {
  const std::lock_guard lock(mutex_);
  const Name& name = names_.at(i);
  std::string out;
  append(keys_.key(name.row), patterns_[name.pattern], out);
  return out;
}

std::vector<FeatureId> PairNames::intern(Weights& weights, std::size_t begin,
                                         std::size_t end) const {
  std::string text;
  std::vector<std::size_t> ends;
  {
    const std::lock_guard lock(mutex_);
    ends.reserve(end - begin);
    for (std::size_t i = begin; i < end; ++i) {
      const Name& name = names_.at(i);
      append(keys_.key(name.row), patterns_[name.pattern], text);
      ends.push_back(text.size());
    }
  }
  std::vector<std::string_view> views;
  views.reserve(ends.size());
  std::size_t first = 0;
  for (const std::size_t last : ends) {
    views.push_back(std::string_view(text).substr(first, last - first));
    first = last;
  }
  return weights.intern_all(views);
}

void PairNames::append(std::int64_t key, const Pattern& pattern, std::string& out) const {
  out += prefix_;
  out += first_->text(static_cast<std::int32_t>(key >> 32), pattern.first);
  out += separator_;
  out += second_->text(static_cast<std::int32_t>(key & 0xffffffff), pattern.second);
}

void PairNames::add_names(std::int64_t key) {
  std::vector<std::string> texts;
  const std::int32_t row = keys_.size();
  for (std::uint32_t pattern = 0; pattern < patterns_.size(); ++pattern) {
    std::string text;
    append(key, patterns_[pattern], text);
    if (std::ranges::find(texts, text) != texts.end()) continue;
    texts.push_back(std::move(text));
    names_.push_back({row, pattern});
  }
  begin_.push_back(static_cast<std::int32_t>(names_.size()));
}

}  // namespace hopefear
