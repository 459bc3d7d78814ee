// The fewest edits with which derivations meet typed words.
//
// A derivation's words are read from the left, against the typed words; a word may be inserted,
// left out or replaced. Places are between typed words, and before a symbol of an edge. Tables say
// with how few edits a derivation comes to a symbol when it has met the words up to a place (from
// the left), and with how few a node meets those from one place to another one (inside). As
// Earley's parser (1970) does, the search looks only at what a derivation comes to from the left;
// here, with few enough edits.
//
// A column of the tables belongs to a place, and is made from the columns before.
#pragma once

#include <queue>

#include "forest/target_suffixes.h"

namespace hopefear {

using Place = std::int32_t;  // between typed words, from 0
using Edits = std::int16_t;  // in halves of an edit

class PrefixTables {
 public:
  static constexpr Edits kNever = 0x3FFF;  // two of them can be added
  static constexpr Edits kInsertion = 2, kOmission = 2, kReplacement = 2;
  // The replacement of a word by another one that has more than half of its characters: mostly
  // another form of the same word.
  static constexpr Edits kOtherForm = 1;
  static constexpr Place kMostTyped = 8000;
  using Costs = IdVector<WordId, Edits>;  // of a typed word's replacement by words of the forest

  explicit PrefixTables(const TargetSuffixes& target);

  Place typed() const { return costs_.count(); }
  void append(Costs costs);
  // Forgets all typed words but the first few.
  void keep(Place words);
  // How many columns are made.
  Place columns() const { return columns_; }

  // Makes a column, or finds out that more edits must be allowed. Returns whether there is more to
  // do; if not, all that follows holds for derivations with the fewest edits.
  bool advance();

  // The fewest edits of a derivation that begins with the typed words.
  Edits fewest() const { return fewest_; }
  Edits cost(Place k, WordId word) const { return costs_[k][word]; }
  // With how few edits a derivation meets the first k words before a suffix, or before a node.
  Edits before(SuffixId s, Place k) const { return before_[s].at(k); }
  Edits before_node(NodeId v, Place k) const { return before_node_[v].at(k); }
  // With how few edits a node meets the typed words between places.
  Edits inside(NodeId v, Place from, Place to) const;
  // The places from which on a node may meet some typed words up to a place with few enough edits.
  struct Places {
    Place low, high;  // to below `high`
  };
  Places beginnings(NodeId v, Place to) const {
    const Row* column = tables_[v].column(to);
    return column ? Places{column->low, column->high} : Places{to, to};
  }
  // With how few edits a suffix or a node meets nothing.
  Edits omission(SuffixId s) const { return omission_[s]; }
  Edits node_omission(NodeId v) const { return node_omission_[v]; }
  // The suffixes that a derivation comes to when it has met the first k words.
  const std::vector<SuffixId>& reached(Place k) const { return reached_[k]; }

 private:
  // By place, from `first` on.
  struct Values {
    Place first = 0;
    std::vector<Edits> values;
    Place end() const { return first + count_of<Place>(values); }
    Edits at(Place k) const {
      return k >= first && k < end() ? values[place_of(k - first)] : kNever;
    }
  };
  // Values for the places from `low` to below `high`, which begin at `first`.
  struct Row {
    Place low = 0, high = 0;
    std::int32_t first = 0;
  };
  // How a node meets the typed words from places to the places `first`, `first` + 1, ...
  struct Table {
    Place first = 0;
    IdVector<Place, Row> columns;
    std::vector<Edits> values;
    Place end() const { return first + columns.count(); }
    const Row* column(Place to) const {
      return to >= first && to < end() ? &columns[to - first] : nullptr;
    }
  };

  Edits fewest_to(Place to) const;
  // The edits that cannot be avoided in the first words, whatever the derivation.
  int unavoidable(Place k) const { return unavoidable_[k]; }
  int limit(Place k) const { return unavoidable_[k] + allowed_; }
  void keep_columns(Place most);

  void add_column();
  void meet_node(NodeId v);
  void pass_node(NodeId v);
  void pass_words();
  void reach(SuffixId s, int edits);
  void reach_node(NodeId v, int edits);
  static bool lower(Values& values, Place k, int edits);

  Row places(const Values& before, Length length) const;
  const Row& row(SuffixId s);
  Row make_row(SuffixId s);
  void meet_word_first(const TargetSuffixes::Suffix& suffix, const Row& row, SuffixId s);
  void meet_node_first(const TargetSuffixes::Suffix& suffix, const Row& row);
  void lower_to(const Row& row, const Row& inner, const Edits* inner_values, int after);
  Edits met(SuffixId s, const Row& row, Place k) const {
    if (k == to_) return omission_[s];
    return k >= row.low && k < row.high ? rows_[place_of(row.first + k - row.low)] : kNever;
  }

  const TargetSuffixes& target_;
  IdVector<SuffixId, Edits> omission_;
  IdVector<NodeId, Edits> node_omission_;

  IdVector<Place, Costs> costs_;
  IdVector<Place, int> unavoidable_;  // by how many words
  int allowed_;                       // edits that could be avoided
  Edits fewest_ = 0;

  Place columns_ = 0;
  IdVector<SuffixId, Values> before_;
  IdVector<NodeId, Values> before_node_;
  IdVector<NodeId, Table> tables_;
  // By column: what has values in it.
  IdVector<Place, std::vector<SuffixId>> reached_;
  IdVector<Place, std::vector<NodeId>> reached_nodes_, met_nodes_;

  // the column at work
  Place to_ = 0;
  std::int64_t pass_ = 0;
  IdVector<SuffixId, std::int64_t> pass_of_;  // the last one that made a suffix's row
  IdVector<SuffixId, Row> row_of_;
  std::vector<Edits> rows_;  // in the order in which they were made
  std::vector<Edits> best_;  // of the node at work
  std::priority_queue<NodeId> to_expand_;
};

}  // namespace hopefear
