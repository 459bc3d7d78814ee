#include "forest/prefix_search.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <tuple>
#include <unordered_map>

#include "forest/inside_outside.h"

namespace hopefear {
namespace {

constexpr double kScoreRounding = 1e-6;

constexpr std::int32_t kFirstDrift = 3;

// Costs of edits, in edits.
constexpr float kInsertion = 1, kOmission = 1, kReplacement = 1;
// The replacement of a word by another one that has more than half of its characters: mostly
// another form of the same word.
constexpr float kOtherForm = 0.5F;

// More words than any derivation has.
constexpr std::int32_t kMany = std::numeric_limits<std::int32_t>::max() / 4;
constexpr std::int32_t kUnknown = -1;  // a word that the forest does not have

std::vector<char32_t> characters_of(std::string_view text) {
  std::vector<char32_t> out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte & 0xC0) != 0x80) {
      out.push_back(byte);
    } else if (!out.empty()) {
      out.back() = out.back() << 8 | byte;
    }
  }
  return out;
}

// The fewest characters to insert, to leave out and to replace; of the beginning of `word` if
// `open`.
std::size_t edit_distance(const std::vector<char32_t>& typed, const std::vector<char32_t>& word,
                          bool open) {
  std::vector<std::size_t> row(typed.size() + 1);
  for (std::size_t i = 0; i < row.size(); ++i) row[i] = i;
  std::size_t fewest = row.back();
  for (std::size_t j = 1; j <= word.size(); ++j) {
    std::size_t diagonal = row[0];
    row[0] = j;
    for (std::size_t i = 1; i < row.size(); ++i) {
      const std::size_t replaced = diagonal + (typed[i - 1] == word[j - 1] ? 0 : 1);
      diagonal = row[i];
      row[i] = std::min({replaced, row[i] + 1, row[i - 1] + 1});
    }
    fewest = std::min(fewest, row.back());
  }
  return open ? fewest : row.back();
}

float replacement_cost(const std::vector<char32_t>& typed, const std::vector<char32_t>& word,
                       bool open) {
  const std::size_t longer =
      std::max(typed.size(), open ? std::min(word.size(), typed.size()) : word.size());
  const std::size_t distance = edit_distance(typed, word, open);
  if (distance == 0) return 0;
  return 2 * distance < longer ? kOtherForm : kReplacement;
}

}  // namespace

// No place: to be widened.
const PrefixSearch::Range PrefixSearch::kNowhere{kMany, 0};

PrefixSearch::PrefixSearch(std::shared_ptr<const Forest> forest)
    : forest_(std::move(forest)), inside_(inside(*forest_, Semiring::kMax)), drift_(kFirstDrift) {
  collect_yields();
  collect_before();
  score_range_ = find_score_range();
  edit_cost_ = (1 + score_range_) / kOtherForm;
}

PrefixSearch::Range& PrefixSearch::Range::operator+=(const Range& other) {
  low = std::min(low + other.low, kMany);
  high = std::min(high + other.high, kMany);
  return *this;
}

void PrefixSearch::Range::widen(const Range& other) {
  low = std::min(low, other.low);
  high = std::max(high, other.high);
}

