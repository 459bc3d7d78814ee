// A forest from arrays and rules of another source, such as a file; every part is checked.
#pragma once

#include "forest/forest.h"

namespace hopefear {

// A rule as text.
struct RuleParts {
  std::string lhs;
  std::vector<std::pair<std::string, bool>> source;  // a word; or a category, and true
  std::vector<std::pair<std::string, std::int32_t>>
      target;  // a word and 0; or the index of a nonterminal, from 1
  std::vector<FeatureId> features;
  std::vector<double> values;
  std::vector<std::pair<std::int32_t, std::int32_t>> alignment;
};

// Nodes are in topological order, the goal last; edges are sorted by head.
struct ForestParts {
  std::int32_t source_length = 0;
  IdVector<NodeId, std::string> category;
  IdVector<std::int32_t, std::int32_t> span;  // 2 N
  IdVector<LocalRule, RuleParts> rules;
  IdVector<EdgeId, LocalRule> rule;
  IdVector<EdgeId, NodeId> head;
  IdVector<EdgeId, std::int32_t> tails_begin;  // E + 1
  IdVector<std::int32_t, NodeId> tails;
  IdVector<EdgeId, double> score;
  IdVector<EdgeId, std::int32_t> features_begin;  // E + 1: features of an edge beside its rule's
  IdVector<std::int32_t, FeatureId> features;
  IdVector<std::int32_t, double> values;
};

// One part is wrong, such as edge 3; the message begins with the part.
class BadPart : public std::invalid_argument {
 public:
  enum Kind : std::uint8_t { kNode, kRule, kEdge };

  BadPart(Kind kind, std::int32_t number, const std::string& message);

  Kind kind;
  std::int32_t number;  // in ForestParts
  std::string message;  // without the part
};

// What a forest is built on: words and categories, which grow, and the rules before its own. A
// decoder's scorers can score a forest on the decoder's ground.
struct ForestGround {
  std::shared_ptr<Vocabulary> vocabulary = std::make_shared<Vocabulary>();
  RuleSpace rules;
};

// Throws BadPart, or another std::invalid_argument if no single part is wrong. Feature numbers must
// be valid.
std::shared_ptr<Forest> build_forest(ForestParts parts, ForestGround ground = {});

}  // namespace hopefear
