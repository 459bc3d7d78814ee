#include "extraction/lexical_table.h"

namespace hopefear {
namespace {

void increase(IdVector<std::int32_t, std::int32_t>& counts, std::int32_t i, std::int32_t by) {
  if (!counts.has(i)) counts.resize(i + i / 2 + 1);
  counts[i] += by;
}

std::vector<Word> with_empty_word(std::span<const Word> words) {
  std::vector<Word> out(words.begin(), words.end());
  out.push_back(LexicalTable::kNull);
  return out;
}

}  // namespace

void LexicalTable::change(Word source, Word target, std::int32_t by) {
  increase(counts_, pairs_.insert(key(source, target)), by);
  increase(sources_, source, by);
  increase(targets_, target, by);
}

void LexicalTable::change(const Bitext& bitext, std::size_t sentence, std::int32_t by) {
  const std::int32_t f = bitext.source.begin[sentence], e = bitext.target.begin[sentence];
  for (const Link link : bitext.links_of(sentence)) {
    change(bitext.source.text[f + link.source], bitext.target.text[e + link.target], by);
  }
  for (std::int32_t i = f; bitext.source.text[i] != BitextSide::kEnd; ++i) {
    if (!bitext.source.linked[i].linked()) change(bitext.source.text[i], kNull, by);
  }
  for (std::int32_t j = e; bitext.target.text[j] != BitextSide::kEnd; ++j) {
    if (!bitext.target.linked[j].linked()) change(kNull, bitext.target.text[j], by);
  }
}

LinkCounts link_counts(const LexicalTable& table, const LexicalTable& out,
                       std::span<const Word> source, std::span<const Word> target) {
  const std::vector<Word> rows = with_empty_word(source), columns = with_empty_word(target);
  LinkCounts counts;
  counts.pairs.reserve(rows.size() * columns.size());
  for (const Word f : rows) {
    counts.sources.push_back(f < 0 ? 0 : table.source(f) - out.source(f));
    for (const Word e : columns)
      counts.pairs.push_back(f < 0 || e < 0 ? 0 : table.pair(f, e) - out.pair(f, e));
  }
  for (const Word e : columns) {
    counts.targets.push_back(e < 0 ? 0 : table.target(e) - out.target(e));
  }
  return counts;
}

void add_links(const Grammar& grammar, LexicalTable& table) {
  std::vector<Symbol> source;
  std::vector<bool> source_linked, target_linked;
  for (std::uint32_t id = 0; id < grammar.size(); ++id) {
    const Rule rule = grammar.rule(id);
    grammar.source(id, source);
    source_linked.assign(source.size(), false);
    target_linked.assign(rule.target.size(), false);
    for (const AlignmentPoint point : rule.alignment) {
      if (point.source >= source.size() || point.target >= rule.target.size()) continue;
      const Symbol f = source[point.source], e = rule.target[point.target];
      if (f <= 0 || e <= 0) continue;  // of nonterminals
      table.add(f, e);
      source_linked[point.source] = target_linked[point.target] = true;
    }
    for (std::size_t i = 0; i < source.size(); ++i) {
      if (source[i] > 0 && !source_linked[i]) table.add(source[i], LexicalTable::kNull);
    }
    for (std::size_t j = 0; j < rule.target.size(); ++j) {
      if (rule.target[j] > 0 && !target_linked[j]) table.add(LexicalTable::kNull, rule.target[j]);
    }
  }
}

std::vector<Word> numbers_of(const Interner& known, std::span<const std::string> words) {
  std::vector<Word> numbers;
  for (const std::string& word : words) numbers.push_back(known.find(word));
  return numbers;
}

}  // namespace hopefear
