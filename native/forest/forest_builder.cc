#include "forest/forest_builder.h"

#include <algorithm>
#include <map>

#include "base/feature_name.h"
#include "forest/score.h"

namespace hopefear {
namespace {

std::string part_name(BadPart::Kind kind) {
  if (kind == BadPart::kNode) return "node";
  return kind == BadPart::kRule ? "rule" : "edge";
}

[[noreturn]] void refuse(BadPart::Kind kind, std::int32_t number, const auto&... message) {
  throw BadPart(kind, number, concat(message...));
}

void check_word(const std::string& text, BadPart::Kind part, std::int32_t number) {
  if (text.empty() || text.find_first_of(kBlank) != std::string::npos ||
      text.find('\0') != std::string::npos) {
    refuse(part, number, "expected a word or category without white space, got '" + text + "'");
  }
}

RuleText read_rule(const RuleParts& parts, LocalRule number, const Vocabulary& vocabulary) {
  if (parts.features.size() != parts.values.size())
    refuse(BadPart::kRule, number, "expected a value for every feature");
  check_word(parts.lhs, BadPart::kRule, number);
  RuleText rule;
  rule.lhs = vocabulary.categories->intern(parts.lhs);
  for (const auto& [text, is_category] : parts.source) {
    check_word(text, BadPart::kRule, number);
    rule.source.push_back(is_category ? -vocabulary.categories->intern(text)
                                      : vocabulary.words->intern(text));
  }
  for (const auto& [text, index] : parts.target) {
    if (index < 0)
      refuse(BadPart::kRule, number, "expected indices of nonterminals from 1, got ", index);
    if (index == 0) check_word(text, BadPart::kRule, number);
    rule.target.push_back(index == 0 ? vocabulary.words->intern(text) : 1 - index);
  }
  rule.features = parts.features;
  for (const double value : parts.values) {
    if (!std::isfinite(static_cast<float>(value))) {
      refuse(BadPart::kRule, number, "expected feature values of single precision");
    }
    rule.values.push_back(static_cast<float>(value));
  }
  for (const auto& [source, target] : parts.alignment) {
    if (source < 0 || target < 0 || source > 254 || target > 254) {
      refuse(BadPart::kRule, number, "expected alignment points inside the rule");
    }
    rule.alignment.push_back(
        {static_cast<std::uint8_t>(source), static_cast<std::uint8_t>(target)});
  }
  return rule;
}

// Adds the rules to a grammar; gives the number that each has there.
IdVector<LocalRule, std::uint32_t> add_rules(const IdVector<LocalRule, RuleParts>& parts,
                                             Grammar& grammar) {
  std::vector<RuleText> rules;
  for (const LocalRule r : parts.ids()) {
    rules.push_back(read_rule(parts[r], r, grammar.vocabulary()));
    try {
      grammar.add(rules.back());
    } catch (const std::invalid_argument& error) {
      refuse(BadPart::kRule, r, error.what());
    }
  }
  grammar.finish();
  // Rules of one source side and left-hand side stay in the order they were added in.
  std::map<std::pair<Grammar::Node, std::int32_t>, std::uint32_t> next;
  IdVector<LocalRule, std::uint32_t> numbers;
  for (const RuleText& rule : rules) {
    Grammar::Node node = grammar.root();
    for (const Symbol symbol : rule.source) node = grammar.child(node, symbol);
    std::uint32_t first = grammar.rules(node).begin;
    while (grammar.lhs(first) != rule.lhs) ++first;
    const auto [entry, fresh] = next.try_emplace({node, rule.lhs}, first);
    numbers.push_back(entry->second++);
  }
  return numbers;
}

void check_sizes(const ForestParts& parts) {
  const std::size_t edges = parts.head.size();
  const auto is_indptr = [&](const auto& begin, const auto& values) {
    return begin.size() == edges + 1 && begin.front() == 0 && begin.back() == values.count() &&
           std::ranges::is_sorted(begin);
  };
  expect(!parts.category.empty(), "expected at least one node, got none");
  expect(parts.span.size() == 2 * parts.category.size(), "expected a span for every node");
  expect(parts.rule.size() == edges && parts.score.size() == edges &&
             is_indptr(parts.tails_begin, parts.tails) &&
             is_indptr(parts.features_begin, parts.features) &&
             parts.values.size() == parts.features.size(),
         "expected a rule, tails, a score and features for every edge");
}

SourceSpan span_of(const ForestParts& parts, NodeId v) {
  return {parts.span[2 * v], parts.span[2 * v + 1]};
}

void check_nodes(const ForestParts& parts) {
  expect(parts.source_length >= 0, "expected a source length of at least 0, got ",
         parts.source_length);
  for (const NodeId v : parts.category.ids()) {
    check_word(parts.category[v], BadPart::kNode, v);
    const auto [begin, end] = span_of(parts, v);
    if (begin < 0 || begin > end || end > parts.source_length) {
      refuse(BadPart::kNode, v, "expected a span inside the source's ", parts.source_length,
             " positions, got [", begin, ", ", end, "]");
    }
  }
}

void check_edge(const ForestParts& parts, EdgeId e) {
  const NodeId nodes = parts.category.count();
  const NodeId head = parts.head[e];
  if (head < 0 || head >= nodes) {
    refuse(BadPart::kEdge, e, "expected a head from 0 to ", nodes - 1, ", got ", head);
  }
  const NodeId before = e == 0 ? -1 : parts.head[e - 1];
  if (head < before)
    refuse(BadPart::kEdge, e, "expected edges sorted by head, got head ", head, " after head ",
           before);
  if (head > before + 1)
    refuse(BadPart::kNode, before + 1, "expected an edge with this head, got none");
  if (!parts.rules.has(parts.rule[e])) {
    refuse(BadPart::kEdge, e, "expected a rule from 0 to ", parts.rules.count() - 1, ", got ",
           parts.rule[e]);
  }
  if (!is_usable(parts.score[e])) refuse(BadPart::kEdge, e, ScoreError(parts.score[e]).what());
  for (auto k = parts.features_begin[e]; k < parts.features_begin[e + 1]; ++k) {
    if (!std::isfinite(parts.values[k]))
      refuse(BadPart::kEdge, e, "expected finite feature values, got ", parts.values[k]);
  }
  const RuleParts& rule = parts.rules[parts.rule[e]];
  if (rule.lhs != parts.category[head]) {
    refuse(BadPart::kEdge, e,
           "expected a head of its rule's category " + rule.lhs + ", got " + parts.category[head]);
  }
  std::int32_t next = parts.tails_begin[e];
  for (const auto& [text, is_category] : rule.source) {
    if (!is_category) continue;
    if (next == parts.tails_begin[e + 1])
      refuse(BadPart::kEdge, e, "expected a tail for every nonterminal of its rule, got fewer");
    const NodeId tail = parts.tails[next++];
    if (tail < 0 || tail >= head) {
      refuse(BadPart::kEdge, e, "expected tails that come before its head ", head, ", got ", tail);
    }
    if (parts.category[tail] != text) {
      refuse(BadPart::kEdge, e,
             "expected a tail of category " + text + ", got " + parts.category[tail]);
    }
  }
  if (next != parts.tails_begin[e + 1])
    refuse(BadPart::kEdge, e, "expected a tail for every nonterminal of its rule, got more");
}

}  // namespace

BadPart::BadPart(Kind bad_kind, std::int32_t bad_number, const std::string& text)
    : std::invalid_argument(concat(part_name(bad_kind), " ", bad_number, ": ", text)),
      kind(bad_kind),
      number(bad_number),
      message(text) {}

std::shared_ptr<Forest> build_forest(ForestParts parts, ForestGround ground) {
  check_sizes(parts);
  check_nodes(parts);
  const EdgeId edges = parts.head.count();
  for (const EdgeId e : parts.head.ids()) check_edge(parts, e);
  const NodeId reached = edges == 0 ? 0 : parts.head.back() + 1;
  if (reached < parts.category.count())
    refuse(BadPart::kNode, reached, "expected an edge with this head, got none");

  std::shared_ptr<Vocabulary> vocabulary = std::move(ground.vocabulary);
  auto grammar = std::make_shared<Grammar>(vocabulary);
  auto forest = std::make_shared<Forest>();
  forest->rules = add_rules(parts.rules, *grammar);
  for (std::uint32_t& rule : forest->rules) rule += ground.rules.size();
  auto rules = std::make_shared<RuleSpace>(std::move(ground.rules));
  rules->add(std::move(grammar));
  forest->rule_space = std::move(rules);
  for (const std::string& category : parts.category) {
    forest->category.push_back(vocabulary->categories->intern(category));
  }
  forest->vocabulary = std::move(vocabulary);
  for (const NodeId v : parts.category.ids()) forest->span.push_back(span_of(parts, v));
  forest->edges_begin.push_back(0);
  for (EdgeId e = 1; e < edges; ++e) {
    if (parts.head[e] != parts.head[e - 1]) forest->edges_begin.push_back(e);
  }
  forest->edges_begin.push_back(edges);
  FeatureLayer layer;
  layer.row.resize(edges);
  std::iota(layer.row.begin(), layer.row.end(), 0);
  layer.indptr = std::move(parts.features_begin);
  layer.features = std::move(parts.features);
  layer.values = std::move(parts.values);
  forest->layers.push_back(std::move(layer));
  forest->goal_rule = forest->rules[parts.rule.back()];
  forest->local_rule = std::move(parts.rule);
  forest->head = std::move(parts.head);
  forest->tails = {std::move(parts.tails_begin), std::move(parts.tails)};
  forest->score = std::move(parts.score);
  forest->separate_edges();
  forest->source_length = parts.source_length;
  return forest;
}

}  // namespace hopefear
