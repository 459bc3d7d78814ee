#include "search/cube_pruning.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <limits>

#include "search/agenda.h"
#include "search/items.h"
#include "search/pop_shares.h"
#include "search/residual.h"
#include "search/scored_candidates.h"

namespace hopefear {
namespace {

// Standard deviations by which a candidate may exceed what is predicted: it is scored before worse
// ones are accepted. The number falls to 0 with the last pop of a node, because the best items of a
// node matter most. A candidate with the next item of a tail, instead of the next edge, is scored
// by its prediction alone: more of those cost more than they find.
constexpr double kOptimism = 2;
// The part of a candidate's error that its neighbours in the cube are expected to share.
constexpr double kSharedError = 0.75;
// Candidates to score at once for scorers that want batches. Their neighbours come into play only
// then, so the more, the cheaper and the less directed.
constexpr std::int32_t kRound = 64;

// Forests with fewer nodes than this, sentences of at most six words, get more pops a node: twice
// as many with 24 nodes, 27 times as many with 10. They remain cheap, and their
// k-best lists come near to those of a full search.
constexpr double kFewNodes = 30;

// Items of a node that need no larger table.
constexpr std::int32_t kUsualItems = 128;

constexpr std::int32_t kUnlimited = std::numeric_limits<std::int32_t>::max();

// A group of the node at work.
struct Cube {
  EdgeId first_edge;
  std::int32_t edges;
  std::size_t arity;
  std::size_t first_axis;
};

struct Scorer {
  std::unique_ptr<SentenceScorer> sentence;
  std::size_t state_offset;
  std::size_t first_value;
  bool leaves_marks, wants_batches;
  Marks marks;         // of accepted candidates
  Marks scored_marks;  // of scored candidates
};

class CubePruning {
 public:
  CubePruning(const std::shared_ptr<const Forest>& source,
              std::span<const StatefulScorer* const> scorers, const double* weights,
              const SearchOptions& options)
      : source_(*source),
        out_(Forest::made_from(source)),
        options_(options),
        pop_limit_(for_nodes(options.pop_limit, source->nodes())),
        scorers_(begin(scorers, weights)),
        items_(source_, stride_, out_->scorer_features.size()),
        scored_(stride_, out_->scorer_features.size()) {}

  std::shared_ptr<Forest> run() {
    if (!source_.empty()) {
      bound_edges();
      std::size_t group = 0;
      for (NodeId v = 0; v < source_.nodes(); ++v) {
        const std::size_t first = group;
        while (source_.groups[group] < source_.edges_begin[static_cast<std::size_t>(v) + 1])
          ++group;
        complete(v, first, group);
      }
      write_forest();
    }
    out_->separate_edges();
    return out_;
  }

 private:
  static std::int32_t for_nodes(std::int32_t pop_limit, NodeId nodes) {
    const double factor = std::pow(std::max(1.0, kFewNodes / std::max(nodes, 1)), 3);
    return static_cast<std::int32_t>(std::min(pop_limit * factor, 1e9));
  }

  // What a candidate is predicted from: its bound, its group's edge before it, or the candidate
  // with a tail's item before its own. The three predictions fail by different amounts.
  enum Origin : std::uint8_t { kBound, kEdge, kItem };

  std::vector<Scorer> begin(std::span<const StatefulScorer* const> scorers, const double* weights) {
    std::vector<Scorer> begun;
    std::vector<FeatureId>& features = out_->scorer_features;
    for (const StatefulScorer* scorer : scorers) {
      assert(!scorer->wants_batches() || (scorer->features().empty() && scorer->leaves_marks()));
      begun.push_back({scorer->begin(source_, weights),
                       stride_,
                       features.size(),
                       scorer->leaves_marks(),
                       scorer->wants_batches(),
                       {},
                       {}});
      stride_ += (scorer->state_size() + 7) / 8 * 8;
      features.insert(features.end(), scorer->features().begin(), scorer->features().end());
      in_rounds_ |= scorer->wants_batches();
    }
    return begun;
  }

  EdgeId first_edge(std::int32_t group) const {
    return source_.groups[static_cast<std::size_t>(group)];
  }
  std::int32_t group_size(std::int32_t group) const {
    return first_edge(group + 1) - first_edge(group);
  }
  std::span<const NodeId> group_tails(std::int32_t group) const {
    return source_.tails_of(first_edge(group));
  }

