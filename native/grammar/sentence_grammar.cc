#include "grammar/sentence_grammar.h"

#include <charconv>

namespace hopefear {
namespace {

template <class Number, class... Format>
void append_number(std::string& out, Number number, Format... format) {
  char buffer[32];
  out.append(buffer, std::to_chars(buffer, buffer + sizeof buffer, number, format...).ptr);
}

void append_side(std::string& out, const SentenceGrammar& grammar,
                 std::span<const Symbol> symbols) {
  for (std::size_t i = 0; i < symbols.size(); ++i) {
    if (i > 0) out += ' ';
    if (symbols[i] > 0) {
      out += grammar.words[symbols[i] - 1];
    } else {
      out += '[' + grammar.category + ',';
      append_number(out, 1 - symbols[i]);
      out += ']';
    }
  }
}

}  // namespace

std::string SentenceGrammar::text() const {
  constexpr int kDigits = 12;  // as cdec's extractor
  std::string out;
  for (std::size_t r = 0; r < rules.size(); ++r) {
    out += '[' + category + "] ||| ";
    append_side(out, *this, source(rules[r]));
    out += " ||| ";
    append_side(out, *this, target(rules[r]));
    out += " |||";
    const std::span<const double> row = values_of(r);
    for (std::size_t k = 0; k < row.size(); ++k) {
      out += ' ' + features[k] + '=';
      append_number(out, row[k], std::chars_format::general, kDigits);
    }
    out += " |||";
    for (const AlignmentPoint point : alignment(rules[r])) {
      out += ' ';
      append_number(out, int{point.source});
      out += '-';
      append_number(out, int{point.target});
    }
    out += '\n';
  }
  return out;
}

bool can_be_written(std::string_view word) {
  return word != "|||" && (word.size() < 3 || word.front() != '[' || word.back() != ']');
}

void add_rules(const SentenceGrammar& rules, Weights& weights, Grammar& grammar) {
  RuleText rule;
  rule.lhs = grammar.vocabulary().categories->intern(rules.category);
  IdVector<Symbol, Symbol> word;
  for (const std::string& text : rules.words) {
    word.push_back(grammar.vocabulary().words->intern(text));
  }
  for (const std::string& name : rules.features) rule.features.push_back(weights.intern(name));
  for (std::size_t r = 0; r < rules.size(); ++r) {
    const SentenceGrammar::Item& item = rules.rules[r];
    rule.source.clear();
    for (const Symbol symbol : rules.source(item)) {
      rule.source.push_back(symbol > 0 ? word[symbol - 1] : -rule.lhs);
    }
    rule.target.clear();
    for (const Symbol symbol : rules.target(item)) {
      rule.target.push_back(symbol > 0 ? word[symbol - 1] : symbol);
    }
    const std::span<const AlignmentPoint> points = rules.alignment(item);
    rule.alignment.assign(points.begin(), points.end());
    const std::span<const double> values = rules.values_of(r);
    rule.values.assign(values.begin(), values.end());
    grammar.add(rule);
  }
}

}  // namespace hopefear
