#include "forest/prefix_narrowing.h"

#include <map>
#include <set>
#include <tuple>

namespace hopefear {
namespace {

constexpr double kScoreRounding = 1e-6;
constexpr Place kBoundary = PrefixScores::kBoundary, kFree = -2;

// Makes the forest from the goal down.
class Narrowing {
 public:
  Narrowing(const std::shared_ptr<const Forest>& source, const TargetSuffixes& target,
            const IdVector<NodeId, double>& inside, PrefixScores& scores, Place typed)
      : source_(*source),
        target_(target),
        inside_(inside),
        scores_(scores),
        typed_(typed),
        out_(Forest::made_from(source)),
        free_(source->nodes(), kNone),
        by_node_(source->nodes()) {}

  std::shared_ptr<Forest> run(double beam) {
    if (source_.empty()) return out_;
    const State whole{source_.goal(), 0, kBoundary};
    least_ = inside_of(whole) - beam - kScoreRounding;
    state(whole, 0);
    for (NodeId v = source_.nodes(); v-- > 0;) {
      for (const StateId s : by_node_[v]) expand(s);
    }
    write();
    return out_;
  }

 private:
  using StateId = std::int32_t;
  static constexpr StateId kNone = -1;
  // A node that meets the typed words from one place to another one, to the boundary, or none.
  struct State {
    NodeId node;
    Place from, to;
    auto operator<=>(const State&) const = default;
  };
  using Number = std::int32_t;  // of an edge that was found
  struct Found {
    State state;
    double outside;
    Number begin = 0, end = 0;  // its edges
  };

  double inside_of(const State& s) {
    return s.to == kFree ? inside_[s.node] : scores_.node(s.node, s.from, s.to);
  }

  void state(const State& s, double outside) {
    StateId& number = s.to == kFree ? free_[s.node] : numbers_.try_emplace(s, kNone).first->second;
    if (number == kNone) {
      number = found_.count();
      by_node_[s.node].push_back(number);
      found_.push_back({s, outside});
    }
    double& best = found_[number].outside;
    best = std::max(best, outside);
  }

  void expand(StateId s) {
    found_[s].begin = edges_.count();
    if (found_[s].state.to == kFree) {
      expand_free(s);
    } else {
      expand_meeting(s);
    }
    found_[s].end = edges_.count();
  }

  void expand_meeting(StateId s) {
    const State state = found_[s].state;
    to_ = state.to;
    const int edits = scores_.edits(state.node, state.from, to_);
    for (const EdgeId e : source_.edges_into(state.node)) {
      edge_ = e;
      outer_ = found_[s].outside + source_.score[e];
      tails_.assign(source_.tails_of(e).count(), {});
      alternatives_.clear();
      visited_.clear();
      const SuffixId whole = target_.of_edge[e];
      if (outer_ + scores_.suffix(whole, state.from, to_, edits) >= least_)
        match(whole, state.from, edits);
      for (const auto& tails : alternatives_) {
        edges_.push_back(e);
        for (const State& each : tails) edge_tails_.values.push_back(each);
        edge_tails_.close();
        double sum = outer_;
        for (const State& each : tails) sum += inside_of(each);
        for (const State& each : tails) this->state(each, sum - inside_of(each));
      }
    }
  }

  void expand_free(StateId s) {
    const NodeId v = found_[s].state.node;
    for (const EdgeId e : source_.edges_into(v)) {
      const double sum =
          found_[s].outside + source_.score[e] + target_.suffixes[target_.of_edge[e]].best;
      if (sum < least_) continue;
      edges_.push_back(e);
      for (const NodeId tail : source_.tails_of(e)) {
        edge_tails_.values.push_back({tail, 0, kFree});
        state(edge_tails_.values.back(), sum - inside_[tail]);
      }
      edge_tails_.close();
    }
  }

