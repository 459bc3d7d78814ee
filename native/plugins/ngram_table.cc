#include "plugins/ngram_table.h"

#include <mutex>

#include "base/feature_name.h"
#include "base/message.h"

namespace hopefear {
namespace {

constexpr char kBetweenTexts = '\n';

// The k-th of the joined texts.
std::string_view part(std::string_view joined, int k) {
  for (; k > 0; --k) joined.remove_prefix(joined.find(kBetweenTexts) + 1);
  return joined.substr(0, joined.find(kBetweenTexts));
}

}  // namespace

NgramTable::NgramTable(NgramOptions options, std::size_t texts, Numbering numbering)
    : options_(std::move(options)),
      texts_(texts),
      numbering_(std::move(numbering)),
      rows_(options_.order) {
  const int order = options_.order;
  expect(order >= 1 && order <= kMostUnits, "order must be 1 to ", kMostUnits, ", got ", order);
  if (options_.patterns.empty()) {
    options_.patterns.emplace_back(place_of(order), 0);
  }
  for (const std::vector<int>& pattern : options_.patterns) {
    const bool in_range =
        std::ranges::all_of(pattern, [&](int k) { return k >= 0 && std::cmp_less(k, texts); });
    expect(std::cmp_equal(pattern.size(), order) && in_range, "expected patterns with one of ",
           texts, " texts for each of ", order, " positions");
  }
  expect(options_.prefixes.empty() || std::cmp_equal(options_.prefixes.size(), order), "expected ",
         order, " prefixes, got ", options_.prefixes.size());
  begin_ = unit(std::vector<std::string_view>(texts, "<s>"));
  end_ = unit(std::vector<std::string_view>(texts, "</s>"));
}

std::int32_t NgramTable::unit(std::span<const std::string_view> texts) {
  expect(texts.size() == texts_, "expected ", texts_, " texts of a unit, got ", texts.size());
  std::string joined;
  for (const std::string_view text : texts) {
    if (const std::string_view fault = name_part_fault(text); !fault.empty())
      throw NameError(text, fault);
    if (!joined.empty()) joined += kBetweenTexts;
    joined += text;
  }
  const std::unique_lock lock(mutex_);
  return units_.intern(joined);
}

std::int32_t NgramTable::find(Ngram ngram, const double* weights, double& score) const {
  score = 0;
  const std::shared_lock lock(mutex_);
  const std::int32_t row = rows_.find(ngram);
  if (row == NgramIndex::kUnknown) return row;
  for (const FeatureId feature : features_[row]) score += weights[feature];
  return row;
}

std::int32_t NgramTable::row(Ngram ngram, const double* weights, double& score) {
  if (const std::int32_t known = find(ngram, weights, score); known != NgramIndex::kUnknown)
    return known;
  rows({&ngram, 1});
  return find(ngram, weights, score);
}

std::vector<FeatureId> NgramTable::features(std::size_t first) const {
  const std::shared_lock lock(mutex_);
  const auto known = std::span(features_.values).subspan(std::min(first, features_.values.size()));
  return {known.begin(), known.end()};
}

std::vector<std::int32_t> NgramTable::rows(std::span<const Ngram> ngrams) {
  std::vector<std::string> names;
  std::vector<std::size_t> names_begin{0};
  {
    const std::shared_lock lock(mutex_);
    for (const Ngram ngram : ngrams) {
      const std::vector<std::string> own = this->names(ngram);
      names.insert(names.end(), own.begin(), own.end());
      names_begin.push_back(names.size());
    }
  }
  const std::vector<FeatureId> numbers = numbering_(names);  // takes other locks
  assert(numbers.size() == names.size());
  std::vector<std::int32_t> rows;
  const std::unique_lock lock(mutex_);
  for (std::size_t i = 0; i < ngrams.size(); ++i) {
    const std::int32_t row = rows_.insert(ngrams[i]);
    rows.push_back(row);
    // Another thread may have added it meanwhile.
    if (row < features_.count()) continue;
    for (std::size_t j = names_begin[i]; j < names_begin[i + 1]; ++j) {
      if (numbers[j] >= 0) features_.values.push_back(numbers[j]);
    }
    features_.close();
  }
  return rows;
}

std::vector<std::string> NgramTable::names(Ngram ngram) const {
  std::vector<std::string> names;
  const auto add = [&](std::string name) {
    if (std::ranges::find(names, name) == names.end()) names.push_back(std::move(name));
  };
  for (const std::span<const int> pattern : options_.patterns) {
    if (options_.prefixes.empty()) {
      add(options_.prefix + name(ngram, pattern));
      continue;
    }
    if (ngram.back() == begin_) continue;  // nothing ends with <s>
    for (std::size_t length = 1; length <= ngram.size(); ++length) {
      const Ngram shorter = ngram.last(length);
      if (std::ranges::count(shorter, begin_) > options_.begins) break;
      add(options_.prefix + options_.prefixes[length - 1] + name(shorter, pattern.last(length)));
    }
  }
  return names;
}

std::string NgramTable::name(Ngram ngram, std::span<const int> pattern) const {
  std::string name;
  for (std::size_t i = 0; i < ngram.size(); ++i) {
    if (i > 0) name += options_.separator;
    name += part(units_.text(ngram[i]), pattern[i]);
  }
  return name;
}

}  // namespace hopefear