  // Bounds every edge, puts the best of each group first, and shares out the pops.
  void bound_edges() {
    std::vector<double> rule_estimate(source_.rules.size(), 0.0);
    for (const Scorer& scorer : scorers_) {
      for (std::size_t r = 0; r < rule_estimate.size(); ++r) {
        rule_estimate[r] += scorer.sentence->estimate(static_cast<std::int32_t>(r));
      }
    }
    const std::size_t n = source_.local_rule.size();
    bounds_.resize(n);
    order_.resize(n);
    for (std::size_t e = 0; e < n; ++e) {
      order_[e] = static_cast<EdgeId>(e);
      bounds_[e] = options_.scale * source_.score[e] +
                   rule_estimate[static_cast<std::size_t>(source_.local_rule[e])];
    }
    std::vector<double> best_bounds(source_.groups.size() - 1);
    for (std::size_t g = 0; g < best_bounds.size(); ++g) {
      const auto begin = static_cast<std::size_t>(source_.groups[g]);
      const auto end = static_cast<std::size_t>(source_.groups[g + 1]);
      std::size_t best = begin;
      for (std::size_t e = begin + 1; e < end; ++e) {
        if (bounds_[e] > bounds_[best]) best = e;
      }
      std::swap(order_[begin], order_[best]);
      best_bounds[g] = bounds_[best];
    }
    pops_ = pop_limit_ == 0 || is_small()
                ? std::vector<std::int32_t>(static_cast<std::size_t>(source_.nodes()), kUnlimited)
                : share_out_pops(source_, best_bounds, pop_limit_);
  }

  // Whether all candidates of all nodes are no more than the limit allows for that many nodes, even
  // if no two derivations recombine.
  bool is_small() const {
    const double most = static_cast<double>(pop_limit_) * source_.nodes();
    std::vector<double> derivations(static_cast<std::size_t>(source_.nodes()), 0.0);
    double sum = 0;
    for (std::size_t g = 0; g + 1 < source_.groups.size() && sum <= most; ++g) {
      const auto group = static_cast<std::int32_t>(g);
      double of_group = group_size(group);
      for (const NodeId tail : group_tails(group))
        of_group *= derivations[static_cast<std::size_t>(tail)];
      const NodeId head = source_.head[static_cast<std::size_t>(first_edge(group))];
      derivations[static_cast<std::size_t>(head)] += of_group;
      sum += of_group;
    }
    return sum <= most;
  }

  void complete(NodeId v, std::size_t first_group, std::size_t last_group) {
    agenda_.clear();
    candidates_.clear();
    coordinates_.clear();
    cubes_.clear();
    axes_.clear();
    forget_scored(0);
    std::int32_t pops = pops_[static_cast<std::size_t>(v)];
    if (has_few_candidates(first_group, last_group)) pops = kUnlimited;
    items_.start_node(v == source_.goal(), std::min(pops, kUsualItems));
    const double limit = pops;
    optimism_ = pops == kUnlimited ? 0 : kOptimism;  // all are accepted, in any order
    for (std::size_t g = first_group; g < last_group; ++g) start(static_cast<std::int32_t>(g));
    agenda_.order();
    while (pops > 0 && !agenda_.empty()) {
      const Candidate candidate =
          candidates_[static_cast<std::size_t>(agenda_.top().candidate)];  // a copy: more come
      if (in_rounds_) {
        pops -= pop_round(std::min(pops, kRound));
      } else if (candidate.scored == Candidate::kUnscored) {
        score_top();
      } else {
        accept(candidate.scored);
        replace_by_neighbours(candidate);
        --pops;
      }
      if (optimism_ > 0) optimism_ = kOptimism * pops / limit;
    }
    items_.finish_node();
  }

  // Sentences of thousands of words have no pops to give away.
  bool has_few_candidates(std::size_t first_group, std::size_t last_group) const {
    const double few = pop_limit_ * std::min(1.0, kMostShares / source_.nodes());
    double candidates = 0;
    for (std::size_t g = first_group; g < last_group && candidates <= few; ++g) {
      const auto group = static_cast<std::int32_t>(g);
      double of_group = group_size(group);
      for (const NodeId tail : group_tails(group)) of_group *= items_.count(tail);
      candidates += of_group;
    }
    return candidates <= few;
  }

