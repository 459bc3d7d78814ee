// From occurrences of source patterns to a grammar: counts, selects and scores rules.
#pragma once

#include <map>

#include "extraction/known_sentences.h"
#include "extraction/pattern_count.h"
#include "extraction/rule_scores.h"
#include "grammar/sentence_grammar.h"

namespace hopefear {

struct ExtractionOptions {
  ExtractionLimits limits;
  std::vector<std::string> features;
  int top = 0;  // rules of a source side that are kept, those extracted most often; 0 for all
  // Sentence pairs from this number on are corrections: `samples` of their occurrences are looked
  // at beside those of the text.
  std::size_t corrections_from = std::numeric_limits<std::size_t>::max();
  // Whether the rules of the text are those without corrections, and keep their features.
  bool corrections_apart = false;

  // Throws std::invalid_argument.
  void check() const;
};

class RuleCollector {
 public:
  // `target_index` is null if no score uses it. `cache` is null, or knows the text before the
  // corrections.
  RuleCollector(const Bitext& bitext, const ExtractionOptions& options,
                std::span<const RuleScore> scores, RuleScorer& scorer,
                const PhraseIndex* target_index, const Exclusion& exclusion, PatternCache* cache);

  // Adds the rules of a pattern that occurs at `found`.
  void add(const Pattern& pattern, const Occurrences& found);
  // The same in two steps: what the text gives, and then the rules, also of `corrections`.
  TextPart text_part(const Pattern& pattern, const Occurrences& found);
  void add(const Pattern& pattern, const TextPart& text, std::span<const Occurrence> corrections);
  // Those in the corrections.
  std::span<const Occurrence> corrections(const Occurrences& found) const;
  // Returns the grammar; no more patterns may be added.
  SentenceGrammar finish();

 private:
  // Pairs order_[begin, end) are one rule; its alignment is that of order_[aligned].
  struct Counted {
    std::size_t begin, end, aligned;
    std::size_t pairs = 0, text_pairs = 0;  // of the text with corrections, and without
    double share = 0, text_share = 0;
  };

  // How many of the occurrences are in the text itself, before the corrections.
  std::size_t in_text(const Occurrences& found) const;
  std::size_t sampled(std::size_t in_text) const;
  // Finds what the sampled occurrences of those in the text give; in pairs_ if it returns null.
  PatternCache::Pairs read_text(const Pattern& pattern, const Occurrences& found,
                                std::size_t in_text);
  // Adds the rules of pairs_, which the text gives, and of corrections.
  void add_rules(const Pattern& pattern, std::size_t in_text,
                 std::span<const Occurrence> corrections);
  // Reads what each occurrence gives.
  PatternCache::Given read_each(const Pattern& pattern, std::span<const Occurrence> found);
  // Those of pairs_ that are alike once, in order; calls `each` with the number of the pair among
  // them for each of order_.
  PhrasePairs distinct(const auto& each);
  const PhrasePairs::Pair& pair(std::size_t i) const { return pairs_.pairs[order_[i]]; }
  // Removes what corrections give of rules that are withdrawn.
  void remove_withdrawn(const Pattern& pattern);
  // Appends the source side of a pair: words of the text, and nonterminals.
  static void source_side(const Pattern& pattern, int ends, std::vector<Symbol>& out);
  // Orders all pairs by their ends, target sides and alignments.
  void sort();
  bool before(std::uint32_t a, std::uint32_t b) const;
  bool alignment_before(const PhrasePairs::Pair& left, const PhrasePairs::Pair& right) const;
  bool alike(const PhrasePairs::Pair& left, const PhrasePairs::Pair& right) const;
  // The rule that begins at order_[i]; of its alignments the most frequent, the first of these.
  Counted count(std::size_t i, std::size_t stop) const;
  bool in_text(const Counted& rule) const { return text_only_ && rule.text_pairs > 0; }
  // Keeps the rules that were extracted most often: those of the text apart from the others.
  void keep_top();
  bool can_be_written(const Counted& rule) const;
  // Orders rules by their target sides, whatever numbers the words have.
  bool text_before(const Counted& a, const Counted& b) const;

  // How often a pattern was looked at, and how often there is one.
  struct Seen {
    double samples, occurrences;
  };
  void add_source_side(const Pattern& pattern, std::size_t begin, std::size_t end, Seen all,
                       Seen text);
  void add_source(const Pattern& pattern, int ends, SentenceGrammar::Item& item);
  void add_rule(const Counted& rule, RuleCounts& counts, SentenceGrammar::Item item);
  // Of a target word, or of minus a source word.
  Symbol symbol(std::int64_t word) { return words_.insert(word) + 1; }
  // Nonterminals at the ends match anything.
  const OccurrenceCount& target_matches(std::span<const Symbol> target);

  const Bitext& bitext_;
  const ExtractionOptions& options_;
  const std::span<const RuleScore> scores_;
  RuleScorer& scorer_;
  const PhraseIndex* const target_index_;
  const Exclusion& exclusion_;
  PatternCache* const cache_;
  PhrasePairReader reader_;
  std::vector<Occurrence> sample_;
  PhrasePairs pairs_;
  std::vector<std::uint32_t> order_;
  std::size_t text_pairs_ = 0;  // the first of pairs_, which are not from corrections
  bool text_only_ = false;      // whether corrections are apart, and there are some
  std::vector<Counted> rules_;
  std::vector<std::uint8_t> source_symbols_;
  std::map<std::vector<Symbol>, OccurrenceCount> target_matches_;
  KeyIndex words_{1024};
  SentenceGrammar grammar_;
};

}  // namespace hopefear
