// The target sides of a forest's edges, taken apart into suffixes: the symbols of an edge from some
// place to its end. Edges share them, so that what is found out of a suffix holds for all its
// edges.
#pragma once

#include <algorithm>
#include <limits>
#include <unordered_map>

#include "forest/forest.h"

namespace hopefear {

using SuffixId = std::int32_t;
using WordId = std::int32_t;  // of a word of the forest

// How many words something yields, at least and at most.
struct Length {
  static constexpr std::int32_t kMany = std::numeric_limits<std::int32_t>::max() / 4;

  std::int32_t least, most;
  Length& operator+=(const Length& other) {
    least = std::min(least + other.least, kMany);
    most = std::min(most + other.most, kMany);
    return *this;
  }
  void widen(const Length& other) {
    least = std::min(least, other.least);
    most = std::max(most, other.most);
  }
};

struct TargetSuffixes {
  // Nothing, at the end of an edge within the sentence, and at the end of the sentence.
  static constexpr SuffixId kEnd = 0, kEndOfSentence = 1;

  struct Suffix {
    std::int32_t symbol;  // a word, or ~v for node v
    SuffixId next;        // what follows the symbol; -1 for the ends
    Length length;
    double best;  // the best score of the nodes

    bool is_end() const { return next < 0; }
    bool begins_with_word() const { return symbol >= 0 && !is_end(); }
    NodeId node() const { return ~symbol; }
  };

  // `inside` has the best score of each node.
  TargetSuffixes(const Forest& forest, const IdVector<NodeId, double>& inside);

  Length length_of(std::int32_t symbol) const {
    return symbol < 0 ? node_length[~symbol] : Length{1, 1};
  }

  IdVector<WordId, std::string> words;
  std::unordered_map<std::string, WordId> word_number;
  IdVector<SuffixId, Suffix> suffixes;
  IdVector<EdgeId, SuffixId> of_edge;  // all symbols of an edge
  IdVector<NodeId, Length> node_length;

  IdRows<NodeId, SuffixId> of_node;      // the whole edges into a node, each once
  IdRows<SuffixId, NodeId> heads;        // of the whole edges
  IdRows<NodeId, SuffixId> beginning;    // the suffixes that begin with a node
  IdRows<SuffixId, SuffixId> extending;  // those with a symbol more
};

}  // namespace hopefear