  // The best candidate of a group. The other edges are put in order when it is scored.
  void start(std::int32_t group) {
    const std::span<const NodeId> tails = group_tails(group);
    const Cube cube{first_edge(group), group_size(group), tails.size(), axes_.size()};
    double sum = bounds_[static_cast<std::size_t>(edge_at(cube, 0))];
    for (const NodeId tail : tails) {
      const std::span<const Items::Ranked> axis = items_.ranked(tail);
      if (axis.empty()) return axes_.resize(cube.first_axis);
      axes_.push_back(axis);
      sum += axis.front().score;
    }
    const std::size_t place = coordinates_.size();
    coordinates_.insert(coordinates_.end(), tails.size() + 1, 0);
    cubes_.push_back(cube);
    agenda_.add_unordered(
        predicted(kBound, sum, sum, static_cast<std::int32_t>(cubes_.size()) - 1, place));
  }

  EdgeId edge_at(const Cube& cube, std::int32_t rank) const {
    return order_[static_cast<std::size_t>(cube.first_edge + rank)];
  }
  const Cube& cube_of(const Candidate& candidate) const {
    return cubes_[static_cast<std::size_t>(candidate.cube)];
  }
  const std::int32_t* coordinates_of(const Candidate& candidate) const {
    return coordinates_.data() + candidate.place;
  }

  // A new candidate. `sum` and `score` are as in Candidate.
  Ranking predicted(Origin origin, double sum, double score, std::int32_t cube, std::size_t place) {
    const double deviations = origin == kItem ? 0 : optimism_;
    const std::size_t arity = cubes_[static_cast<std::size_t>(cube)].arity;
    const auto number = static_cast<std::int32_t>(candidates_.size());
    candidates_.push_back(
        {sum, score, cube, static_cast<std::int32_t>(place), Candidate::kUnscored, origin});
    return {score + residual_of(origin, arity).at_most(deviations), number};
  }

  // Rules with more nonterminals have more borders where a prediction may fail.
  Residual& residual_of(std::uint8_t origin, std::size_t arity) {
    return residuals_[3 * std::min<std::size_t>(arity, 2) + origin];
  }

  // Scores the candidate on top of the agenda, which gets its place by its score.
  void score_top() {
    const std::int32_t number = agenda_.top().candidate;
    Candidate& candidate = candidates_[static_cast<std::size_t>(number)];
    tail_states_used_ = 0;
    candidate.scored = lay_out(candidate);
    agenda_.replace_top({learn_score(candidate), number});
    push_next_edge(candidate);
  }

  // Scores the best few candidates together, and accepts them all; returns how many.
  std::int32_t pop_round(std::int32_t most) {
    round_.clear();
    std::size_t tails = 0;
    for (; most > 0 && !agenda_.empty(); --most) {
      round_.push_back(agenda_.top().candidate);
      tails += cube_of(candidates_[static_cast<std::size_t>(round_.back())]).arity;
      agenda_.pop();
    }
    tail_states_used_ = 0;
    tail_states_.resize(tails * scorers_.size());  // spans into it must stay
    batches_.assign(scorers_.size(), {});
    for (const std::int32_t number : round_) {
      Candidate& candidate = candidates_[static_cast<std::size_t>(number)];
      candidate.scored = lay_out(candidate);
    }
    batch_scores_.resize(round_.size());
    for (std::size_t s = 0; s < scorers_.size(); ++s) {
      if (scorers_[s].wants_batches) score_batch(scorers_[s], batches_[s]);
    }
    for (const std::int32_t number : round_) {
      learn_score(candidates_[static_cast<std::size_t>(number)]);
      const Candidate candidate = candidates_[static_cast<std::size_t>(number)];
      accept(candidate.scored);
      push_next_edge(candidate);
      visit_next_items(candidate, [this](const Ranking& next) { agenda_.push(next); });
    }
    forget_scored(0);
    return static_cast<std::int32_t>(round_.size());
  }

  std::int32_t scored_of(std::int32_t candidate) const {
    return candidates_[static_cast<std::size_t>(candidate)].scored;
  }

  void score_batch(Scorer& scorer, std::span<ScoredEdge> batch) {
    for (std::size_t i = 0; i < round_.size(); ++i)
      batch[i].state = scored_.state(scored_of(round_[i])) + scorer.state_offset;
    Marks& marks = scorer.scored_marks;
    const std::int32_t first = marks.begin.back();
    scorer.sentence->score_batch(batch, batch_scores_, marks.values);
    for (std::size_t i = 0; i < round_.size(); ++i) {
      Scored& scored = scored_[scored_of(round_[i])];
      scored.edge_score += batch_scores_[i];
      scored.total += batch_scores_[i];
      add_hash(scored, scorer, batch[i].state);
      marks.begin.push_back(first + static_cast<std::int32_t>(i) + 1);
    }
    assert(static_cast<std::size_t>(marks.begin.back()) == marks.values.size());
  }

