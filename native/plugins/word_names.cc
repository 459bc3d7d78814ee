#include "plugins/word_names.h"

#include <algorithm>

#include "base/message.h"

namespace hopefear {

std::int32_t WordTexts::size() const {
  const std::shared_lock lock(mutex_);
  return static_cast<std::int32_t>(texts_.size() / types_);
}

void WordTexts::add(const std::vector<std::string>& texts) {
  expect(texts.size() % types_ == 0, "expected one text for each type, got ", texts.size(),
         " texts for ", types_, " types");
  const std::unique_lock lock(mutex_);
  texts_.insert(texts_.end(), texts.begin(), texts.end());
}

std::string_view WordTexts::text(std::int32_t word, std::size_t type) const {
  const std::shared_lock lock(mutex_);
  if (word < 0) throw std::out_of_range(concat("expected the number of a known word, got ", word));
  return texts_.at(place_of(word) * types_ + type);
}

WordNames::WordNames(std::vector<NameForm> forms, std::shared_ptr<const WordTexts> first,
                     std::shared_ptr<const WordTexts> second)
    : forms_(std::move(forms)), first_(std::move(first)), second_(std::move(second)) {
  for (const NameForm& form : forms_) {
    one_each_ &= form.patterns.size() == 1;
    for (const auto& [one, other] : form.patterns) {
      expect((!form.first || one < first_->types()) && (!form.second || other < second_->types()),
             "expected patterns with types of the words' texts, got ", one, " and ", other);
    }
  }
}

WordNames::Columns WordNames::columns(std::span<const std::int64_t> keys) {
  Columns answer;
  answer.begin.reserve(keys.size() + 1);
  answer.values.reserve(keys.size());
  const std::lock_guard lock(mutex_);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    keys_.prefetch(keys, i);
    const std::int64_t key = keys[i];
    std::int32_t row = keys_.find(key);
    if (row == KeyIndex::kUnknown) {
      add_names(key);
      row = keys_.insert(key);
    }
    if (one_each_) {  // names and keys have the same numbers
      answer.values.push_back(row);
    } else {
      for (const std::int32_t n : names_.places(row)) answer.values.push_back(n);
    }
    answer.close();
  }
  return answer;
}

std::size_t WordNames::size() const {
  const std::lock_guard lock(mutex_);
  return names_.values.size();
}

std::string WordNames::name(std::size_t i) const {
  const std::lock_guard lock(mutex_);
  const Name& name = names_.values.at(i);
  std::string out;
  append(keys_.key(name.row), name.pattern, out);
  return out;
}

std::vector<FeatureId> WordNames::intern(Weights& weights, std::size_t begin,
                                         std::size_t end) const {
  std::string text;
  std::vector<std::size_t> ends;
  {
    const std::lock_guard lock(mutex_);
    ends.reserve(end - begin);
    for (std::size_t i = begin; i < end; ++i) {
      const Name& name = names_.values.at(i);
      append(keys_.key(name.row), name.pattern, text);
      ends.push_back(text.size());
    }
  }
  return weights.intern_all(text, ends);
}

const NameForm& WordNames::form_of(std::int64_t key) const {
  return forms_.at(static_cast<std::size_t>(key >> 2 * kWordBits));
}

void WordNames::append(std::int64_t key, std::size_t pattern, std::string& out) const {
  constexpr std::int64_t kWord = (std::int64_t{1} << kWordBits) - 1;
  const NameForm& form = form_of(key);
  const auto& [first, second] = form.patterns[pattern];
  out += form.prefix;
  if (form.first) out += first_->text(static_cast<std::int32_t>(key >> kWordBits & kWord), first);
  out += form.separator;
  if (form.second) out += second_->text(static_cast<std::int32_t>(key & kWord), second);
}

void WordNames::add_names(std::int64_t key) {
  const NameForm& form = form_of(key);
  const std::int32_t row = keys_.size();
  std::vector<std::string> texts;
  for (std::uint32_t pattern = 0; pattern < form.patterns.size(); ++pattern) {
    std::string text;
    append(key, pattern, text);  // throws if there is no such word
    if (std::ranges::find(texts, text) != texts.end()) continue;
    texts.push_back(std::move(text));
    names_.values.push_back({row, pattern});
  }
  names_.close();
}

}  // namespace hopefear