  // The symbols before a suffix have met the typed words up to place k, and so many edits are left;
  // the tails' scores are in `inner_`.
  void match(SuffixId s, Place k, int edits) {
    if (to_ == kBoundary && k == typed_) return finish(s);
    if (!visited_.insert({s, k, tails_}).second) return;
    const TargetSuffixes::Suffix& suffix = target_.suffixes[s];
    if (suffix.symbol >= 0) {
      if (suffix.is_end() && to_ != kBoundary) return finish(s);
      scores_.after_word(s, k, to_, edits, [&](SuffixId next, Place place, int left) {
        if (outer_ + inner_ + scores_.suffix(next, place, to_, left) >= least_)
          match(next, place, left);
      });
      return;
    }
    const std::int32_t number = tail_of(s);
    scores_.after_node(s, k, to_, edits, [&](Place inner, SuffixId next, Place place, int left) {
      const double rest =
          place == kBoundary ? target_.suffixes[next].best : scores_.suffix(next, place, to_, left);
      if (rest == PrefixScores::kNever) return;
      const State tail{suffix.node(), k, inner};
      const double own = inside_of(tail);
      if (!(outer_ + inner_ + own + rest >= least_)) return;
      tails_[number] = tail;
      inner_ += own;
      if (place == kBoundary) {
        finish(next);
      } else {
        match(next, place, left);
      }
      inner_ -= own;
      tails_[number] = {};
    });
  }

  // The tail that a suffix of the edge at work begins with.
  std::int32_t tail_of(SuffixId s) const {
    const std::span<const Symbol> target = source_.rule(edge_).target;
    std::size_t left = 0;
    for (; !target_.suffixes[s].is_end(); s = target_.suffixes[s].next) ++left;
    return -target[target.size() - left];
  }

  // The symbols of a suffix meet nothing.
  void finish(SuffixId s) {
    std::vector<State> tails = tails_;
    for (; !target_.suffixes[s].is_end(); s = target_.suffixes[s].next) {
      const std::int32_t symbol = target_.suffixes[s].symbol;
      if (symbol < 0) tails[place_of(tail_of(s))] = {~symbol, 0, kFree};
    }
    alternatives_.insert(std::move(tails));
  }

  void write() {
    IdVector<StateId, NodeId> number(found_.count(), -1);
    for (const NodeId v : by_node_.ids()) {
      for (const StateId s : by_node_[v]) {
        number[s] = out_->nodes();
        for (const Number i : ids(found_[s].begin, found_[s].end)) {
          for (const State& each : edge_tails_[i])
            out_->tails.values.push_back(
                number[each.to == kFree ? free_[each.node] : numbers_.at(each)]);
          out_->add_edge(edges_[i], source_.score[edges_[i]]);
        }
        out_->add_node(v);
      }
    }
    out_->separate_edges();
  }

  const Forest& source_;
  const TargetSuffixes& target_;
  const IdVector<NodeId, double>& inside_;
  PrefixScores& scores_;
  Place typed_;
  std::shared_ptr<Forest> out_;
  double least_ = 0;  // the score of the worst derivation within the beam
  IdVector<StateId, Found> found_;
  std::map<State, StateId> numbers_;
  IdVector<NodeId, StateId> free_;  // of the nodes that meet nothing
  IdVector<NodeId, std::vector<StateId>> by_node_;
  IdVector<Number, EdgeId> edges_;
  IdRows<Number, State> edge_tails_;

  // the edge at work
  Place to_ = 0;
  EdgeId edge_ = -1;
  double outer_ = 0, inner_ = 0;
  IdVector<std::int32_t, State> tails_;
  // Suffixes and places with the tails so far, and the tails of a whole edge.
  std::set<std::tuple<SuffixId, Place, std::vector<State>>> visited_;
  std::set<std::vector<State>> alternatives_;
};

}  // namespace

std::shared_ptr<Forest> narrowed(const std::shared_ptr<const Forest>& forest,
                                 const TargetSuffixes& target,
                                 const IdVector<NodeId, double>& inside, PrefixScores& scores,
                                 Place typed, double beam) {
  return Narrowing(forest, target, inside, scores, typed).run(beam);
}

}  // namespace hopefear
