// CKY+ over grammar tries: a lattice and grammars to the translation forest (no language model).
#pragma once

#include "forest/forest.h"
#include "parse/lattice.h"

namespace hopefear {

// Which spans the rules of one grammar may cover.
struct SpanPolicy {
  std::int32_t max_distance;  // source words
  bool from_start_only;       // glue rules: spans that begin at position 0
};

// Spans whose words stay together in every translation, and positions that nothing is moved across.
// Rules for spans that begin at position 0 only, which are the glue rules, put their parts side by
// side: they may cross the borders of zones, and walls.
struct Borders {
  std::vector<SourceSpan> zones;
  std::vector<std::int32_t> walls;
};

struct ParserInput {
  std::shared_ptr<const RuleSpace> rule_space;
  std::vector<SpanPolicy> policies;  // one for each grammar of the rule space
  std::uint32_t goal_rule;           // [Goal] ||| [S,1] ||| [1]; its grammar has max_distance < 0
  std::int32_t goal_category;        // S
  Borders borders;
};

// The forest of all derivations, empty if there is none. Nodes that are on no derivation of the
// goal are left out. Throws std::invalid_argument if unary rules form a cycle.
std::shared_ptr<Forest> parse(const Lattice& lattice, const ParserInput& input,
                              std::shared_ptr<const Vocabulary> vocabulary);

}  // namespace hopefear
