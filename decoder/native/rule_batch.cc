#include "rule_batch.h"

namespace hopefear {
namespace {

// As cdec does: a name holds no = and no ;, which separate names in its files.
void append_escaped(std::string_view text, std::string& out) {
  for (const char c : text) out += c == '=' || c == ';' ? '_' : c;
}

}  // namespace

RuleBatch::RuleBatch(std::shared_ptr<const Forest> of, std::span<const std::int32_t> locals) : forest(std::move(of)) {
  std::vector<Symbol> symbols;
  for (const std::int32_t local : locals) {
    const std::uint32_t id = forest->rules[static_cast<std::size_t>(local)];
    const RuleSpace::Place place = forest->rule_space->find(id);
    const Rule rule = place.grammar->rule(place.rule);
    ids.push_back(static_cast<std::int32_t>(id));
    lhs.push_back(rule.lhs);
    place.grammar->source(place.rule, symbols);
    source.insert(source.end(), symbols.begin(), symbols.end());
    source_indptr.push_back(static_cast<std::int32_t>(source.size()));
    target.insert(target.end(), rule.target.begin(), rule.target.end());
    target_indptr.push_back(static_cast<std::int32_t>(target.size()));
    for (const AlignmentPoint point : rule.alignment) {
      alignment.push_back(point.source);
      alignment.push_back(point.target);
    }
    alignment_indptr.push_back(static_cast<std::int32_t>(alignment.size() / 2));
  }
}

std::string_view RuleBatch::symbol(Symbol id) const {
  const Interner& texts = id < 0 ? *forest->vocabulary->categories : *forest->vocabulary->words;
  const Symbol number = id < 0 ? -id : id;
  if (number == 0 || number >= texts.end()) return {};
  return texts.text(number);
}

std::vector<std::string> RuleBatch::indicator_names() const {
  std::vector<std::string> names(ids.size());
  for (std::size_t r = 0; r < ids.size(); ++r) {
    std::string& name = names[r];
    name = "R:";
    append_escaped(symbol(-lhs[r]), name);
    name += ':';
    for (std::int32_t k = source_indptr[r]; k < source_indptr[r + 1]; ++k) {
      const Symbol s = source[static_cast<std::size_t>(k)];
      if (k > source_indptr[r]) name += '_';
      if (s < 0) name += 'N';
      append_escaped(symbol(s), name);
    }
    name += ':';
    for (std::int32_t k = target_indptr[r]; k < target_indptr[r + 1]; ++k) {
      const Symbol s = target[static_cast<std::size_t>(k)];
      if (k > target_indptr[r]) name += '_';
      if (s > 0) {
        append_escaped(symbol(s), name);
      } else {
        name += 'N';
        name += std::to_string(1 - s);
      }
    }
  }
  return names;
}

}  // namespace hopefear