// Finds the suffixes, and the lengths of their yields.
void PrefixSearch::collect_yields() {
  const Forest& f = *forest_;
  IdRows<LocalRule, std::int32_t> symbols;  // words, and ~t for tail t
  for (const std::uint32_t rule : f.rules) {
    for (const Symbol symbol : f.rule_space->rule(rule).target) {
      if (symbol <= 0) {
        symbols.values.push_back(~-symbol);
        continue;
      }
      const std::string_view text = f.vocabulary->words->text(symbol);
      const auto [entry, fresh] = number_of_.try_emplace(std::string(text), words_.count());
      if (fresh) words_.push_back(characters_of(text));
      symbols.values.push_back(entry->second);
    }
    symbols.close();
  }
  for (const bool ends_sentence : {false, true})
    suffixes_.push_back({0, -1, {0, 0}, kNowhere, 0, ends_sentence});
  std::unordered_map<std::int64_t, SuffixId> found;
  yield_.assign(f.nodes(), kNowhere);
  for (const NodeId v : yield_.ids()) {
    for (const EdgeId e : f.edges_into(v)) {
      SuffixId s = v == f.goal() ? kEndOfSentence : kEnd;
      const auto of_edge = symbols[f.local_rule[e]];
      for (std::int32_t t = of_edge.count(); t-- > 0;) {
        const std::int32_t symbol = of_edge[t] < 0 ? ~f.tails_of(e)[~of_edge[t]] : of_edge[t];
        const std::int64_t key = (std::int64_t{s} << 32) ^ static_cast<std::uint32_t>(symbol);
        const auto [entry, fresh] = found.try_emplace(key, suffixes_.count());
        if (fresh) {
          Suffix suffix = suffixes_[s];
          suffix.symbol = symbol;
          suffix.next = s;
          suffix.yield += length_of(symbol);
          if (symbol < 0) suffix.free += inside_[~symbol];
          suffixes_.push_back(suffix);
        }
        s = entry->second;
      }
      suffix_.push_back(s);
      yield_[v].widen(suffixes_[s].yield);
    }
  }
  pass_of_.assign(suffixes_.count(), 0);
  row_of_.resize(suffixes_.count());
  tables_.resize(f.nodes());
}

void PrefixSearch::collect_before() {
  const Forest& f = *forest_;
  before_.assign(f.nodes(), kNowhere);
  if (f.empty()) return;
  before_.back() = {0, 0};
  for (NodeId v = f.nodes(); v-- > 0;) {
    for (const EdgeId e : f.edges_into(v)) {
      Range before = before_[v];
      for (SuffixId s = suffix_[e]; s >= 0; s = suffixes_[s].next) {
        Suffix& suffix = suffixes_[s];
        suffix.before.widen(before);
        if (suffix.next < 0) break;
        if (suffix.symbol < 0) before_[~suffix.symbol].widen(before);
        before += length_of(suffix.symbol);
      }
    }
  }
}

PrefixSearch::Range PrefixSearch::length_of(std::int32_t symbol) const {
  return symbol < 0 ? yield_[~symbol] : Range{1, 1};
}

// The difference between the best and the worst derivation.
double PrefixSearch::find_score_range() const {
  const Forest& f = *forest_;
  if (f.empty()) return 0;
  IdVector<NodeId, double> worst(f.nodes(), 0.0);
  for (const NodeId v : worst.ids()) {
    double least = -kNever;
    for (const EdgeId e : f.edges_into(v)) {
      double sum = f.score[e];
      for (const NodeId tail : f.tails_of(e)) sum += worst[tail];
      least = std::min(least, sum);
    }
    worst[v] = least;
  }
  return inside_.back() - worst.back();
}

void PrefixSearch::type(const std::vector<std::string>& words, bool open) {
  // The words that stay; the one that was the last one had no column yet.
  Place same = 0;
  const Place most = std::min(typed(), count_of<Place>(words));
  while (same < most && typed_[same].text == words[place_of(same)]) ++same;
  if (same > 0 && same == typed() && open_) --same;  // the open word may be closed now
  if (same > 0 && same == count_of<Place>(words) && open) --same;
  typed_.resize(same);
  keep_columns(same + 1);
  for (Place k = same; k < count_of<Place>(words); ++k) {
    const std::string& text = words[place_of(k)];
    const bool is_open = open && k + 1 == count_of<Place>(words);
    Typed typed{text, {}};
    const std::vector<char32_t> as_typed = characters_of(text);
    for (const auto& word : words_) typed.cost.push_back(replacement_cost(as_typed, word, is_open));
    typed_.push_back(std::move(typed));
  }
  open_ = open;
  has_boundary_ = false;
}

