#include "extraction/lexical_table.h"

namespace hopefear {
namespace {

void increase(std::vector<std::int32_t>& counts, std::size_t i, std::int32_t by) {
  if (i >= counts.size()) counts.resize(i + i / 2 + 1);
  counts[i] += by;
}

}  // namespace

void LexicalTable::change(Word source, Word target, std::int32_t by) {
  increase(counts_, static_cast<std::size_t>(pairs_.insert(key(source, target))), by);
  increase(sources_, static_cast<std::size_t>(source), by);
  increase(targets_, static_cast<std::size_t>(target), by);
}

void LexicalTable::change(const Bitext& bitext, std::size_t sentence, std::int32_t by) {
  const auto f = static_cast<std::size_t>(bitext.source.begin[sentence]);
  const auto e = static_cast<std::size_t>(bitext.target.begin[sentence]);
  for (const Link link : bitext.links_of(sentence)) {
    change(bitext.source.text[f + link.source], bitext.target.text[e + link.target], by);
  }
  for (std::size_t i = f; bitext.source.text[i] != BitextSide::kEnd; ++i) {
    if (!bitext.source.linked[i].linked()) change(bitext.source.text[i], kNull, by);
  }
  for (std::size_t j = e; bitext.target.text[j] != BitextSide::kEnd; ++j) {
    if (!bitext.target.linked[j].linked()) change(kNull, bitext.target.text[j], by);
  }
}

}  // namespace hopefear
