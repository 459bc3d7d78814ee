// Derivations that begin with the words that somebody has typed.
//
// The words of a derivation up to some place, its boundary, are aligned with the typed words by a
// least costly edit: a word is inserted, left out or replaced. A derivation that begins with the
// typed words needs no edit, and is better than each one that needs some; of two derivations with
// edits of the same cost, the one with the better score is better. Error correction of this kind
// is that of Barrachina et al. (2009), section 4.2; for hypergraphs, of Gonzalez-Rubio et al.
// (2013).
//
// The fewest edits are found first, by tables to which a further word adds a column; then the best
// scores of the derivations that need no more.
#pragma once

#include "base/edit_distance.h"
#include "forest/prefix_scores.h"

namespace hopefear {

class PrefixSearch {
 public:
  explicit PrefixSearch(std::shared_ptr<const Forest> forest);
  PrefixSearch& operator=(PrefixSearch&&) = delete;

  // Tells what has been typed. With `open`, the last word is the beginning of a word. Nothing is
  // known of it before `meet` has returned false. Throws std::length_error.
  void type(const std::vector<std::string>& words, bool open);

  // Finds out a part of what `type` asks for: a column of the tables. Returns whether there is
  // more.
  bool meet();

  // The edits that the best derivation needs: 1 for a word that is inserted, left out or replaced,
  // 0.5 if it is replaced by one that has most of its characters.
  double edits() const;

  // By how much the scores of the forest's derivations differ at most.
  double score_range() const { return score_range_; }
  // The derivations with the fewest edits whose scores differ from the best one's by no more than a
  // beam, and some others, as a forest. Its nodes are split by what they meet.
  std::shared_ptr<Forest> within(double beam);

  // How many of a translation's words the typed words stand for: they end at the boundary.
  std::int32_t boundary(const std::vector<std::string>& translation) const;

 private:
  using Characters = std::vector<std::uint32_t>;
  struct Typed {
    std::string text;
    EditDistance characters;
    bool open;
    // Of the typed word by another one, or by its beginning if the typed word is open.
    Edits replacement_cost(const Characters& word) const;
  };
  double find_score_range() const;

  std::shared_ptr<const Forest> forest_;
  IdVector<NodeId, double> inside_;  // best score
  double score_range_;
  TargetSuffixes target_;
  IdVector<WordId, Characters> words_;
  IdVector<Place, Typed> typed_;
  PrefixTables tables_;
  PrefixScores scores_;
  bool met_ = false;  // the fewest edits and their scores are known
};

}  // namespace hopefear