bool PrefixSearch::meet() {
  if (has_boundary_) return false;
  if (columns_ < typed()) {
    add_column();
    return true;
  }
  meet_boundary();
  // What is shifted by more than the drift needs more edits than that.
  const double edits = this->edits();
  has_boundary_ = edits <= drift_;
  if (has_boundary_) return false;
  drift_ = static_cast<std::int32_t>(std::ceil(edits)) + 2;
  keep_columns(0);
  return true;
}

double PrefixSearch::edits() const {
  if (forest_->empty()) return 0;
  // Scores differ by less than the cost of the least edit.
  const double worse = inside_.back() - to_boundary(forest_->goal(), 0);
  return std::floor(worse / (edit_cost_ * kOtherForm)) * kOtherForm;
}

void PrefixSearch::keep_columns(Place most) {
  columns_ = std::min(columns_, most);
  for (Table& table : tables_) {
    if (table.columns.count() <= columns_) continue;
    table.values.resize(table.columns[columns_].first);
    table.columns.resize(columns_);
  }
}

// How well each node meets the typed words up to the next place.
void PrefixSearch::add_column() {
  keep_columns(columns_);  // also if memory ran out in the last pass
  start_pass(columns_, false);
  for (const NodeId v : tables_.ids()) {
    Table& table = tables_[v];
    const Row column{places(yield_[v], before_[v], false), table.values.count()};
    table.values.resize(column.first + column.begins.count(), kNever);
    meet_edges(v, column.begins, table.values.data() + column.first);
    table.columns.push_back(column);
  }
  ++columns_;
}

void PrefixSearch::meet_boundary() {
  const std::size_t height = place_of(typed() + 1);
  boundary_.assign(place_of(forest_->nodes()) * height, kNever);
  start_pass(typed(), true);
  for (const NodeId v : tables_.ids()) {
    double* const met = boundary_.data() + place_of(v) * height;
    met[to_] = inside_[v];
    Range begins = places(yield_[v], before_[v], v == forest_->goal());
    begins.high = std::min(begins.high, to_ - 1);
    meet_edges(v, begins, met + begins.low);
  }
}

// Raises a node's values, one for each place that it may begin at, to those of its edges.
void PrefixSearch::meet_edges(NodeId v, const Range& begins, double* met) {
  if (begins.count() == 0) return;
  for (const EdgeId e : forest_->edges_into(v)) {
    const Row row = this->row(suffix_[e]);
    const Place low = std::max(begins.low, row.begins.low);
    const Place count = std::min(begins.high, row.begins.high) - low + 1;
    if (count <= 0) continue;
    const double* const values = rows_.data() + row.first + low - row.begins.low;
    double* const best = met + low - begins.low;
    for (Place i = 0; i < count; ++i) best[i] = std::max(best[i], forest_->score[e] + values[i]);
  }
}

void PrefixSearch::start_pass(Place to, bool boundary) {
  to_ = to;
  at_boundary_ = boundary;
  ++pass_;
  rows_.clear();
}

// The places that something may begin at, in the pass at work.
PrefixSearch::Range PrefixSearch::places(const Range& yield, const Range& before,
                                         bool ends_sentence) const {
  Range begins = begins_for(to_, yield, before);
  if (at_boundary_) {
    begins.high = before.high + drift_;
    if (ends_sentence) begins.low = before.low - drift_;
  }
  return {std::max(0, begins.low), std::min(to_, begins.high)};
}

// The places that what ends at place `to` may begin at. To begin so many words before or behind
// what may precede takes as many edits, and so does a yield that is so much shorter or longer; both
// together are no more than the drift.
PrefixSearch::Range PrefixSearch::begins_for(Place to, const Range& yield,
                                             const Range& before) const {
  Range begins{to - yield.high - drift_, to - yield.low + drift_};
  if (begins.low < before.low) begins.low = (begins.low + before.low + 1) >> 1;
  if (begins.high > before.high) begins.high = (begins.high + before.high) >> 1;
  return {std::max(begins.low, before.low - drift_), std::min(begins.high, before.high + drift_)};
}

