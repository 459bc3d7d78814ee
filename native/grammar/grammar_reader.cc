#include "grammar/grammar_reader.h"

#include <cmath>

#include "base/feature_name.h"
#include "base/input_error.h"
#include "base/line_reader.h"
#include "base/links.h"

namespace hopefear {
namespace {

// What separates words, and features, as in cdec: types of their own, so that their calls are
// inlined.
constexpr auto kBetweenWords = [](char c) { return is_blank(c); };
constexpr auto kBetweenFeatures = [](char c) { return c == ';' || is_blank(c); };

// Takes the next token off the front of `rest`; empty at the end.
template <class Separates = decltype(kBetweenWords)>
std::string_view next_token(std::string_view& rest, Separates separates = kBetweenWords) {
  std::size_t i = 0;
  while (i < rest.size() && separates(rest[i])) ++i;
  std::size_t j = i;
  while (j < rest.size() && !separates(rest[j])) ++j;
  const std::string_view token = rest.substr(i, j - i);
  rest.remove_prefix(j);
  return token;
}

std::string quoted(std::string_view text) { return "'" + std::string(text.substr(0, 80)) + "'"; }

// Decimal numbers such as extractors write; everything else goes through from_chars.
bool parse_number(std::string_view text, double& value) {
  static constexpr double kPowers[] = {1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                       1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  const char* p = text.data();
  const char* const end = p + text.size();
  const bool negative = p < end && *p == '-';
  if (negative) ++p;
  const char* const start = p;
  std::uint64_t mantissa = 0;
  while (p < end && *p >= '0' && *p <= '9')
    mantissa = mantissa * 10 + static_cast<unsigned>(*p++ - '0');
  std::ptrdiff_t digits = p - start, decimals = 0;
  if (p < end && *p == '.') {
    const char* const point = ++p;
    while (p < end && *p >= '0' && *p <= '9')
      mantissa = mantissa * 10 + static_cast<unsigned>(*p++ - '0');
    decimals = p - point;
    digits += decimals;
  }
  if (p == end && digits > 0 && digits <= 15) {
    value = static_cast<double>(mantissa) / kPowers[decimals];
    if (negative) value = -value;
    return true;
  }
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  return error == std::errc() && stop == end && std::isfinite(static_cast<float>(value));
}

class RuleParser {
 public:
  RuleParser(Weights& weights, Grammar& grammar)
      : vocabulary_(grammar.vocabulary()), weights_(weights), grammar_(grammar) {}

  // Throws std::invalid_argument that says what was expected.
  void add_line(std::string_view line) {
    const std::string_view all = line;
    if (next_token(line).empty()) return;
    line = all;
    std::string_view fields[5];
    std::size_t count = 0;
    for (bool more = true; more; ++count) {
      expect(count != 5, "expected at most five fields separated by |||, got more");
      const std::size_t bar = find_bar(line);
      more = bar != std::string_view::npos;
      fields[count] = line.substr(0, bar);
      if (more) line.remove_prefix(bar + 3);
    }
    if (count < 3) {
      throw std::invalid_argument(
          "expected '[LHS] ||| source ||| target ||| features [||| alignment]', got " +
          quoted(all));
    }
    parse_lhs(fields[0]);
    parse_source(fields[1]);
    parse_target(fields[2]);
    parse_features(fields[3]);
    parse_alignment(fields[4]);
    grammar_.add(rule_);
  }

 private:
  static std::size_t find_bar(std::string_view text) {
    for (std::size_t i = 0; i + 3 <= text.size(); ++i) {
      i = text.find('|', i);
      if (i == std::string_view::npos) break;
      const bool is_token = text.substr(i, 3) == "|||" && (i == 0 || is_blank(text[i - 1])) &&
                            (i + 3 == text.size() || is_blank(text[i + 3]));
      if (is_token) return i;
    }
    return std::string_view::npos;
  }

  static bool is_nonterminal(std::string_view token) {
    return token.size() >= 3 && token.front() == '[' && token.back() == ']';
  }

  // As in cdec: [1] and [X,1]; every other word in brackets, such as [laughter], is a word.
  static bool is_target_nonterminal(std::string_view token) {
    if (!is_nonterminal(token)) return false;
    const std::string_view inside = token.substr(1, token.size() - 2);
    const std::size_t comma = inside.rfind(',');
    const std::string_view digits = inside.substr(comma + 1);  // all of it without a comma
    if (digits.empty() || digits.find_first_not_of("0123456789") != digits.npos) return false;
    return comma != inside.npos || (digits.size() <= 2 && digits.front() != '0');
  }

  std::int32_t category(std::string_view name) {
    if (name.empty() || name.find_first_of("[]|,") != std::string_view::npos) {
      throw std::invalid_argument("expected a category, got " + quoted(name));
    }
    if (name == last_category_name_) return last_category_;
    last_category_ = vocabulary_.categories->intern(name);
    last_category_name_ = name;
    return last_category_;
  }

  static std::size_t index(std::string_view digits, std::string_view token) {
    std::size_t value = 0;
    const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error != std::errc() || stop != digits.data() + digits.size() || value < 1) {
      throw std::invalid_argument("expected a nonterminal such as [X,1], got " + quoted(token));
    }
    return value;
  }

  void parse_lhs(std::string_view field) {
    const std::string_view token = next_token(field);
    if (!is_nonterminal(token) || !next_token(field).empty()) {
      throw std::invalid_argument("expected a left-hand side such as [X], got " + quoted(token));
    }
    rule_.lhs = category(token.substr(1, token.size() - 2));
  }

  void parse_source(std::string_view field) {
    // Extractors write the rules of a source side one after the other.
    if (field == last_source_) return;
    rule_.source.clear();
    last_source_.clear();
    std::string_view rest = field;
    std::size_t nonterminals = 0;
    for (std::string_view token = next_token(rest); !token.empty(); token = next_token(rest)) {
      if (!is_nonterminal(token)) {
        rule_.source.push_back(vocabulary_.words->intern(token));
        continue;
      }
      ++nonterminals;
      const std::string_view inside = token.substr(1, token.size() - 2);
      const std::size_t comma = inside.rfind(',');
      if (comma != std::string_view::npos &&
          index(inside.substr(comma + 1), token) != nonterminals) {
        throw std::invalid_argument(
            concat("expected source nonterminals numbered from left to right, got ", quoted(token),
                   " as number ", nonterminals));
      }
      rule_.source.push_back(-category(inside.substr(0, comma)));
    }
    last_source_ = field;
  }

  void parse_target(std::string_view field) {
    rule_.target.clear();
    for (std::string_view token = next_token(field); !token.empty(); token = next_token(field)) {
      if (is_target_nonterminal(token)) {
        const std::string_view inside = token.substr(1, token.size() - 2);
        const std::size_t comma = inside.rfind(',');
        const std::size_t i =
            index(comma == std::string_view::npos ? inside : inside.substr(comma + 1), token);
        if (comma != std::string_view::npos) check_category(inside.substr(0, comma), i, token);
        rule_.target.push_back(1 - static_cast<Symbol>(std::min<std::size_t>(i, 1000)));
      } else {
        rule_.target.push_back(vocabulary_.words->intern(token));
      }
    }
  }

  void check_category(std::string_view name, std::size_t i, std::string_view token) {
    for (const Symbol symbol : rule_.source) {
      if (symbol < 0 && --i == 0 && category(name) != -symbol) {
        throw std::invalid_argument("expected the category of the source nonterminal, got " +
                                    quoted(token));
      }
    }
  }

  // The number of the i-th feature of a rule: mostly the name is the one seen last at this place.
  FeatureId feature(std::size_t i, std::string_view name) {
    if (i < seen_names_.size() && seen_names_[i] == name) return seen_ids_[i];
    const FeatureId id = weights_.intern(name);
    if (seen_names_.size() <= i) {
      seen_names_.resize(i + 1);
      seen_ids_.resize(i + 1);
    }
    seen_names_[i] = name;
    seen_ids_[i] = id;
    return id;
  }

  void parse_features(std::string_view field) {
    rule_.features.clear();
    rule_.values.clear();
    std::size_t i = 0;
    for (std::string_view token = next_token(field, kBetweenFeatures); !token.empty();
         token = next_token(field, kBetweenFeatures), ++i) {
      const std::size_t equals = token.rfind('=');
      double value;
      if (!parse_number(equals == std::string_view::npos ? token : token.substr(equals + 1),
                        value)) {
        throw std::invalid_argument("expected name=number or a number, got " + quoted(token));
      }
      if (equals == 0)
        throw std::invalid_argument("expected a feature name before =, got " + quoted(token));
      const FeatureId id = equals == std::string_view::npos ? feature(i, concat("PhraseModel_", i))
                                                            : feature(i, token.substr(0, equals));
      for (const FeatureId other : rule_.features) {
        if (other == id)
          throw std::invalid_argument("expected one value for each feature, got a second one in " +
                                      quoted(token));
      }
      rule_.features.push_back(id);
      rule_.values.push_back(static_cast<float>(value));
    }
  }

  void parse_alignment(std::string_view field) {
    rule_.alignment.clear();
    for (std::string_view token = next_token(field); !token.empty(); token = next_token(field)) {
      const std::optional<GivenLink> link = parse_link(token);
      if (!link || link->first > 255 || link->second > 255)
        throw std::invalid_argument("expected alignment points such as 0-1, got " + quoted(token));
      rule_.alignment.push_back(
          {static_cast<std::uint8_t>(link->first), static_cast<std::uint8_t>(link->second)});
    }
  }

  Vocabulary& vocabulary_;
  Weights& weights_;
  Grammar& grammar_;
  RuleText rule_;
  std::string last_source_, last_category_name_;
  std::int32_t last_category_ = 0;
  std::vector<std::string> seen_names_;
  std::vector<FeatureId> seen_ids_;
};

void add_line(RuleParser& parser, std::string_view line, const std::string& path,
              std::size_t number) {
  try {
    parser.add_line(line);
  } catch (const std::invalid_argument& error) {
    throw InputError(path, number, error.what());
  }
}

void add_lines(LineReader& reader, Weights& weights, Grammar& grammar) {
  RuleParser parser(weights, grammar);
  std::string_view line;
  while (reader.next(line)) add_line(parser, line, reader.path(), reader.line_number());
}

}  // namespace

void read_grammar(const std::string& path, Weights& weights, Grammar& grammar) {
  LineReader reader(path);
  const auto before = grammar.size();
  add_lines(reader, weights, grammar);
  if (reader.line_number() == 0) throw InputError(path, 0, "expected a grammar, got an empty file");
  if (grammar.size() == before) throw InputError(path, 0, "expected rules, got only blank lines");
}

void read_sentence_grammar(const std::string& path, Weights& weights, Grammar& grammar) {
  try {
    LineReader reader(path, FileKind::kRegular);
    add_lines(reader, weights, grammar);
  } catch (const InputError& error) {
    const std::string message = error.what();  // what was found stands behind what was expected
    if (error.line() == 0) throw;
    throw InputError(path, error.line(), message.substr(0, message.find(", got ")));
  }
}

void parse_grammar(std::string_view text, const std::string& name, Weights& weights,
                   Grammar& grammar) {
  RuleParser parser(weights, grammar);
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    if (line.find('\0') != std::string_view::npos)
      throw InputError(name, number, "expected text, got a zero byte");
    add_line(parser, line, name, number);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

}  // namespace hopefear
