// The best scores of the derivations that begin with typed words with the fewest edits.
//
// Only such derivations count: what needs more edits has the score kNever. Found backwards from the
// boundary, where the typed words end in a derivation, is what they come to from the left; the
// scores are computed when they are asked for. Those of what ends before the boundary hold as long
// as the columns of the tables.
#pragma once

#include "base/key_index.h"
#include "forest/prefix_tables.h"

namespace hopefear {

class PrefixScores {
 public:
  static constexpr double kNever = -std::numeric_limits<double>::infinity();
  static constexpr Place kBoundary = -1;  // to meet all typed words, and then anything

  // `inside` has the best score of each node. All of them stay.
  PrefixScores(const Forest& forest, const TargetSuffixes& target, const PrefixTables& tables,
               const IdVector<NodeId, double>& inside);

  // Forgets what depends on all but the first few columns of the tables.
  void keep(Place columns);
  // The tables have advanced to the end. What follows holds from then on, until they change.
  void begin();

  // The best score of a node that meets the typed words between places.
  double node(NodeId v, Place from, Place to);
  // The edits that a node then needs.
  int edits(NodeId v, Place from, Place to) const;
  // The best score of a suffix that does so with so many edits.
  double suffix(SuffixId s, Place from, Place to, int edits);
  // Calls visit(suffix, place, edits) for what may be left when the word that the suffix begins
  // with has been met, or one of the typed words has been inserted before it.
  template <class Visit>
  void after_word(SuffixId s, Place from, Place to, int edits, Visit&& visit) const;
  // Calls visit(node's place, suffix, place, edits) for what may be left when the node that the
  // suffix begins with has met the words up to a place.
  template <class Visit>
  void after_node(SuffixId s, Place from, Place to, int edits, Visit&& visit) const;

 private:
  // Scores that are computed when they are asked for.
  struct Computed {
    KeyIndex keys;
    IdVector<std::int32_t, double> scores;
    template <class Compute>
    double of(std::int32_t number, Compute&& compute);
  };
  // Of what meets the typed words up to a place: of suffixes from places with so many edits, and of
  // nodes from places.
  struct Column {
    Computed suffixes, nodes;
  };
  static constexpr double kUnknown = std::numeric_limits<double>::infinity();

  void add_live_before(SuffixId s, Place k);
  double best_of(SuffixId s, Place from, Place to, int edits);
  Place end(Place to) const { return to == kBoundary ? tables_.typed() : to; }

  const Forest& forest_;
  const TargetSuffixes& target_;
  const PrefixTables& tables_;
  const IdVector<NodeId, double>& inside_;
  // Suffixes and nodes at whose places derivations with the fewest edits have the boundary still
  // before them.
  Computed live_, live_nodes_;
  IdVector<Place, Column> columns_;  // as many as the tables have
};

template <class Compute>
double PrefixScores::Computed::of(std::int32_t number, Compute&& compute) {
  if (number >= scores.count()) scores.resize(keys.size(), kUnknown);
  if (scores[number] == kUnknown) {
    const double score = compute();
    scores[number] = score;
  }
  return scores[number];
}

template <class Visit>
void PrefixScores::after_word(SuffixId s, Place from, Place to, int edits, Visit&& visit) const {
  const TargetSuffixes::Suffix& suffix = target_.suffixes[s];
  if (from < end(to)) {
    if (!suffix.is_end()) visit(suffix.next, from + 1, edits - tables_.cost(from, suffix.symbol));
    visit(s, from + 1, edits - PrefixTables::kInsertion);
  }
  if (!suffix.is_end()) visit(suffix.next, from, edits - PrefixTables::kOmission);
}

template <class Visit>
void PrefixScores::after_node(SuffixId s, Place from, Place to, int edits, Visit&& visit) const {
  const TargetSuffixes::Suffix& suffix = target_.suffixes[s];
  const NodeId v = suffix.node();
  if (to == kBoundary && tables_.before_node(v, from) == tables_.before(s, from) &&
      live_nodes_.keys.find(KeyIndex::pair(v, from)) >= 0)
    visit(kBoundary, suffix.next, kBoundary, 0);
  const Length& length = target_.node_length[v];
  const Place first = std::max(from, from + length.least - edits / PrefixTables::kOmission),
              last = std::min(to == kBoundary ? tables_.typed() - 1 : to,
                              from + length.most + edits / PrefixTables::kInsertion);
  for (Place k = first; k <= last; ++k) {
    const int inside = tables_.inside(v, from, k);
    if (inside <= edits) visit(k, suffix.next, k, edits - inside);
  }
}

}  // namespace hopefear
