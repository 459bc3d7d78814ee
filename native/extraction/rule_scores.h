// Features of extracted rules: those of cdec's extractor, and those of Chiang (2007, section 4).
#pragma once

#include "extraction/exclusion.h"

namespace hopefear {

enum class RuleScore : std::uint8_t {
  kEgivenFCoherent,  // -log10(pairs / samples)
  kSampleCountF,     // log10(1 + samples)
  kCountEF,          // log10(1 + pairs)
  kMaxLexFgivenE,    // sum over source words of -log10 of the best p(f | e), 99 where all are 0
  kMaxLexEgivenF,    // the other way round
  kIsSingletonF,     // the source side has been extracted once
  kIsSingletonFE,    // the rule has been extracted once
  kLogProbEgivenF,   // ln(share / extractions)
  kLogProbFgivenE,   // ln(estimated pairs in all of the text / occurrences of the target side)
  kLogLexEgivenF,    // ln of the product over target words of the mean p(e | f) of their links
  kLogLexFgivenE,    // the other way round
  kPostEditSupport,  // a correction has given the rule
  kPostEditOnly,     // only corrections have given the rule, and the text has its source words
  kPostEditNew,      // the same where the text lacks one of its source words
  kPostEditShare,    // what corrections add to log10(pairs / samples), with a share of their own
};

// Throws std::invalid_argument for a name that is none of these without the k.
RuleScore rule_score(std::string_view name);

// What a rule has been counted as. Where corrections are apart, a rule of the text is counted in
// the text alone.
struct RuleCounts {
  std::span<const Word> source;    // words only
  std::span<const Symbol> target;  // words, and nonterminals
  std::span<const AlignmentPoint> alignment;
  // Which symbol of the source side each word is.
  std::span<const std::uint8_t> source_symbols;
  double pairs = 0;           // times the rule was extracted
  double share = 0;           // the same with occurrences shared among their target sides
  double extractions = 0;     // the shares of its source side
  double samples = 0;         // occurrences looked at
  double occurrences = 0;     // of the source pattern
  double target_matches = 0;  // occurrences of the target side's words, where it is wanted
  bool in_text = false;       // whether the links of corrections do not count either
  double text_pairs = 0;      // times the rule was extracted from the text, without corrections
  double corrected = 0;       // times a correction gave the rule
  double corrections = 0;     // times a correction gave a rule with its source side
};

class RuleScorer {
 public:
  // `corrections` has the links of the table that are in corrections.
  RuleScorer(const LexicalTable& table, const LexicalTable& corrections, const Exclusion& exclusion)
      : table_(table), corrections_(corrections), exclusion_(exclusion) {}

  double score(RuleScore which, const RuleCounts& rule);

 private:
  struct Lexical {
    double target_given_source = -1, source_given_target = -1;
  };
  // Of the text with corrections, and without.
  struct BothLexical {
    Lexical all, text;
  };

  const Lexical& lexical(Word source, Word target);
  // Of a word of the source side given one of the target side, or the other way round.
  double probability(Word word, Word given, bool of_source) {
    return of_source ? lexical(word, given).source_given_target
                     : lexical(given, word).target_given_source;
  }
  // Whether the text has all source words.
  bool knows(const RuleCounts& rule) const;
  // Sums over the words of one side.
  double max_lexical(const RuleCounts& rule, bool of_source);
  double mean_lexical(const RuleCounts& rule, bool of_source);

  const LexicalTable& table_;
  const LexicalTable& corrections_;
  const Exclusion& exclusion_;
  bool in_text_ = false;  // whether the rule's links are those of the text alone
  // What has been computed: the rules of a sentence have few different words.
  using Number = std::int32_t;
  // By number of the source and of the target word.
  IdVector<Number, IdVector<Number, BothLexical>> known_;
  IdVector<Word, Number> sources_, targets_;  // 1 + the number of a word, or 0
  std::int32_t target_words_ = 0;
};

}  // namespace hopefear
