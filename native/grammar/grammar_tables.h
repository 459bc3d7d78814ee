// A finished grammar as flat arrays. They are the same in memory that a grammar owns and in the
// file of a compiled grammar, so that one Grammar reads both.
#pragma once

#include "base/id_vector.h"
#include "base/vocabulary.h"
#include "base/weights.h"

namespace hopefear {

struct AlignmentPoint {
  std::uint8_t source;
  std::uint8_t target;
};

using TrieNumber = std::uint32_t;
inline constexpr TrieNumber kNoNode = 0xffffffff;

struct TrieNode {
  TrieNumber first_child;
  std::uint32_t first_rule;
};

struct GrammarTables {
  // Rules, in the order of the trie; of one node, those of a left-hand side stand together. What
  // begins at `…_begin[r]` ends at `…_begin[r + 1]`.
  std::span<const std::int32_t> lhs;
  std::span<const TrieNumber> node;
  std::span<const std::uint16_t> layout;
  std::span<const std::uint32_t> target_begin, value_begin, alignment_begin;
  std::span<const Symbol> targets;
  std::span<const float> values;
  std::span<const AlignmentPoint> alignments;

  // Most rules of a grammar name the same features in the same order.
  std::span<const std::uint32_t> layout_begin;
  std::span<const FeatureId> layout_features;

  // The trie over source sides, in breadth-first order; one more node at the end closes the ranges.
  std::span<const TrieNode> trie;
  std::span<const Symbol> symbols;                // on the way to a node
  std::span<const TrieNumber> parents;            // of a node; kNoNode of the root
  IdSpan<Symbol, const TrieNumber> root_by_word;  // the root's child, or kNoNode
};

}  // namespace hopefear
