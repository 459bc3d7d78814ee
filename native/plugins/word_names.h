// Feature names made of one or two words. A word has one text for each type.
#pragma once

#include <deque>
#include <mutex>

#include "base/key_index.h"
#include "base/weights.h"

namespace hopefear {

// Words numbered from 0, each with one text for each type. Thread-safe; a text never moves.
class WordTexts {
 public:
  explicit WordTexts(std::size_t types) : types_(types) {}

  std::size_t types() const { return types_; }
  std::int32_t size() const;
  // Adds words of types() texts each.
  void add(const std::vector<std::string>& texts);
  // Throws std::out_of_range if the word is unknown.
  std::string_view text(std::int32_t word, std::size_t type) const;

 private:
  std::size_t types_;
  mutable std::shared_mutex mutex_;
  std::deque<std::string> texts_;
};

// How the names of a kind are written: prefix, a text of the first word, separator, a text of the
// second word. The patterns define which types of the two words are combined.
struct NameForm {
  using Pattern = std::pair<std::uint32_t, std::uint32_t>;  // types of the two words

  std::string prefix, separator;
  bool first, second;  // whether the names have the word
  std::vector<Pattern> patterns;
};

// A sequence of names that only grows; a name's text is made when it is read. Thread-safe.
class WordNames {
 public:
  static constexpr unsigned kWordBits = 27;

  // Throws std::invalid_argument if a pattern has a type that the words do not have.
  WordNames(std::vector<NameForm> forms, std::shared_ptr<const WordTexts> first,
            std::shared_ptr<const WordTexts> second);

  using Columns = IdRows<std::int32_t, std::int32_t>;
  // The names of keys, each of a form and two words: one name for each pattern of the form, equal
  // names once. Throws std::out_of_range if there is no such form.
  Columns columns(std::span<const std::int64_t> keys);

  std::size_t size() const;
  std::string name(std::size_t i) const;
  std::vector<FeatureId> intern(Weights& weights, std::size_t begin, std::size_t end) const;

 private:
  struct Name {
    std::int32_t row;  // of the key
    std::uint32_t pattern;
  };

  const NameForm& form_of(std::int64_t key) const;
  void append(std::int64_t key, std::size_t pattern, std::string& out) const;
  void add_names(std::int64_t key);

  const std::vector<NameForm> forms_;
  const std::shared_ptr<const WordTexts> first_, second_;
  bool one_each_ = true;  // whether each key has one name
  mutable std::mutex mutex_;
  KeyIndex keys_;
  IdRows<std::int32_t, Name> names_;  // of each row
};

}  // namespace hopefear