  // Finds a candidate's tail items, and asks the scorers that do not want batches.
  std::int32_t lay_out(const Candidate& candidate) {
    const std::int32_t* coordinates = coordinates_of(candidate);
    const Cube& cube = cube_of(candidate);
    const std::size_t arity = cube.arity;
    const EdgeId e = edge_at(cube, coordinates[0]);
    const std::int32_t number = scored_.add(e, arity);
    Scored& scored = scored_[number];
    const std::span<std::int32_t> tail_items = scored_.tails(scored, arity);
    const std::size_t first_tail_state = tail_states_used_;
    tail_states_used_ += scorers_.size() * arity;
    if (tail_states_.size() < tail_states_used_) tail_states_.resize(tail_states_used_);
    const std::byte** tail_states = tail_states_.data() + first_tail_state;
    double tail_scores = 0;
    for (std::size_t t = 0; t < arity; ++t) {
      const Items::Ranked& tail =
          axes_[cube.first_axis + t][static_cast<std::size_t>(coordinates[t + 1])];
      tail_items[t] = tail.item;
      tail_scores += tail.score;
      const std::byte* state = items_.state(tail.item);
      for (std::size_t s = 0; s < scorers_.size(); ++s) {
        tail_states[s * arity + t] = state + scorers_[s].state_offset;
      }
    }
    std::byte* state = scored_.state(number);
    float* values = scored_.values(number).data();
    scored.edge_score = options_.scale * source_.score[static_cast<std::size_t>(e)];
    for (std::size_t s = 0; s < scorers_.size(); ++s) {
      Scorer& scorer = scorers_[s];
      const ScoredEdge edge{e,
                            {tail_states + s * arity, arity},
                            state + scorer.state_offset,
                            values + scorer.first_value};
      if (scorer.wants_batches) {
        batches_[s].push_back(edge);
        continue;
      }
      scored.edge_score += scorer.sentence->score(edge, scorer.scored_marks.values);
      add_hash(scored, scorer, edge.state);
      if (scorer.leaves_marks) scorer.scored_marks.close();
    }
    scored.total = scored.edge_score + tail_scores;
    return number;
  }

  static void add_hash(Scored& scored, const Scorer& scorer, const std::byte* state) {
    scored.hash = (scored.hash ^ scorer.sentence->hash(state)) * 0x9E3779B97F4A7C15ULL;
  }

  double learn_score(Candidate& candidate) {
    const double score = scored_[candidate.scored].total;
    residual_of(candidate.origin, cube_of(candidate).arity).add(score - candidate.score);
    return candidate.score = score;
  }

  // Adds a scored candidate to its item.
  void accept(std::int32_t number) {
    const Scored& scored = scored_[number];
    items_.add(scored, scored_.tails(scored, source_.tails_of(scored.edge).size()),
               scored_.state(number), scored_.values(number),
               [this](const std::byte* a, const std::byte* b) {
                 return std::ranges::all_of(scorers_, [&](const Scorer& scorer) {
                   return scorer.sentence->equal(a + scorer.state_offset, b + scorer.state_offset);
                 });
               });
    for (Scorer& scorer : scorers_) {
      if (scorer.leaves_marks)
        scorer.marks.append(scorer.scored_marks.of(static_cast<std::size_t>(number)));
    }
    if (number == scored_.count() - 1) forget_scored(number);  // mostly it was scored just now
  }

  void forget_scored(std::int32_t from) {
    scored_.shrink(from);
    for (Scorer& scorer : scorers_) {
      if (scorer.leaves_marks) scorer.scored_marks.shrink(static_cast<std::size_t>(from));
    }
  }

  // Puts the next edge of a group on the agenda, when an edge was scored with its tails' best
  // items.
  void push_next_edge(const Candidate candidate) {
    if (candidate.origin == kItem) return;
    const Cube& cube = cube_of(candidate);
    const std::int32_t at = coordinates_of(candidate)[0];
    if (at == 0) sort_edges(cube);
    if (at + 1 == cube.edges) return;
    const double step = bounds_[static_cast<std::size_t>(edge_at(cube, at + 1))] -
                        bounds_[static_cast<std::size_t>(edge_at(cube, at))];
    agenda_.push(neighbour(candidate, 0, step));
  }

