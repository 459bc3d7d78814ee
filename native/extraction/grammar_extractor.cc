#include "extraction/grammar_extractor.h"

#include <algorithm>

namespace hopefear {
namespace {

constexpr std::size_t kCacheBytes = std::size_t{256} << 20;

}  // namespace

GrammarExtractor::GrammarExtractor(std::shared_ptr<Bitext> bitext, ExtractionOptions options)
    : bitext_(std::move(bitext)),
      options_(std::move(options)),
      source_index_(bitext_->source),
      corrections_index_(bitext_->source, options_.corrections_from) {
  options_.check();
  const std::shared_lock lock(bitext_->mutex);
  for (const std::string& name : options_.features) scores_.push_back(rule_score(name));
  if (std::ranges::find(scores_, RuleScore::kLogProbFgivenE) != scores_.end()) {
    target_index_ = std::make_unique<PhraseIndex>(bitext_->target);
  }
  take_in();
}

void GrammarExtractor::take_in() {
  source_index_.update();
  corrections_index_.update();
  if (target_index_) target_index_->update();
  // Corrections do not change what is known of the text.
  const std::size_t text = std::min(options_.corrections_from, bitext_->size());
  const std::int32_t end = bitext_->source.begin[text];
  if (cache_ == nullptr || cache_->end() != end) {
    cache_ = text > 0 ? std::make_unique<PatternCache>(end, kCacheBytes) : nullptr;
    sentences_ = text > 0 && text == options_.corrections_from ? std::make_unique<KnownSentences>()
                                                               : nullptr;
  }
  for (; known_ < bitext_->size(); ++known_) {
    table_.add(*bitext_, known_);
    if (known_ >= options_.corrections_from) corrections_.add(*bitext_, known_);
  }
}

void GrammarExtractor::catch_up() {
  {
    const std::shared_lock lock(bitext_->mutex);
    if (known_ == bitext_->size()) return;
  }
  const std::unique_lock lock(bitext_->mutex);
  take_in();
}

void GrammarExtractor::add(std::span<const std::string_view> source,
                           std::span<const std::string_view> target,
                           std::span<const GivenLink> links) {
  const std::unique_lock lock(bitext_->mutex);
  bitext_->add(source, target, links);
  take_in();
}

void GrammarExtractor::cut(std::size_t sentences) {
  const std::unique_lock lock(bitext_->mutex);
  take_in();
  expect(sentences <= bitext_->size() && sentences >= options_.corrections_from,
         "expected a number of sentence pairs up to ", bitext_->size(),
         ", not fewer than those before the corrections, got ", sentences);
  while (known_ > sentences) {  // corrections, all of them
    table_.remove(*bitext_, --known_);
    corrections_.remove(*bitext_, known_);
  }
  source_index_.cut(sentences);
  corrections_index_.cut(sentences);
  if (target_index_) target_index_->cut(sentences);
  bitext_->cut(sentences);
  take_in();
}

Exclusion GrammarExtractor::exclusion(std::vector<std::int64_t> sentences) {
  catch_up();
  const std::shared_lock lock(bitext_->mutex);
  return Exclusion(*bitext_, std::move(sentences), options_.corrections_from);
}

void GrammarExtractor::exclude(Exclusion& exclusion, std::int64_t sentence) {
  catch_up();
  const std::shared_lock lock(bitext_->mutex);
  exclusion.add(*bitext_, sentence, options_.corrections_from);
}

void GrammarExtractor::withdraw(Exclusion& exclusion, std::span<const RuleSides> rules) {
  const std::unique_lock lock(bitext_->mutex);
  const auto symbols = [](BitextSide& side, const RuleSides::Side& given) {
    std::vector<Symbol> out;
    for (const auto& symbol : given) {
      const auto* word = std::get_if<std::string>(&symbol);
      // A correction that is still to come may have a word that no sentence has now.
      out.push_back(word != nullptr ? side.words.intern(*word) : 1 - std::get<int>(symbol));
    }
    return out;
  };
  std::vector<WithdrawnRules::Rule> known;
  for (const RuleSides& rule : rules) {
    known.push_back({symbols(bitext_->source, rule.source), symbols(bitext_->target, rule.target)});
  }
  exclusion.withdraw(WithdrawnRules(std::move(known)));
}

LinkCounts GrammarExtractor::link_counts(std::span<const std::string> source,
                                         std::span<const std::string> target,
                                         const Exclusion& exclusion) {
  catch_up();
  const std::shared_lock lock(bitext_->mutex);
  return hopefear::link_counts(table_, exclusion.links(), numbers_of(bitext_->source.words, source),
                               numbers_of(bitext_->target.words, target));
}

void GrammarExtractor::add_known(const Visits& known, std::span<const Word> sentence,
                                 const Exclusion& exclusion, RuleCollector& collector) const {
  const WalkOrder order(sentence);
  auto text = known.begin();
  const auto add = [&](const Visited& visited, std::span<const Occurrence> corrections) {
    collector.add(visited.pattern, visited.text, corrections);
  };
  PatternWalk walk(corrections_index_, options_.limits, exclusion.source(), nullptr);
  walk.walk(sentence, [&](const Pattern& pattern, const Occurrences& found) {
    while (text != known.end() && order.before(text->pattern, pattern)) add(*text++, {});
    if (text != known.end() && !order.before(pattern, text->pattern)) {
      add(*text++, found.all());
    } else {
      collector.add(pattern, TextPart{}, found.all());
    }
  });
  while (text != known.end()) add(*text++, {});
}

SentenceGrammar GrammarExtractor::grammar(std::span<const std::string> tokens,
                                          const Exclusion& exclusion) {
  if (tokens.size() > Bitext::kLongest)
    throw std::invalid_argument(Bitext::too_long(tokens.size()));
  catch_up();
  const std::shared_lock lock(bitext_->mutex);
  std::vector<Word> words;
  for (const std::string& token : tokens) {
    words.push_back(can_be_written(token) ? bitext_->source.words.find(token) : Interner::kUnknown);
  }
  RuleScorer scorer(table_, corrections_, exclusion);
  PatternCache* cache = cache_.get();
  const auto out = exclusion.source().before(cache == nullptr ? 0 : cache->end()).size();
  if (out > 1) cache = nullptr;
  RuleCollector collector(*bitext_, options_, scores_, scorer, target_index_.get(), exclusion,
                          cache);
  KnownSentences* const sentences = out == 0 ? sentences_.get() : nullptr;
  if (sentences != nullptr) {
    if (const KnownSentences::Known known = sentences->find(tokens)) {
      add_known(*known, words, exclusion, collector);
      return collector.finish();
    }
  }
  auto visits = std::make_shared<Visits>();
  PatternWalk walk(source_index_, options_.limits, exclusion.source(), cache);
  walk.walk(words, [&](const Pattern& pattern, const Occurrences& found) {
    if (sentences == nullptr) {
      collector.add(pattern, found);
    } else {
      const TextPart text = collector.text_part(pattern, found);
      collector.add(pattern, text, collector.corrections(found));
      if (text.occurrences > 0) visits->push_back({pattern, text});
    }
  });
  if (sentences != nullptr) sentences->keep(tokens, std::move(visits));
  return collector.finish();
}

}  // namespace hopefear