PrefixSearch::Row PrefixSearch::row(SuffixId s) {
  if (pass_of_[s] != pass_) {
    row_of_[s] = make_row(s);
    pass_of_[s] = pass_;
  }
  return row_of_[s];
}

PrefixSearch::Row PrefixSearch::make_row(SuffixId s) {
  const Suffix& suffix = suffixes_[s];
  const bool is_end = suffix.next < 0;
  const Row next = is_end ? Row{} : this->row(suffix.next);
  Row row;
  if (!is_end) {
    row.begins = places(suffix.yield, suffix.before, suffix.ends_sentence);
  } else {  // behind the last word of the sentence, words may be inserted
    row.begins = {at_boundary_ && suffix.ends_sentence ? 0 : to_, to_};
  }
  if (row.begins.count() == 0) return {};
  row.first = rows_.count();
  rows_.resize(row.first + row.begins.count(), kNever);
  if (is_end) {
    for (Place k = row.begins.low; k <= to_; ++k) at(row, k) = -edit_cost_ * kInsertion * (to_ - k);
  } else if (suffix.symbol >= 0) {
    meet_word(suffix, next, row);
  } else {
    meet_node(suffix, next, row);
  }
  return row;
}

void PrefixSearch::meet_word(const Suffix& suffix, const Row& next, const Row& row) {
  double behind = kNever;  // what the row has for the next place
  for (Place k = row.begins.high; k >= row.begins.low; --k) {
    if (k < to_) {
      behind = std::max({met(next, k + 1) - edit_cost_ * typed_[k].cost[suffix.symbol],
                         met(next, k) - edit_cost_ * kOmission, behind - edit_cost_ * kInsertion});
    } else {
      behind = at_boundary_ ? suffix.free : met(next, k) - edit_cost_ * kOmission;
    }
    at(row, k) = behind;
  }
}

void PrefixSearch::meet_node(const Suffix& suffix, const Row& next, const Row& row) {
  const NodeId v = ~suffix.symbol;
  if (at_boundary_) {
    const double free = suffix.free - inside_[v];
    for (Place k = row.begins.low; k <= row.begins.high; ++k) at(row, k) = to_boundary(v, k) + free;
  }
  const Table& table = tables_[v];
  const Place last = std::min(next.begins.high, at_boundary_ ? to_ - 1 : to_);
  for (Place j = std::max(row.begins.low, next.begins.low); j <= last; ++j) {
    const double after = met(next, j);
    if (after == kNever) continue;
    const Row& column = table.columns[j];
    const Range begins = begins_for(j, yield_[v], suffix.before);
    const Place low = std::max({row.begins.low, begins.low, column.begins.low});
    const Place count = std::min({row.begins.high, begins.high, column.begins.high}) - low + 1;
    if (count <= 0) continue;
    const double* const inner = table.values.data() + column.first + low - column.begins.low;
    double* const values = rows_.data() + row.first + low - row.begins.low;
    for (Place i = 0; i < count; ++i) values[i] = std::max(values[i], inner[i] + after);
  }
}

std::int32_t PrefixSearch::boundary(const std::vector<std::string>& translation) const {
  std::vector<float> best(translation.size() + 1);
  for (std::size_t b = 0; b < best.size(); ++b) best[b] = kOmission * static_cast<float>(b);
  std::vector<std::int32_t> words;
  for (const std::string& word : translation) {
    const auto known = number_of_.find(word);
    words.push_back(known == number_of_.end() ? kUnknown : known->second);
  }
  for (Place k = 0; k < typed(); ++k) {
    float diagonal = best[0];
    best[0] += kInsertion;
    for (std::size_t b = 1; b < best.size(); ++b) {
      const float cost =
          words[b - 1] != kUnknown
              ? typed_[k].cost[words[b - 1]]
              : replacement_cost(characters_of(typed_[k].text), characters_of(translation[b - 1]),
                                 open_ && k + 1 == typed());
      const float replaced = diagonal + cost;
      diagonal = best[b];
      best[b] = std::min({replaced, best[b] + kInsertion, best[b - 1] + kOmission});
    }
  }
  // Of several places, the last: as many words as possible are what has been typed.
  const auto last = std::min_element(best.rbegin(), best.rend());
  return static_cast<std::int32_t>(best.rend() - last) - 1;
}

