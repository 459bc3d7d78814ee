// All patterns of a sentence, words with gaps between them, and where each occurs in a text.
#pragma once

#include <array>

#include "extraction/exclusion.h"
#include "extraction/suffix_array.h"

namespace hopefear {

struct ExtractionLimits {
  static constexpr int kMostNonterminals = 3;
  int max_symbols = 5;       // of a source side
  int max_nonterminals = 2;  // at most kMostNonterminals
  int max_span = 15;         // words on each side, at most 255
  int min_gap = 1;           // source words of a nonterminal
  bool tight = true;         // no unlinked words at the ends of phrases and gaps
  int samples = 300;         // occurrences that are looked at

  // Throws std::invalid_argument.
  void check() const;
};

// Some words, then a gap, then some words, ...
struct Pattern {
  std::vector<Word> words;
  std::vector<int> chunks;  // how many words stand together

  int gaps() const { return count_of(chunks) - 1; }
  int symbols() const { return count_of(words) + gaps(); }
};

struct Occurrence {
  std::int32_t begin;  // in the text
  // The offset of each chunk after the first one from `begin`.
  std::array<std::uint8_t, ExtractionLimits::kMostNonterminals> offsets;

  std::int32_t chunk(std::size_t k) const { return k == 0 ? begin : begin + offsets[k - 1]; }
};

// Where a pattern occurs, in the order of the text; those in a part of the text are left out.
class Occurrences {
 public:
  // Without [out_begin, out_end).
  Occurrences(std::span<const Occurrence> all, std::size_t out_begin, std::size_t out_end)
      : all_(all), out_begin_(out_begin), out_(out_end - out_begin) {}

  std::size_t size() const { return all_.size() - out_; }
  const Occurrence& operator[](std::size_t i) const { return all_[place(i)]; }
  // Of an occurrence in all().
  std::size_t place(std::size_t i) const { return i < out_begin_ ? i : i + out_; }
  std::span<const Occurrence> all() const { return all_; }
  std::size_t left_out() const { return out_; }

 private:
  std::span<const Occurrence> all_;
  std::size_t out_begin_, out_;
};

// Visits the patterns depth first, each once, and extends a pattern by one word at a time: the
// words next to its occurrences, or within reach after a gap, are read for all extensions together.
class PatternCache;

class PatternWalk {
 public:
  // A pattern that does not occur is not visited.
  using Visit = std::function<void(const Pattern&, const Occurrences&)>;

  // Occurrences in the parts `out` do not count. `cache` is null, or knows the text before a
  // position, of which at most one part is out.
  PatternWalk(const PhraseIndex& index, const ExtractionLimits& limits, const TextParts& out,
              PatternCache* cache);

  // Words that do not occur in the text have numbers below 0. A sentence has at most
  // Bitext::kLongest words.
  void walk(std::span<const Word> sentence, const Visit& visit);

 private:
  // Where a pattern stands in the sentence.
  struct Place {
    int begin, end;
    auto operator<=>(const Place&) const = default;
  };
  struct Child {
    std::vector<Place> places;
    std::vector<Occurrence> found;
    std::shared_ptr<const std::vector<Occurrence>> kept;  // by the cache; then `found` is empty
    bool wanted = false;                                  // whether `scan` is to find more
    std::span<const Occurrence> occurrences() const {
      return kept != nullptr ? std::span(*kept) : std::span(found);
    }
  };
  // Where a word stands in the text, and the first place from which a pattern may reach it.
  struct Reached {
    std::int32_t place, from;
  };
  // By the number of the word that is added.
  using Children = std::vector<Child>;

  // `ranges` is null for a pattern with gaps.
  void visit(const std::vector<Place>& places, std::span<const Occurrence> found,
             const PhraseIndex::Ranges* ranges);
  void look(std::span<const Occurrence> found, Children* next, Children* behind);
  void scan(std::span<const Occurrence> found, Children* next, Children* behind) const;
  void scan_one(const Occurrence& occurrence, Children* next, Children* behind) const;
  void scan_known(std::span<const Occurrence> found, Children* next, Children* behind);
  // Appends the occurrences with a word that is rarer than they are.
  void join(std::span<const Occurrence> found, std::span<const Reached> places, bool after_gap,
            std::vector<Occurrence>& out) const;
  std::vector<Reached> reached(std::vector<std::int32_t> places) const;
  std::vector<Occurrence> occurrences(const PhraseIndex::Ranges& ranges, int depth) const;
  void mark_words();
  std::uint64_t marks_from(std::int32_t place) const;

  const PhraseIndex& index_;
  const ExtractionLimits limits_;
  const TextParts& out_;
  PatternCache* const cache_;
  // What is left out of the text that the cache knows; lists have it nevertheless.
  TextParts::Part hole_;
  const Visit* visit_ = nullptr;
  Pattern pattern_;
  IdVector<Word, std::uint16_t> number_of_;      // in the sentence, by word; 0 for others
  std::vector<Word> words_;                      // by number
  IdVector<int, std::uint16_t> sentence_;        // numbers
  std::vector<PhraseIndex::Ranges> ranges_of_;   // of the words, by number
  std::vector<std::vector<Reached>> places_of_;  // in the cache's text, by number; of some words
  // A bit for each place of the text: whether a word of the sentence stands there, or the end of a
  // sentence of the text.
  IdVector<std::int32_t, std::uint64_t> marks_;
};

}  // namespace hopefear
