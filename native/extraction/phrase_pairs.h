// The rules of one occurrence of a source pattern (Chiang 2007, section 3), as in cdec's extractor.
//
// An occurrence has one phrase pair: its words, and the target words linked to these words and to
// its gaps. If the target words are also linked to source words outside the occurrence, those
// source words become a nonterminal. Further rules have one more nonterminal at the left, at the
// right and at both sides: the smallest that gives a phrase pair. Nonterminals must be phrase pairs
// too.
#pragma once

#include "extraction/pattern_walk.h"

namespace hopefear {

// Rules of one source pattern, some of them alike.
struct PhrasePairs {
  // Which nonterminals a source side has beside the pattern's gaps.
  enum Ends : std::uint8_t { kLeft = 1, kRight = 2 };
  struct Pair {
    std::uint8_t ends;
    std::uint8_t symbols;  // how many
    std::uint16_t points;  // at most as many as there are pairs of 255 words a side
    std::uint32_t first_symbol, first_point;
    std::uint32_t count;  // of pairs that are alike
    double share;  // of their occurrences: an occurrence's target side may end in several places
  };
  std::vector<Pair> pairs;
  std::vector<Symbol> symbols;  // of target sides: words, or minus the index of the nonterminal
  std::vector<AlignmentPoint> points;
  std::vector<std::uint32_t> ends;  // of the pairs that each occurrence has given

  std::span<const Symbol> target(const Pair& pair) const {
    return {symbols.data() + pair.first_symbol, pair.symbols};
  }
  std::span<const AlignmentPoint> alignment(const Pair& pair) const {
    return {points.data() + pair.first_point, pair.points};
  }
  void clear() {
    pairs.clear();
    symbols.clear();
    points.clear();
    ends.clear();
  }
};

class PhrasePairReader {
 public:
  PhrasePairReader(const Bitext& bitext, const ExtractionLimits& limits)
      : bitext_(bitext), limits_(limits) {}

  // Appends what each of the occurrences gives.
  void read(const Pattern& pattern, std::span<const Occurrence> occurrences, PhrasePairs& out);

 private:
  // Words [begin, end) of a sentence; empty where nothing is linked.
  struct Span {
    int begin, end;
    int size() const { return end - begin; }
    bool operator==(const Span&) const = default;
  };
  struct Gap {
    Span source, target;
  };

  bool linked(int source_word) const { return source_[source_word].linked(); }
  // From the first to the last word of the other side that words are linked to.
  static Span linked_span(const LinkedSpan* words, Span span);
  Span target_of(Span source) const { return linked_span(source_, source); }
  Span source_of(Span target) const { return linked_span(target_, target); }
  // The target span of a gap, empty where it is no phrase pair.
  Span gap_target(Span source) const;
  bool tight(Span source) const {
    return !limits_.tight || (linked(source.begin) && linked(source.end - 1));
  }

  void fetch_source(const Occurrence& occurrence) const;
  void fetch_sentence(const Occurrence& occurrence) const;
  void fetch_target(const Occurrence& occurrence, std::size_t sentence) const;
  void read_one(const Occurrence& occurrence, std::size_t sentence);
  bool read_gaps();
  bool widen_to_phrase();
  void add_ends(bool left, bool right);
  void add(Span target, std::vector<Gap>& gaps, int ends);
  void add_loose(Span target, std::vector<Gap>& gaps, int ends);
  void add_pair(Span target, const std::vector<Gap>& gaps, int ends);

  const Bitext& bitext_;
  const ExtractionLimits limits_;

  std::vector<std::uint32_t> sentences_;  // of the occurrences
  // the sentence
  std::size_t sentence_ = 0;
  const LinkedSpan* source_ = nullptr;
  const LinkedSpan* target_ = nullptr;
  int source_length_ = 0, target_length_ = 0;
  // the occurrence
  const Pattern* pattern_ = nullptr;
  std::vector<int> chunks_;  // where they begin in the sentence
  Span words_{};             // from its first to its last word
  std::vector<Gap> gaps_;    // within it, and at an end where the phrase pair wants one
  std::vector<Gap> more_gaps_;
  Span phrase_{};  // the source side of the phrase pair
  Span phrase_target_{};
  int ends_ = 0;
  PhrasePairs* out_ = nullptr;
};

}  // namespace hopefear