// Makes the forest of what is within the beam, from the goal down.
class PrefixSearch::Narrowing {
 public:
  Narrowing(PrefixSearch& search, double beam)
      : search_(search),
        source_(*search.forest_),
        out_(Forest::made_from(search.forest_)),
        by_node_(source_.nodes()) {
    if (!source_.empty()) least_ = search.to_boundary(source_.goal(), 0) - beam - kScoreRounding;
  }

  std::shared_ptr<Forest> run() {
    if (source_.empty()) return out_;
    state({source_.goal(), 0, kBoundary}, 0);
    for (NodeId v = source_.nodes(); v-- > 0;) {
      for (const StateId s : by_node_[v]) expand(s);
    }
    write();
    return out_;
  }

 private:
  using StateId = std::int32_t;
  static constexpr Place kBoundary = -1, kFree = -2;
  // A node that meets the typed words from one place to another one, to the boundary, or none.
  struct State {
    NodeId node;
    Place from, to;
    auto operator<=>(const State&) const = default;
  };
  struct Edge {
    EdgeId edge;
    std::vector<State> tails;
    double score;
  };
  struct Found {
    State state;
    double outside;
    std::vector<Edge> edges;
  };

  double inside_of(const State& s) const {
    if (s.to == kFree) return search_.inside_[s.node];
    if (s.to == kBoundary) return search_.to_boundary(s.node, s.from);
    return search_.met(s.node, s.from, s.to);
  }

  void state(const State& s, double outside) {
    const auto [entry, fresh] = numbers_.try_emplace(s, found_.count());
    if (fresh) {
      by_node_[s.node].push_back(found_.count());
      found_.push_back({s, outside, {}});
    }
    double& best = found_[entry->second].outside;
    best = std::max(best, outside);
  }

  void expand(StateId s) {
    const State state = found_[s].state;
    if (state.to != kFree)
      search_.start_pass(state.to == kBoundary ? search_.typed() : state.to, state.to == kBoundary);
    for (const EdgeId e : source_.edges_into(state.node)) {
      edge_ = e;
      outer_ = found_[s].outside + source_.score[e];
      tails_.assign(source_.tails_of(e).count(), {});
      alternatives_.clear();
      visited_.clear();
      const SuffixId whole = search_.suffix_[e];
      if (state.to == kFree) {
        if (outer_ + search_.suffixes_[whole].free >= least_) finish(whole, 0);
      } else if (outer_ + search_.met(search_.row(whole), state.from) >= least_) {
        match(whole, state.from, 0);
      }
      for (const auto& [tails, edits] : alternatives_) {
        found_[s].edges.push_back({e, tails, source_.score[e] - edits});
        double sum = outer_ - edits;
        for (const State& each : tails) sum += inside_of(each);
        for (const State& each : tails) this->state(each, sum - inside_of(each));
      }
    }
  }

