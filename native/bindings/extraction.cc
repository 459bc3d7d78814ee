#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include "arrays.h"
#include "bindings.h"
#include "extraction/grammar_extractor.h"
#include "extraction/known_counts.h"
#include "parse/engine.h"

namespace hopefear::bindings {
namespace {

using Points = std::vector<std::pair<std::int64_t, std::int64_t>>;

std::vector<GivenLink> links(const Points& points) {
  std::vector<GivenLink> out;
  for (const auto& [source, target] : points) out.push_back({source, target});
  return out;
}

Points parsed(const std::string& line, std::size_t first_words, std::size_t second_words) {
  Points out;
  for (const GivenLink link : parse_links(line, first_words, second_words)) {
    out.emplace_back(link.first, link.second);
  }
  return out;
}

std::vector<std::string_view> views(const std::vector<std::string>& words) {
  for (const std::string& word : words) {
    if (!word.empty() && word.find_first_of(std::string_view(" \t\n\r\0", 5)) == std::string::npos)
      continue;
    throw std::invalid_argument("expected words without blanks, got '" + word + "'");
  }
  return {words.begin(), words.end()};
}

using RuleParts = std::tuple<nb::tuple, nb::tuple, std::vector<double>, nb::tuple>;

// Symbols: a word, or the number of a nonterminal from 1.
nb::tuple side(const SentenceGrammar& grammar, std::span<const Symbol> symbols) {
  nb::list out;
  for (const Symbol symbol : symbols) {
    if (symbol > 0) {
      const std::string& word = grammar.words[symbol - 1];
      out.append(nb::str(word.data(), word.size()));
    } else {
      out.append(1 - symbol);
    }
  }
  return nb::tuple(out);
}

RuleParts rule_parts(const SentenceGrammar& grammar, std::size_t i) {
  if (i >= grammar.size()) throw nb::index_error("no such rule");
  const SentenceGrammar::Item& item = grammar.rules[i];
  nb::list points;
  for (const AlignmentPoint point : grammar.alignment(item)) {
    points.append(nb::make_tuple(int{point.source}, int{point.target}));
  }
  const std::span<const double> values = grammar.values_of(i);
  return {side(grammar, grammar.source(item)),
          side(grammar, grammar.target(item)),
          {values.begin(), values.end()},
          nb::tuple(points)};
}

// The words of a sentence, on one side of the text.
template <BitextSide Bitext::* Side>
std::vector<std::string> words_of(const Bitext& bitext, std::size_t sentence) {
  const std::shared_lock lock(bitext.mutex);
  if (sentence >= bitext.size()) throw nb::index_error("no such sentence");
  const BitextSide& side = bitext.*Side;
  std::vector<std::string> words;
  for (std::int32_t i = side.begin[sentence]; i + 1 < side.begin[sentence + 1]; ++i) {
    words.emplace_back(side.words.text(side.text[i]));
  }
  return words;
}

// Rows of pairs, sources, targets.
using LinkArrays = nb::typed<nb::tuple, Matrix<double>, Vector<double>, Vector<double>>;

LinkArrays arrays(LinkCounts counts) {
  const std::size_t columns = counts.targets.size();
  return nb::make_tuple(owned(std::move(counts.pairs), columns), owned(std::move(counts.sources)),
                        owned(std::move(counts.targets)));
}

// What the rules of a decoder's grammars tell of the text that they are from.
class GrammarCounts {
 public:
  explicit GrammarCounts(const Engine& engine)
      : words_(engine.vocabulary().words), rules_(engine.base()), weights_(engine.weights()) {
    for (std::size_t g = 0; g < engine.base().grammars(); ++g)
      add_links(engine.base().grammar(g), table_);
  }

  SentenceGrammar added_to(const SentenceGrammar& rules) const {
    SentenceGrammar out = rules;
    if (rules_.grammars() > 0) add_counts(rules_.grammar(0), *weights_, table_, out);
    return out;
  }

  LinkCounts counts(std::span<const std::string> source,
                    std::span<const std::string> target) const {
    return link_counts(table_, {}, numbers_of(*words_, source), numbers_of(*words_, target));
  }

