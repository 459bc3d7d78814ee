// Hiero rules for a sentence, from the occurrences of its patterns in a parallel text (Lopez 2007).
#pragma once

#include <variant>

#include "extraction/rule_collector.h"

namespace hopefear {

// A rule as text: words, and numbers of nonterminals from 1.
struct RuleSides {
  using Side = std::vector<std::variant<std::string, int>>;
  Side source, target;
};

class GrammarExtractor {  // thread-safe
 public:
  // Throws std::invalid_argument if an option is wrong.
  GrammarExtractor(std::shared_ptr<Bitext> bitext, ExtractionOptions options);

  // Rules with words that a grammar file cannot hold are left out. Throws std::invalid_argument for
  // more than Bitext::kLongest words.
  SentenceGrammar grammar(std::span<const std::string> tokens, const Exclusion& exclusion);
  Exclusion exclusion(std::vector<std::int64_t> sentences);
  // Leaves out one more sentence pair, as Exclusion::add does.
  void exclude(Exclusion& exclusion, std::int64_t sentence);
  // Leaves out rules of corrections, as Exclusion::withdraw does.
  void withdraw(Exclusion& exclusion, std::span<const RuleSides> rules);
  // How often the words of a sentence pair are linked in the text without the excluded pairs.
  LinkCounts link_counts(std::span<const std::string> source, std::span<const std::string> target,
                         const Exclusion& exclusion);
  // Adds a sentence pair to the text, as Bitext::add does.
  void add(std::span<const std::string_view> source, std::span<const std::string_view> target,
           std::span<const GivenLink> links);
  // Removes the sentence pairs from this number on. Exclusions of them, and other extractors of the
  // text, must not be used afterwards. Throws std::invalid_argument if there are not so many pairs,
  // or if it is none of the corrections.
  void cut(std::size_t sentences);

 private:
  void take_in();
  // Adds sentence pairs that another extractor has added to the text.
  void catch_up();
  // Adds the rules of a sentence of which it is known what the text gives.
  void add_known(const Visits& known, std::span<const Word> sentence, const Exclusion& exclusion,
                 RuleCollector& collector) const;

  std::shared_ptr<Bitext> bitext_;
  const ExtractionOptions options_;
  // Of the text before the corrections; sentences only if there can be some.
  std::unique_ptr<PatternCache> cache_;
  std::unique_ptr<KnownSentences> sentences_;
  std::vector<RuleScore> scores_;
  PhraseIndex source_index_;
  PhraseIndex corrections_index_;              // of the source side of corrections
  std::unique_ptr<PhraseIndex> target_index_;  // only if a feature uses it
  LexicalTable table_;
  LexicalTable corrections_;  // their links, which are in the table too
  std::size_t known_ = 0;     // sentence pairs in the table
};

}  // namespace hopefear
