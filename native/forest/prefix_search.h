// Derivations that begin with the words that somebody has typed.
//
// The words of a derivation up to some place, its boundary, are aligned with the typed words by a
// least costly edit: a word is inserted, left out or replaced. A derivation that begins with the
// typed words needs no edit, and is better than each one that needs some; of two derivations with
// edits of the same cost, the one with the better score is better. Error correction of this kind
// is that of Barrachina et al. (2009), section 4.2; for hypergraphs, of Gonzalez-Rubio et al.
// (2013).
//
// Tables say for each node how well its derivations meet the typed words from place i to place j.
// A word that is added to the typed ones adds a column to the tables and leaves the others as they
// are.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "forest/forest.h"

namespace hopefear {

class PrefixSearch {
 public:
  explicit PrefixSearch(std::shared_ptr<const Forest> forest);

  // Tells what has been typed. With `open`, the last word is the beginning of a word. Nothing is
  // known of it before `meet` has returned false.
  void type(const std::vector<std::string>& words, bool open);

  // Finds out a part of what `type` asks for: a column of the tables. Returns whether there is
  // more.
  bool meet();

  // The edits that the best derivation needs: 1 for a word that is inserted, left out or replaced,
  // 0.5 if it is replaced by one that has most of its characters.
  double edits() const;

  // The derivations whose scores differ from the best one's by no more than a share of the range of
  // the forest's scores, as a forest: 0 for the best, 1 for all that need as few edits as the best.
  // Its scores include the costs of edits, and the nodes are split by what they meet.
  std::shared_ptr<Forest> within(double share);

  // How many of a translation's words the typed words stand for: they end at the boundary.
  std::int32_t boundary(const std::vector<std::string>& translation) const;

 private:
  using Place = std::int32_t;  // between typed words, from 0
  using SuffixId = std::int32_t;
  class Narrowing;

  struct Range {
    std::int32_t low, high;
    bool has(std::int32_t number) const { return low <= number && number <= high; }
    std::int32_t count() const { return std::max(0, high - low + 1); }
    Range& operator+=(const Range& other);
    void widen(const Range& other);
  };
  // Target symbols of an edge up to its end, with what they stand for in the edge: edges share
  // them.
  struct Suffix {
    std::int32_t symbol;  // a word of `words_`, or ~v for node v
    SuffixId next;
    Range yield, before;
    double free;  // the best score of the nodes
    bool ends_sentence;
  };
  static constexpr SuffixId kEnd = 0, kEndOfSentence = 1;
  static const Range kNowhere;
  static constexpr double kNever = -std::numeric_limits<double>::infinity();
  struct Typed {
    std::string text;
    IdVector<std::int32_t, float> cost;  // of its replacement by each of `words_`, in edits
  };

  void collect_yields();
  void collect_before();
  SuffixId suffix_of(EdgeId e);
  Range length_of(std::int32_t symbol) const;
  double find_score_range() const;

  void keep_columns(Place most);
  void add_column();
  void meet_boundary();
  void meet_edges(NodeId v, const Range& begins, double* met);
  // The row of a suffix in the pass at work: how well it meets the typed words from each place to
  // the place `to_`, or to the boundary. Only places that it may begin at have values.
  struct Row {
    Range begins{0, -1};
    std::int64_t first = 0;  // where its values begin
  };
  Row row(SuffixId s);
  double met(const Row& row, Place k) const {
    return row.begins.has(k) ? rows_[row.first + k - row.begins.low] : kNever;
  }
  double& at(const Row& row, Place k) { return rows_[row.first + k - row.begins.low]; }
  Row make_row(SuffixId s);
  void meet_word(const Suffix& suffix, const Row& next, const Row& row);
  void meet_node(const Suffix& suffix, const Row& next, const Row& row);
  void start_pass(Place to, bool boundary);
  Range places(const Range& yield, const Range& before, bool ends_sentence) const;
  Range begins_for(Place to, const Range& yield, const Range& before) const;

  Place typed() const { return typed_.count(); }
  // How well a node's derivations meet the typed words from places to the places 0, 1, ...
  struct Table {
    IdVector<Place, Row> columns;
    IdVector<std::int64_t, double> values;
  };
  double met(NodeId v, Place from, Place to) const {
    const Table& table = tables_[v];
    const Row& column = table.columns[to];
    return column.begins.has(from) ? table.values[column.first + from - column.begins.low] : kNever;
  }
  // How well they meet those from a place on, up to the boundary.
  double to_boundary(NodeId v, Place from) const {
    return boundary_[place_of(v) * place_of(typed() + 1) + place_of(from)];
  }

  std::shared_ptr<const Forest> forest_;
  double score_range_;
  double edit_cost_;  // more than the scores of two derivations can differ by
  std::unordered_map<std::string, std::int32_t> number_of_;  // of a word of the forest
  IdVector<std::int32_t, std::vector<char32_t>> words_;      // their characters
  IdVector<NodeId, double> inside_;                          // best score
  // By node: numbers of words, and of words that precede them.
  IdVector<NodeId, Range> yield_, before_;
  IdVector<SuffixId, Suffix> suffixes_;
  IdVector<EdgeId, SuffixId> suffix_;  // all symbols of an edge

  IdVector<Place, Typed> typed_;
  bool open_ = false;  // the last one
  Place columns_ = 0;  // of each table
  IdVector<NodeId, Table> tables_;
  std::vector<double> boundary_;  // node by node
  bool has_boundary_ = false;

  // What a derivation meets of the typed words may lie by so many words before or behind what it
  // would meet without edits, and be so much shorter or longer.
  std::int32_t drift_;

  // the pass at work
  Place to_ = 0;
  bool at_boundary_ = false;
  std::int64_t pass_ = 0;
  IdVector<SuffixId, std::int64_t> pass_of_;  // the last one that made a suffix's row
  IdVector<SuffixId, Row> row_of_;
  IdVector<std::int64_t, double> rows_;  // in the order in which they were made
};

}  // namespace hopefear