  // Takes the accepted candidate, which is on top, off the agenda, and puts those with the next
  // item of a tail there.
  void replace_by_neighbours(const Candidate& candidate) {
    bool on_top = true;
    visit_next_items(candidate, [&](const Ranking& next) {
      if (on_top) {
        agenda_.replace_top(next);
        on_top = false;
      } else {
        agenda_.push(next);
      }
    });
    if (on_top) agenda_.pop();
  }

  // Calls visit(neighbour) for the neighbours along the tails. Each point of a cube is reached from
  // one neighbour only: the one that is a step nearer to the origin along the last coordinate that
  // is not 0.
  template <class Visit>
  void visit_next_items(const Candidate& candidate, Visit&& visit) {
    const Cube& cube = cube_of(candidate);
    std::size_t last = cube.arity;
    while (last > 1 && coordinates_of(candidate)[last] == 0) --last;
    for (std::size_t d = std::max<std::size_t>(last, 1); d <= cube.arity; ++d) {
      const std::span<const Items::Ranked> axis = axes_[cube.first_axis + d - 1];
      const auto at = static_cast<std::size_t>(coordinates_of(candidate)[d]);
      if (at + 1 < axis.size()) visit(neighbour(candidate, d, axis[at + 1].score - axis[at].score));
    }
  }

  // The candidate one step further along a coordinate, which adds `step` to the sum.
  Ranking neighbour(const Candidate& of, std::size_t coordinate, double step) {
    const std::size_t next = coordinates_.size();
    for (std::size_t d = 0; d <= cube_of(of).arity; ++d)
      coordinates_.push_back(coordinates_[static_cast<std::size_t>(of.place) + d]);
    ++coordinates_[next + coordinate];
    const double error = of.score - of.sum;
    const double sum = of.sum + step;
    return predicted(coordinate == 0 ? kEdge : kItem, sum, sum + kSharedError * error, of.cube,
                     next);
  }

  void sort_edges(const Cube& cube) {
    const auto begin = order_.begin() + cube.first_edge;
    std::sort(begin + 1, begin + cube.edges, [this](EdgeId a, EdgeId b) {
      const double x = bounds_[static_cast<std::size_t>(a)],
                   y = bounds_[static_cast<std::size_t>(b)];
      return x > y || (x == y && a < b);
    });
  }

  void write_forest() {
    std::vector<Marks*> marks;
    for (Scorer& scorer : scorers_) {
      if (scorer.leaves_marks) marks.push_back(&scorer.marks);
    }
    items_.write(*out_, marks);
    for (const Scorer& scorer : scorers_) {
      if (scorer.leaves_marks) scorer.sentence->fire(out_->source_edge, scorer.marks, *out_);
    }
  }

  const Forest& source_;
  std::shared_ptr<Forest> out_;
  SearchOptions options_;
  std::int32_t pop_limit_;  // for the forest's size, 0 for none
  std::size_t stride_ = 0;  // bytes of the states of one item
  bool in_rounds_ = false;
  std::vector<Scorer> scorers_;
  Items items_;
  ScoredCandidates scored_;
  std::array<Residual, 9> residuals_;  // by number of nonterminals and origin

  std::vector<double> bounds_;      // by edge of the source forest
  std::vector<EdgeId> order_;       // the edges of each group, best bound first
  std::vector<std::int32_t> pops_;  // by node of the source forest

  // of the node at work
  double optimism_ = 0;
  Agenda agenda_;
  std::vector<Candidate> candidates_;
  std::vector<Cube> cubes_;
  std::vector<std::span<const Items::Ranked>> axes_;  // the items of each tail of each cube
  std::vector<std::int32_t> coordinates_;
  std::vector<const std::byte*> tail_states_;
  std::size_t tail_states_used_ = 0;

  // of the round at work
  std::vector<std::int32_t> round_;               // candidates
  std::vector<std::vector<ScoredEdge>> batches_;  // by scorer
  std::vector<double> batch_scores_;
};

}  // namespace

std::shared_ptr<Forest> rescore(const std::shared_ptr<const Forest>& source,
                                std::span<const StatefulScorer* const> scorers,
                                const double* weights, const SearchOptions& options) {
  return CubePruning(source, scorers, weights, options).run();
}

}  // namespace hopefear
