#include "forest/prefix_tables.h"

namespace hopefear {
namespace {

// In halves of an edit: how many are allowed at first, and how many more than are needed later.
constexpr int kAllowed = 4, kMore = 4;

Edits omission_of(const Length& length) {
  return static_cast<Edits>(std::min<std::int32_t>(length.least, PrefixTables::kMostTyped) *
                            PrefixTables::kOmission);
}

}  // namespace

PrefixTables::PrefixTables(const TargetSuffixes& target)
    : target_(target),
      unavoidable_{0},
      allowed_(kAllowed),
      before_(target.suffixes.count()),
      before_node_(target.node_length.count()),
      tables_(target.node_length.count()),
      pass_of_(target.suffixes.count(), 0),
      row_of_(target.suffixes.count()) {
  for (const auto& suffix : target.suffixes) omission_.push_back(omission_of(suffix.length));
  for (const Length& length : target.node_length) node_omission_.push_back(omission_of(length));
}

void PrefixTables::append(Costs costs) {
  Edits least = kInsertion;
  for (const Edits cost : costs) least = std::min(least, cost);
  unavoidable_.push_back(unavoidable_.back() + least);
  costs_.push_back(std::move(costs));
}

void PrefixTables::keep(Place words) {
  costs_.resize(words);
  unavoidable_.resize(words + 1);
  keep_columns(words + 1);
}

void PrefixTables::keep_columns(Place most) {
  columns_ = std::min(columns_, most);
  const auto shorten = [&](Values& values) {
    if (values.end() > most) values.values.resize(place_of(std::max(0, most - values.first)));
  };
  for (Place k = most; k < reached_.count(); ++k) {
    for (const SuffixId s : reached_[k]) shorten(before_[s]);
    for (const NodeId v : reached_nodes_[k]) shorten(before_node_[v]);
    for (const NodeId v : met_nodes_[k]) {
      Table& table = tables_[v];
      if (table.end() <= most) continue;
      table.columns.resize(std::max(0, most - table.first));
      table.values.resize(table.columns.empty()
                              ? 0
                              : place_of(table.columns.back().first) +
                                    place_of(table.columns.back().high - table.columns.back().low));
    }
  }
  const Place kept = std::min(most, reached_.count());
  reached_.resize(kept);
  reached_nodes_.resize(kept);
  met_nodes_.resize(kept);
}

bool PrefixTables::advance() {
  const Place to = std::min(columns_, typed());
  fewest_ = to == 0 ? 0 : fewest_to(to);
  if (fewest_ > limit(to)) {
    allowed_ = fewest_ - unavoidable(to) + kMore;
    keep_columns(0);
    return true;
  }
  if (to == typed()) return false;
  add_column();
  return true;
}

// The last word is met by a word of the forest, or inserted.
Edits PrefixTables::fewest_to(Place to) const {
  const Costs& costs = costs_[to - 1];
  Edits fewest = kNever;
  for (const SuffixId s : reached_[to - 1]) {
    const TargetSuffixes::Suffix& suffix = target_.suffixes[s];
    if (!suffix.begins_with_word() && !suffix.is_end()) continue;
    const Edits cost = suffix.is_end() ? kInsertion : std::min(costs[suffix.symbol], kInsertion);
    fewest = std::min<Edits>(fewest, static_cast<Edits>(before(s, to - 1) + cost));
  }
  return fewest;
}

Edits PrefixTables::inside(NodeId v, Place from, Place to) const {
  if (from == to) return node_omission_[v];
  const Row* column = tables_[v].column(to);
  if (!column || from < column->low || from >= column->high) return kNever;
  return tables_[v].values[place_of(column->first + from - column->low)];
}

void PrefixTables::add_column() {
  keep_columns(columns_);  // also if memory ran out in the last pass
  to_ = columns_;
  reached_.resize(to_ + 1);
  reached_nodes_.resize(to_ + 1);
  met_nodes_.resize(to_ + 1);
  to_expand_ = {};
  ++pass_;
  rows_.clear();
  if (to_ == 0) {
    reach_node(target_.node_length.count() - 1, 0);
  } else {
    for (const NodeId v : before_node_.ids()) meet_node(v);
    for (const NodeId v : met_nodes_[to_]) pass_node(v);
    pass_words();
  }
  while (!to_expand_.empty()) {
    const NodeId v = to_expand_.top();
    to_expand_.pop();
    const Edits edits = before_node(v, to_);
    for (const SuffixId s : target_.of_node[v]) reach(s, edits);
  }
  ++columns_;
}

// The places from which something that is come to at places may meet the words up to the next
// place.
PrefixTables::Row PrefixTables::places(const Values& before, Length length) const {
  const int limit = this->limit(to_);
  const auto may_begin = [&](Place k) {
    const int words = to_ - k;
    const int edits =
        std::max({(words - length.most) * kInsertion, (length.least - words) * kOmission,
                  unavoidable(to_) - unavoidable(k)});
    return before.at(k) + edits <= limit;
  };
  Row row{std::max(before.first, to_ - length.most - limit / kInsertion),
          std::min(before.end(), to_), 0};
  while (row.low < row.high && !may_begin(row.low)) ++row.low;
  while (row.low < row.high && !may_begin(row.high - 1)) --row.high;
  return row;
}

// Adds a node's column.
void PrefixTables::meet_node(NodeId v) {
  const Values& before = before_node_[v];
  if (before.values.empty()) return;
  const Row wanted = places(before, target_.node_length[v]);
  if (wanted.low >= wanted.high) return;
  std::vector<Edits>& best = best_;
  best.assign(place_of(wanted.high - wanted.low), kNever);
  for (const SuffixId s : target_.of_node[v]) {
    const Row row = this->row(s);
    const Place low = std::max(row.low, wanted.low), high = std::min(row.high, wanted.high);
    if (low >= high) continue;
    const Edits* const values = rows_.data() + row.first + (low - row.low);
    Edits* const out = best.data() + (low - wanted.low);
    for (Place i = 0; i < high - low; ++i) out[i] = std::min(out[i], values[i]);
  }
  Row found = wanted;
  const auto is_within = [&](Place k) {
    return before.at(k) + best[place_of(k - wanted.low)] <= limit(to_);
  };
  while (found.low < found.high && !is_within(found.low)) ++found.low;
  while (found.low < found.high && !is_within(found.high - 1)) --found.high;
  if (found.low >= found.high) return;
  Table& table = tables_[v];
  met_nodes_[to_].push_back(v);
  if (table.columns.empty()) table.first = to_;
  found.first = count_of(table.values);
  table.columns.resize(to_ - table.first, {0, 0, found.first});
  table.values.insert(table.values.end(), best.begin() + (found.low - wanted.low),
                      best.begin() + (found.high - wanted.low));
  table.columns.push_back(found);
}

const PrefixTables::Row& PrefixTables::row(SuffixId s) {
  if (pass_of_[s] != pass_) {
    row_of_[s] = make_row(s);
    pass_of_[s] = pass_;
  }
  return row_of_[s];
}

PrefixTables::Row PrefixTables::make_row(SuffixId s) {
  const TargetSuffixes::Suffix& suffix = target_.suffixes[s];
  if (suffix.is_end()) return {};
  Row row = places(before_[s], suffix.length);
  if (row.low >= row.high) return {};
  this->row(suffix.next);
  row.first = count_of(rows_);
  rows_.resize(rows_.size() + place_of(row.high - row.low), kNever);
  if (suffix.symbol >= 0) {
    meet_word_first(suffix, row, s);
  } else {
    meet_node_first(suffix, row);
  }
  return row;
}

void PrefixTables::meet_word_first(const TargetSuffixes::Suffix& suffix, const Row& row,
                                   SuffixId s) {
  const Row next = row_of_[suffix.next];
  int behind = row.high == to_ ? omission_[s] : kNever;  // what the row has for the next place
  for (Place k = row.high - 1; k >= row.low; --k) {
    behind = std::min({met(suffix.next, next, k + 1) + costs_[k][suffix.symbol],
                       met(suffix.next, next, k) + kOmission, behind + kInsertion, int{kNever}});
    rows_[place_of(row.first + k - row.low)] = static_cast<Edits>(behind);
  }
}

void PrefixTables::meet_node_first(const TargetSuffixes::Suffix& suffix, const Row& row) {
  const NodeId v = suffix.node();
  const Row next = row_of_[suffix.next];
  lower_to(row, next, rows_.data() + next.first, node_omission_[v]);
  const Table& table = tables_[v];
  for (Place j = std::max({row.low + 1, next.low, table.first});
       j < std::min(next.high, table.end()); ++j) {
    const Edits after = rows_[place_of(next.first + j - next.low)];
    if (after == kNever) continue;
    const Row& column = table.columns[j - table.first];
    lower_to(row, column, table.values.data() + column.first, after);
  }
  if (const Row* column = table.column(to_))
    lower_to(row, *column, table.values.data() + column->first, omission_[suffix.next]);
}

// Lowers the values of a row to those of another row and something more.
void PrefixTables::lower_to(const Row& row, const Row& inner, const Edits* inner_values, int more) {
  const Place low = std::max(row.low, inner.low), high = std::min(row.high, inner.high);
  const Edits* const values = inner_values + (low - inner.low);
  Edits* const out = rows_.data() + row.first + (low - row.low);
  const Edits after = static_cast<Edits>(more);
  for (Place i = 0; i < high - low; ++i)
    out[i] = std::min(out[i], static_cast<Edits>(values[i] + after));
}

// What follows a node that meets the words up to the next place.
void PrefixTables::pass_node(NodeId v) {
  const Table& table = tables_[v];
  const Row column = table.columns.back();
  const Edits* const inner = table.values.data() + column.first;
  for (const SuffixId s : target_.beginning[v]) {
    const Values& before = before_[s];
    const Place low = std::max(column.low, before.first),
                high = std::min(column.high, before.end());
    if (low >= high) continue;
    const Edits* const outer = before.values.data() + (low - before.first);
    const Edits* const own = inner + (low - column.low);
    Edits least = kNever;
    for (Place i = 0; i < high - low; ++i)
      least = std::min(least, static_cast<Edits>(outer[i] + own[i]));
    reach(target_.suffixes[s].next, least);
  }
}

void PrefixTables::pass_words() {
  const Costs& costs = costs_[to_ - 1];
  for (const SuffixId s : reached_[to_ - 1]) {
    const TargetSuffixes::Suffix& suffix = target_.suffixes[s];
    if (!suffix.begins_with_word() && !suffix.is_end()) continue;
    const Edits edits = before(s, to_ - 1);
    reach(s, edits + kInsertion);
    if (!suffix.is_end()) reach(suffix.next, edits + costs[suffix.symbol]);
  }
}

// A derivation comes to a suffix when it has met the words up to the next place, and with omissions
// to what follows.
void PrefixTables::reach(SuffixId s, int edits) {
  while (s != TargetSuffixes::kEnd && edits <= limit(to_)) {
    Values& values = before_[s];
    if (values.at(to_) == kNever) reached_[to_].push_back(s);
    if (!lower(values, to_, edits)) return;
    const TargetSuffixes::Suffix& suffix = target_.suffixes[s];
    if (suffix.is_end()) return;
    if (suffix.symbol < 0) {
      reach_node(suffix.node(), edits);
      edits += node_omission_[suffix.node()];
    } else {
      edits += kOmission;
    }
    s = suffix.next;
  }
}

void PrefixTables::reach_node(NodeId v, int edits) {
  Values& values = before_node_[v];
  if (values.at(to_) == kNever) {
    reached_nodes_[to_].push_back(v);
    to_expand_.push(v);
  }
  lower(values, to_, edits);
}

// Returns whether a value was higher.
bool PrefixTables::lower(Values& values, Place k, int edits) {
  if (values.at(k) <= edits) return false;
  if (values.values.empty()) values.first = k;
  values.values.resize(place_of(k - values.first + 1), kNever);
  values.values.back() = static_cast<Edits>(edits);
  return true;
}

}  // namespace hopefear
