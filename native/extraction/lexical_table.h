// Counts of links between words: word translation probabilities by relative frequency, as in cdec's
// extractor. A word without a link is linked to the empty word.
#pragma once

#include "base/key_index.h"
#include "extraction/bitext.h"
#include "grammar/grammar.h"

namespace hopefear {

class LexicalTable {
 public:
  static constexpr Word kNull = 0;  // the empty word

  void add(const Bitext& bitext, std::size_t sentence) { change(bitext, sentence, 1); }
  void remove(const Bitext& bitext, std::size_t sentence) { change(bitext, sentence, -1); }
  void add(Word source, Word target) { change(source, target, 1); }  // a link

  std::int32_t pair(Word source, Word target) const {
    const std::int32_t number = pairs_.find(key(source, target));
    return number == KeyIndex::kUnknown ? 0 : counts_[number];
  }
  std::int32_t source(Word word) const { return at(sources_, word); }
  std::int32_t target(Word word) const { return at(targets_, word); }

 private:
  void change(const Bitext& bitext, std::size_t sentence, std::int32_t by);
  void change(Word source, Word target, std::int32_t by);
  static std::int64_t key(Word source, Word target) { return KeyIndex::pair(source, target); }
  using Counts = IdVector<std::int32_t, std::int32_t>;
  static std::int32_t at(const Counts& counts, Word word) {
    return counts.has(word) ? counts[word] : 0;
  }

  KeyIndex pairs_;
  Counts counts_;             // by number of the pair
  Counts sources_, targets_;  // by word
};

// How often the words of one sentence pair are linked: in a parallel text, or in the rules of a
// grammar. What the alignment of the pair is found from.
struct LinkCounts {
  // A row a source word and a column a target word, the empty word last on either side.
  std::vector<double> pairs;
  // All links of each word, the empty word last.
  std::vector<double> sources, targets;
};

// Of words whose numbers are those of the table; words that it does not know may have numbers below
// 0. The links of `out` do not count.
LinkCounts link_counts(const LexicalTable& table, const LexicalTable& out,
                       std::span<const Word> source, std::span<const Word> target);

// Adds the links within the rules of a grammar, by the numbers of its vocabulary. A word of a rule
// without a link counts as linked to the empty word.
void add_links(const Grammar& grammar, LexicalTable& table);

// The numbers of words, below 0 where they are unknown.
std::vector<Word> numbers_of(const Interner& known, std::span<const std::string> words);

}  // namespace hopefear