 private:
  std::shared_ptr<const Interner> words_;
  RuleSpace rules_;
  std::shared_ptr<const Weights> weights_;
  LexicalTable table_;
};

// A side of a rule as `side` gives it; nonterminals of a source side are in order.
using GivenSide = std::vector<std::variant<std::string, std::int64_t>>;
using GivenRule = std::tuple<GivenSide, GivenSide, std::vector<double>, Points>;

void add_side(const GivenSide& given, std::unordered_map<std::string, Symbol>& numbers,
              SentenceGrammar& grammar) {
  for (const auto& symbol : given) {
    if (const auto* index = std::get_if<std::int64_t>(&symbol)) {
      grammar.symbols.push_back(static_cast<Symbol>(1 - *index));
      continue;
    }
    const std::string& word = std::get<std::string>(symbol);
    const auto [known, is_new] =
        numbers.try_emplace(word, static_cast<Symbol>(grammar.words.size() + 1));
    if (is_new) {
      views({word});
      grammar.words.push_back(word);
    }
    grammar.symbols.push_back(known->second);
  }
}

std::vector<std::int64_t> nonterminals(const GivenSide& side) {
  std::vector<std::int64_t> out;
  for (const auto& symbol : side)
    if (const auto* index = std::get_if<std::int64_t>(&symbol)) out.push_back(*index);
  return out;
}

void expect_rule(const GivenRule& rule, std::size_t features) {
  const auto& [source, target, values, points] = rule;
  constexpr std::size_t kMost = std::numeric_limits<std::uint8_t>::max();
  std::vector<std::int64_t> of_source = nonterminals(source), of_target = nonterminals(target);
  std::ranges::sort(of_target);
  std::vector<std::int64_t> in_order(of_source.size());
  std::iota(in_order.begin(), in_order.end(), 1);
  const bool is_good = !source.empty() && !target.empty() && source.size() <= kMost &&
                       target.size() <= kMost && of_source == in_order && of_target == in_order &&
                       of_source.size() < source.size() && values.size() == features &&
                       std::ranges::all_of(
                           points,
                           [&](const auto& point) {
                             return point.first >= 0 && point.second >= 0 &&
                                    point.first < std::ssize(source) &&
                                    point.second < std::ssize(target);
                           });
  expect(is_good,
         "expected a rule: words and nonterminals in order, the same on both sides, a value for "
         "each feature, links of its symbols");
}

SentenceGrammar grammar_of(std::vector<std::string> features, const std::vector<GivenRule>& rules,
                           bool any_span) {
  SentenceGrammar out;
  out.features = std::move(features);
  out.any_span = any_span;
  std::unordered_map<std::string, Symbol> numbers;
  for (const GivenRule& rule : rules) {
    expect_rule(rule, out.features.size());
    const auto& [source, target, values, points] = rule;
    SentenceGrammar::Item item{};
    item.source = static_cast<std::uint32_t>(out.symbols.size());
    item.source_size = static_cast<std::uint8_t>(source.size());
    add_side(source, numbers, out);
    item.target = static_cast<std::uint32_t>(out.symbols.size());
    item.target_size = static_cast<std::uint8_t>(target.size());
    add_side(target, numbers, out);
    item.alignment = static_cast<std::uint32_t>(out.points.size());
    item.alignment_size = static_cast<std::uint16_t>(points.size());
    for (const auto& [f, e] : points) {
      out.points.push_back({static_cast<std::uint8_t>(f), static_cast<std::uint8_t>(e)});
    }
    out.values.insert(out.values.end(), values.begin(), values.end());
    out.rules.push_back(item);
  }
  return out;
}

}  // namespace

void bind_extraction(nb::module_& module) {
  nb::class_<SentenceGrammar>(module, "SentenceGrammar", "Rules apart from any decoder.")
      .def(
          "__init__",
          [](SentenceGrammar* self, std::vector<std::string> features,
             const std::vector<GivenRule>& rules, bool any_span) {
            new (self) SentenceGrammar(grammar_of(std::move(features), rules, any_span));
          },
          nb::arg("features"), nb::arg("rules"), nb::arg("any_span"),
          "Rules as `rule` gives them; with any_span, for spans of any length.")
      .def("__len__", &SentenceGrammar::size)
      .def_ro("category", &SentenceGrammar::category)
      .def_ro("features", &SentenceGrammar::features)
      .def_prop_ro(
          "values",
          [](nb::object self) {
            const auto& grammar = nb::cast<const SentenceGrammar&>(self);
            return view(grammar.values, grammar.features.size(), self);
          },
          "Values of the features, a row a rule.")
      .def("rule", &rule_parts, nb::arg("index"),
           nb::sig(
               "def rule(self, index: int) -> tuple[tuple[str | int, ...], tuple[str | int, ...], "
               "list[float], tuple[tuple[int, int], ...]]"),
           "Source and target side (words, and numbers of nonterminals), values, alignment.")
      .def("text", &SentenceGrammar::text, Release(), "cdec's text form.");

  nb::class_<Bitext>(module, "Bitext", "A word-aligned parallel text.")
      .def(nb::init<>())
      .def(
          "__len__",
          [](const Bitext& self) {
            const std::shared_lock lock(self.mutex);
            return self.size();
          },
          Release())
      .def("source", &words_of<&Bitext::source>, nb::arg("sentence"), Release())
      .def("target", &words_of<&Bitext::target>, nb::arg("sentence"), Release())
      .def(
          "add",
          [](Bitext& self, const std::vector<std::string>& source,
             const std::vector<std::string>& target,
             const Points& points) { self.add(views(source), views(target), links(points)); },
          nb::arg("source"), nb::arg("target"), nb::arg("links"))
      .def(
          "read",
          [](Bitext& self, const std::filesystem::path& source, const std::filesystem::path& target,
             const std::filesystem::path& alignment,
             bool reversed) { self.read({source, target, alignment, reversed}); },
          nb::arg("source"), nb::arg("target"), nb::arg("alignment"), nb::arg("reversed"),
          Release());

  module.def(
      "check_bitext",
      [](const std::filesystem::path& source, const std::filesystem::path& target,
         const std::optional<std::filesystem::path>& alignment,
         bool reversed) { return check_bitext({source, target, alignment, reversed}); },
      nb::arg("source"), nb::arg("target"), nb::arg("alignment").none(), nb::arg("reversed"),
      Release(), "Goes through the files of a parallel text, and gives the number of pairs.");
  module.def("parse_links", &parsed, nb::arg("line"), nb::arg("first_words") = kAnyNumber,
             nb::arg("second_words") = kAnyNumber, Release(),
             "The links of a line of an alignment file.");

  nb::class_<Exclusion>(module, "Exclusion", "Sentence pairs that are left out.").def(nb::init<>());

  nb::class_<GrammarCounts>(module, "GrammarCounts", "Counts that a decoder's grammars tell.")
      .def(nb::init<const Engine&>(), nb::arg("engine"), Release())
      .def(
          "counts",
          [](const GrammarCounts& self, std::span<const std::string> source,
             std::span<const std::string> target) {
            return arrays(unlocked([&] { return self.counts(source, target); }));
          },
          nb::arg("source"), nb::arg("target"),
          "Links in the rules, as those of GrammarExtractor in its text.")
      .def("added_to", &GrammarCounts::added_to, nb::arg("rules"), Release(),
           "Rules of a small text, with the counts of the grammar added up.");

  nb::class_<GrammarExtractor>(module, "GrammarExtractor", "Hiero rules for sentences.")
      .def(
          "__init__",
          [](GrammarExtractor* self, std::shared_ptr<Bitext> bitext,
             std::vector<std::string> features, int max_symbols, int max_nonterminals, int max_span,
             int min_gap, bool tight, int samples, int top,
             std::optional<std::size_t> corrections_from, bool corrections_apart) {
            const nb::gil_scoped_release release;
            const ExtractionLimits limits{max_symbols, max_nonterminals, max_span, min_gap,
                                          tight,       samples};
            new (self) GrammarExtractor(std::move(bitext),
                                        {limits, std::move(features), top,
                                         corrections_from.value_or(kAnyNumber), corrections_apart});
          },
          nb::arg("bitext"), nb::kw_only(), nb::arg("features"), nb::arg("max_symbols"),
          nb::arg("max_nonterminals"), nb::arg("max_span"), nb::arg("min_gap"), nb::arg("tight"),
          nb::arg("samples"), nb::arg("top"), nb::arg("corrections_from").none(),
          nb::arg("corrections_apart"))
      .def("grammar", &GrammarExtractor::grammar, nb::arg("tokens"), nb::arg("exclusion"),
           Release())
      .def(
          "link_counts",
          [](GrammarExtractor& self, std::span<const std::string> source,
             std::span<const std::string> target, const Exclusion& exclusion) {
            return arrays(unlocked([&] { return self.link_counts(source, target, exclusion); }));
          },
          nb::arg("source"), nb::arg("target"), nb::arg("exclusion"),
          "Links of the words of a sentence pair in the text: of each pair of words, of each "
          "source word, and of each target word; the empty word is the last one.")
      .def("exclusion", &GrammarExtractor::exclusion, nb::arg("sentences"), Release())
      .def("exclude", &GrammarExtractor::exclude, nb::arg("exclusion"), nb::arg("sentence"),
           Release(), "Leaves out one more sentence pair.")
      .def(
          "withdraw",
          [](GrammarExtractor& self, Exclusion& exclusion,
             std::vector<std::pair<RuleSides::Side, RuleSides::Side>> rules) {
            std::vector<RuleSides> sides;
            for (auto& [source, target] : rules)
              sides.push_back({std::move(source), std::move(target)});
            self.withdraw(exclusion, sides);
          },
          nb::arg("exclusion"), nb::arg("rules"), Release(),
          "Leaves out these rules where a correction gives them, and no others that were "
          "withdrawn.")
      .def("cut", &GrammarExtractor::cut, nb::arg("sentences"), Release(),
           "Removes the sentence pairs from this number on.")
      .def(
          "add",
          [](GrammarExtractor& self, const std::vector<std::string>& source,
             const std::vector<std::string>& target,
             const Points& points) { self.add(views(source), views(target), links(points)); },
          nb::arg("source"), nb::arg("target"), nb::arg("links"), Release());
}

}  // namespace hopefear::bindings