  // The symbols before a suffix have met the typed words up to place k, at a cost of `edits`; the
  // tails' scores are in `inner_`.
  void match(SuffixId s, Place k, double edits) {
    if (search_.at_boundary_ && k == search_.to_) return finish(s, edits);
    const auto [fewest, first] = visited_.try_emplace({s, k, tails_}, edits);
    if (!first && fewest->second <= edits) return;
    fewest->second = edits;
    const double cost = search_.edit_cost_;
    const Suffix suffix = search_.suffixes_[s];
    if (suffix.next < 0) return finish(s, edits + cost * kInsertion * (search_.to_ - k));
    const auto step = [&](SuffixId next, Place place, double edit) {
      if (outer_ + inner_ - edits - cost * edit + search_.met(search_.row(next), place) >= least_)
        match(next, place, edits + cost * edit);
    };
    if (suffix.symbol >= 0) {
      if (k < search_.to_) {
        step(suffix.next, k + 1, search_.typed_[k].cost[suffix.symbol]);
        step(s, k + 1, kInsertion);
      }
      return step(suffix.next, k, kOmission);
    }
    const NodeId v = ~suffix.symbol;
    const std::int32_t number = tail_of(s);
    const auto pass = [&](const State& state, double rest, auto&& onward) {
      const double own = inside_of(state);
      if (!(outer_ + inner_ - edits + own + rest >= least_)) return;
      tails_[number] = state;
      inner_ += own;
      onward();
      inner_ -= own;
      tails_[number] = {};
    };
    if (search_.at_boundary_) {
      pass({v, k, kBoundary}, search_.suffixes_[suffix.next].free,
           [&] { finish(suffix.next, edits); });
    }
    for (Place j = k; j <= search_.to_ - (search_.at_boundary_ ? 1 : 0); ++j)
      pass({v, k, j}, search_.met(search_.row(suffix.next), j),
           [&] { match(suffix.next, j, edits); });
  }

  // The tail that a suffix of the edge at work begins with.
  std::int32_t tail_of(SuffixId s) const {
    const std::span<const Symbol> target = source_.rule(edge_).target;
    std::size_t left = 0;
    for (; search_.suffixes_[s].next >= 0; s = search_.suffixes_[s].next) ++left;
    return -target[target.size() - left];
  }

  // The symbols of a suffix meet nothing. Of several ways to the same tails, the one with the
  // fewest edits stays.
  void finish(SuffixId s, double edits) {
    std::vector<State> tails = tails_;
    for (; search_.suffixes_[s].next >= 0; s = search_.suffixes_[s].next) {
      const std::int32_t symbol = search_.suffixes_[s].symbol;
      if (symbol < 0) tails[place_of(tail_of(s))] = {~symbol, 0, kFree};
    }
    const auto [entry, fresh] = alternatives_.try_emplace(std::move(tails), edits);
    if (!fresh) entry->second = std::min(entry->second, edits);
  }

  void write() {
    IdVector<StateId, NodeId> number(found_.count(), -1);
    for (const NodeId v : by_node_.ids()) {
      for (const StateId s : by_node_[v]) {
        number[s] = out_->nodes();
        for (const Edge& edge : found_[s].edges) {
          out_->local_rule.push_back(source_.local_rule[edge.edge]);
          out_->head.push_back(out_->nodes());
          for (const State& each : edge.tails)
            out_->tails.values.push_back(number[numbers_.at(each)]);
          out_->tails.close();
          out_->score.push_back(edge.score);
          out_->source_edge.push_back(edge.edge);
        }
        out_->category.push_back(source_.category[v]);
        out_->span.push_back(source_.span[v]);
        out_->edges_begin.push_back(out_->edges());
      }
    }
    out_->separate_edges();
  }

  PrefixSearch& search_;
  const Forest& source_;
  std::shared_ptr<Forest> out_;
  double least_ = kNever;  // the score of the worst derivation within the beam
  IdVector<StateId, Found> found_;
  std::map<State, StateId> numbers_;
  IdVector<NodeId, std::vector<StateId>> by_node_;

  // the edge at work
  EdgeId edge_ = -1;
  double outer_ = 0, inner_ = 0;
  IdVector<std::int32_t, State> tails_;
  // By suffix, place and the tails so far, and by the tails of a whole edge: the fewest edits.
  std::map<std::tuple<SuffixId, Place, std::vector<State>>, double> visited_;
  std::map<std::vector<State>, double> alternatives_;
};

std::shared_ptr<Forest> PrefixSearch::within(double share) {
  return Narrowing(*this, share * score_range_).run();
}

}  // namespace hopefear
