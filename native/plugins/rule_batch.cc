#include "plugins/rule_batch.h"

#include <algorithm>
#include <charconv>

namespace hopefear {
namespace {

// As cdec does: a name holds no = and no ;, which separate names in its files.
void append_escaped(std::string_view text, std::string& out) {
  const std::size_t begin = out.size();
  out += text;
  for (std::size_t i = begin; i < out.size(); ++i) {
    if (out[i] == '=' || out[i] == ';') out[i] = '_';
  }
}

void append_number(std::int32_t number, std::string& out) {
  char digits[12];
  out.append(digits, std::to_chars(digits, digits + sizeof digits, number).ptr);
}

}  // namespace

IndicatorNames::IndicatorNames(std::shared_ptr<const Forest> forest, std::vector<LocalRule> locals,
                               std::string prefix)
    : forest_(std::move(forest)), locals_(std::move(locals)), prefix_(std::move(prefix)) {}

std::string IndicatorNames::name(std::size_t i) const {
  std::string out;
  append(i, out);
  return out;
}

std::vector<FeatureId> IndicatorNames::intern(Weights& weights) const {
  std::string text;
  std::vector<std::size_t> ends;
  ends.reserve(locals_.size());
  for (std::size_t i = 0; i < locals_.size(); ++i) {
    append(i, text);
    ends.push_back(text.size());
  }
  return weights.intern_all(text, ends);
}

void IndicatorNames::append(std::size_t i, std::string& out) const {
  const Interner& words = *forest_->vocabulary->words;
  const Interner& categories = *forest_->vocabulary->categories;
  const std::uint32_t id = forest_->rules[locals_[i]];
  const RuleSpace::Place place = forest_->rule_space->find(id);
  thread_local std::vector<Symbol> source;
  place.grammar->source(place.rule, source);
  out += prefix_;
  out += "R:";
  append_escaped(categories.text(place.grammar->lhs(place.rule)), out);
  char separator = ':';
  for (const Symbol symbol : source) {
    out += separator;
    separator = '_';
    if (symbol < 0) out += 'N';
    append_escaped(symbol < 0 ? categories.text(-symbol) : words.text(symbol), out);
  }
  separator = ':';
  for (const Symbol symbol : place.grammar->target(place.rule)) {
    out += separator;
    separator = '_';
    if (symbol > 0) {
      append_escaped(words.text(symbol), out);
    } else {
      out += 'N';
      append_number(1 - symbol, out);
    }
  }
  if (separator == ':') out += ':';  // no target words
}

const RuleBatch::Arrays& RuleBatch::arrays() const {
  std::call_once(once_, [this] { lay_out(); });
  return arrays_;
}

void RuleBatch::lay_out() const {
  Arrays& a = arrays_;
  const auto reserve = [this](auto& rows) {
    rows.begin.reserve(locals_.size() + 1);
    rows.values.reserve(4 * locals_.size());
  };
  reserve(a.source);
  reserve(a.target);
  reserve(a.alignment);
  std::vector<Symbol> symbols;
  for (const LocalRule local : locals_) {
    const std::uint32_t id = forest_->rules[local];
    const RuleSpace::Place place = forest_->rule_space->find(id);
    const Rule rule = place.grammar->rule(place.rule);
    a.ids.push_back(static_cast<std::int32_t>(id));
    a.lhs.push_back(rule.lhs);
    place.grammar->source(place.rule, symbols);
    a.source.add(symbols);
    lay_out_nonterminals(rule, symbols);
    a.target.add(rule.target);
    for (const AlignmentPoint point : rule.alignment)
      a.alignment.values.push_back({point.source, point.target});
    a.alignment.close();
  }
}

void RuleBatch::lay_out_nonterminals(const Rule& rule, std::span<const Symbol> source) const {
  std::vector<Nonterminal>& all = arrays_.nonterminals;
  const std::size_t first = all.size();
  const std::int32_t number = count_of(arrays_.lhs) - 1;
  std::int32_t index = 0, place = 0;
  for (const Symbol symbol : source) {
    if (symbol <= 0) all.push_back({number, index++, place, 0, 0});
    ++place;
  }
  const IdSpan<std::int32_t, Nonterminal> mine = std::span(all).subspan(first);
  place = 0;
  for (const Symbol symbol : rule.target) {
    if (symbol <= 0) mine[-symbol].target = place;
    ++place;
  }
  for (Nonterminal& n : mine) {
    const auto crosses = [&n](std::int32_t other_source, std::int32_t other_target) {
      return (n.source - other_source) * (n.target - other_target) < 0;
    };
    n.crosses = std::ranges::any_of(
                    mine, [&](const Nonterminal& o) { return crosses(o.source, o.target); }) ||
                std::ranges::any_of(rule.alignment, [&](const AlignmentPoint p) {
                  return crosses(p.source, p.target);
                });
  }
}

std::vector<double> RuleBatch::feature_values(std::string_view name) const {
  std::vector<double> values(locals_.size(), 0.0);
  const FeatureId feature = weights_->find(name);
  if (feature == Interner::kUnknown) return values;
  for (std::size_t i = 0; i < locals_.size(); ++i) {
    const Rule rule = forest_->rule_space->rule(forest_->rules[locals_[i]]);
    for (std::size_t j = 0; j < rule.features.size(); ++j) {
      if (rule.features[j] == feature) values[i] += double{rule.values[j]};
    }
  }
  return values;
}

std::string_view RuleBatch::symbol(Symbol id) const {
  const Interner& texts = id < 0 ? *forest_->vocabulary->categories : *forest_->vocabulary->words;
  const Symbol number = id < 0 ? -id : id;
  if (number <= 0 || number >= texts.end()) return {};
  return texts.text(number);
}

}  // namespace hopefear
