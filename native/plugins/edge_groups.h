// The groups of a forest's edges, as plugins receive them: values that all edges of a group share
// are stored once. The goal's own edge, the last one, is left out.
#pragma once

#include "forest/forest.h"

namespace hopefear {

struct EdgeGroups {
  explicit EdgeGroups(const Forest& forest);

  std::vector<std::int64_t> group;  // of each edge
  // by group
  std::vector<std::int32_t> category;  // the head's
  std::vector<SourceSpan> span;        // the head's
  IdRows<GroupId, SourceSpan> tail_spans;
};

// The distinct pairs of an edge's attribute and its group's number, in the order of their first
// occurrence.
struct EdgeUses {
  // Throws std::invalid_argument if a group does not exist or the lengths differ.
  EdgeUses(std::span<const std::int32_t> attribute, std::span<const std::int64_t> group,
           IdSpan<std::int64_t, const std::int32_t> numbers);

  std::vector<std::int32_t> row;                // of each edge: its pair
  std::vector<std::int32_t> attribute, number;  // by pair
};

// The words of each group's source side, and its pairs of neighbours, where a nonterminal is
// represented by the last word that it covers. In a group, words come before pairs, and pairs whose
// second is a word before the others.
struct SourceSteps {
  // The tails of group g are those from tail_indptr[g] on. Throws std::invalid_argument if the
  // lengths do not fit.
  SourceSteps(IdSpan<GroupId, const SourceSpan> span,
              IdSpan<GroupId, const std::int32_t> tail_indptr,
              IdSpan<std::int32_t, const SourceSpan> tail_span);

  IdVector<GroupId, std::int32_t> indptr{0};
  IdVector<std::int32_t, std::int32_t> previous,
      place;  // positions of words; previous is -1 for one word
};

}  // namespace hopefear
