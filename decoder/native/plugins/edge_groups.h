// The groups of a forest's edges, as plugins receive them: values that all edges of a group share
// are stored once. The goal's own edge, the last one, is left out.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "forest/forest.h"

namespace hopefear {

struct EdgeGroups {
  explicit EdgeGroups(const Forest& forest);

  std::vector<std::int64_t> group;  // of each edge
  // by group
  std::vector<std::int32_t> category;  // the head's
  std::vector<std::int32_t> span;      // pairs: the head's [begin, end)
  std::vector<std::int32_t> tail_indptr{0}, tail_span;
};

// The distinct pairs of an edge's attribute and its group's number, in the order of their first
// occurrence.
struct EdgeUses {
  // Throws std::invalid_argument if a group does not exist or the lengths differ.
  EdgeUses(std::span<const std::int32_t> attribute, std::span<const std::int64_t> group,
           std::span<const std::int32_t> numbers);

  std::vector<std::int32_t> row;                // of each edge: its pair
  std::vector<std::int32_t> attribute, number;  // by pair
};

}  // namespace hopefear
