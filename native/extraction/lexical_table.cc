#include "extraction/lexical_table.h"

namespace hopefear {
namespace {

void increase(IdVector<std::int32_t, std::int32_t>& counts, std::int32_t i, std::int32_t by) {
  if (!counts.has(i)) counts.resize(i + i / 2 + 1);
  counts[i] += by;
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

}  // namespace hopefear
