#include "extraction/lexical_table.h"

namespace hopefear {
namespace {

void increment(std::vector<std::int32_t>& counts, std::size_t i) {
  if (i >= counts.size()) counts.resize(i + i / 2 + 1);
  ++counts[i];
}

}  // namespace

void LexicalTable::add(Word source, Word target) {
  increment(counts_, static_cast<std::size_t>(pairs_.insert(key(source, target))));
  increment(sources_, static_cast<std::size_t>(source));
  increment(targets_, static_cast<std::size_t>(target));
}

void LexicalTable::add(const Bitext& bitext, std::size_t sentence) {
  const auto f = static_cast<std::size_t>(bitext.source.begin[sentence]);
  const auto e = static_cast<std::size_t>(bitext.target.begin[sentence]);
  for (const Link link : bitext.links_of(sentence)) {
    add(bitext.source.text[f + link.source], bitext.target.text[e + link.target]);
  }
  for (std::size_t i = f; bitext.source.text[i] != BitextSide::kEnd; ++i) {
    if (!bitext.source.linked[i].linked()) add(bitext.source.text[i], kNull);
  }
  for (std::size_t j = e; bitext.target.text[j] != BitextSide::kEnd; ++j) {
    if (!bitext.target.linked[j].linked()) add(kNull, bitext.target.text[j]);
  }
}

}  // namespace hopefear
