// What an extraction leaves out: sentence pairs, as if the text had never had them, and rules of
// corrections.
#pragma once

#include "extraction/lexical_table.h"
#include "extraction/withdrawn_rules.h"

namespace hopefear {

// Parts of one side's text.
class TextParts {
 public:
  struct Part {
    std::int32_t begin = 0, end = 0;
    bool empty() const { return begin == end; }
  };

  // A part must not overlap with another; adding from left to right is fastest.
  void add(std::int32_t begin, std::int32_t end);
  // Removes the positions that are in these parts. `positions` are in ascending order, those before
  // `from` stay.
  void remove_from(std::vector<std::int32_t>& positions, std::int32_t from = 0) const;

  bool empty() const { return parts_.empty(); }
  // Those that begin before a position.
  std::span<const Part> before(std::int32_t position) const;

 private:
  std::vector<Part> parts_;  // from left to right, none next to another
};

class Exclusion {
 public:
  Exclusion() = default;  // nothing is left out
  // Sentence pairs from `corrections_from` on are corrections. Throws std::invalid_argument where
  // there is no such pair.
  Exclusion(const Bitext& bitext, std::vector<std::int64_t> sentences,
            std::size_t corrections_from);

  // Leaves out one more, which has not been left out yet.
  void add(const Bitext& bitext, std::int64_t sentence, std::size_t corrections_from);
  // Leaves out these rules where a correction gives them, and no others that were withdrawn.
  void withdraw(WithdrawnRules rules) { withdrawn_ = std::move(rules); }

  const TextParts& source() const { return source_; }
  const TextParts& target() const { return target_; }
  // The links of these pairs.
  const LexicalTable& links() const { return links_; }
  // Of those that are no corrections.
  const LexicalTable& links_of_text() const { return links_of_text_; }
  const WithdrawnRules& withdrawn() const { return withdrawn_; }

 private:
  TextParts source_, target_;
  LexicalTable links_, links_of_text_;
  WithdrawnRules withdrawn_;
};

}  // namespace hopefear
