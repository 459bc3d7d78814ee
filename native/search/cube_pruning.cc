#include "search/cube_pruning.h"

#include <array>
#include <limits>

#include "forest/score.h"
#include "search/agenda.h"
#include "search/items.h"
#include "search/pop_shares.h"
#include "search/residual.h"

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
  std::int32_t arity;
  std::int32_t first_axis;
};

using Axis = IdSpan<std::int32_t, const Items::Ranked>;

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
              std::span<const StatefulScorer* const> scorers, const Weights* weights,
              const SearchOptions& options)
      : source_(*source),
        out_(Forest::made_from(source)),
        weights_(weights),
        options_(options),
        pop_limit_(for_nodes(options.pop_limit, source->nodes())),
        scorers_(begin(scorers, weights == nullptr ? nullptr : weights->data())),
        items_(source_, stride_, out_->scorer_features.size()),
        scored_(stride_, out_->scorer_features.size()) {}

  std::shared_ptr<Forest> run() {
    if (!source_.empty()) {
      bound_edges();
      GroupId group = 0;
      for (const NodeId v : source_.category.ids()) {
        const GroupId first = group;
        while (source_.groups[group] < source_.edges_begin[v + 1]) ++group;
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

  EdgeId first_edge(GroupId group) const { return source_.groups[group]; }
  std::int32_t group_size(GroupId group) const { return first_edge(group + 1) - first_edge(group); }
  auto group_tails(GroupId group) const { return source_.tails_of(first_edge(group)); }

  // Bounds every edge, puts the best of each group first, and shares out the pops.
  void bound_edges() {
    IdVector<LocalRule, double> rule_estimate(source_.rules.count(), 0.0);
    for (const Scorer& scorer : scorers_) {
      for (const LocalRule r : rule_estimate.ids())
        rule_estimate[r] += scorer.sentence->estimate(r);
    }
    bounds_.resize(source_.edges());
    order_.resize(source_.edges());
    for (const EdgeId e : bounds_.ids()) {
      order_[e] = e;
      bounds_[e] = options_.scale * source_.score[e] + rule_estimate[source_.local_rule[e]];
      if (!is_usable(bounds_[e])) [[unlikely]]
        refuse(bounds_[e], e);
    }
    IdVector<GroupId, double> best_bounds(source_.groups.count() - 1);
    for (const GroupId g : best_bounds.ids()) {
      const EdgeId begin = source_.groups[g], end = source_.groups[g + 1];
      EdgeId best = begin;
      for (EdgeId e = begin + 1; e < end; ++e) {
        if (bounds_[e] > bounds_[best]) best = e;
      }
      std::swap(order_[begin], order_[best]);
      best_bounds[g] = bounds_[best];
    }
    pops_ = pop_limit_ == 0 || is_small()
                ? IdVector<NodeId, std::int32_t>(source_.nodes(), kUnlimited)
                : share_out_pops(source_, best_bounds, pop_limit_);
  }

  // Whether all candidates of all nodes are no more than the limit allows for that many nodes, even
  // if no two derivations recombine.
  bool is_small() const {
    const double most = 1.0 * pop_limit_ * source_.nodes();
    IdVector<NodeId, double> derivations(source_.nodes(), 0.0);
    double sum = 0;
    for (GroupId group = 0; group + 1 < source_.groups.count() && sum <= most; ++group) {
      double of_group = group_size(group);
      for (const NodeId tail : group_tails(group)) of_group *= derivations[tail];
      derivations[source_.head_of_group(group)] += of_group;
      sum += of_group;
    }
    return sum <= most;
  }

  void complete(NodeId v, GroupId first_group, GroupId last_group) {
    agenda_.clear();
    candidates_.clear();
    coordinates_.clear();
    cubes_.clear();
    axes_.clear();
    forget_scored(0);
    std::int32_t pops = pops_[v];
    if (has_few_candidates(first_group, last_group)) pops = kUnlimited;
    items_.start_node(v == source_.goal(), std::min(pops, kUsualItems));
    const double limit = pops;
    optimism_ = pops == kUnlimited ? 0 : kOptimism;  // all are accepted, in any order
    for (const GroupId group : ids(first_group, last_group)) start(group);
    agenda_.order();
    while (pops > 0 && !agenda_.empty()) {
      const Candidate candidate = candidates_[agenda_.top().candidate];  // a copy: more come
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
  bool has_few_candidates(GroupId first_group, GroupId last_group) const {
    const double few = pop_limit_ * std::min(1.0, kMostShares / source_.nodes());
    double candidates = 0;
    for (GroupId group = first_group; group < last_group && candidates <= few; ++group) {
      double of_group = group_size(group);
      for (const NodeId tail : group_tails(group)) of_group *= items_.ranked(tail).count();
      candidates += of_group;
    }
    return candidates <= few;
  }

  // The best candidate of a group. The other edges are put in order when it is scored.
  void start(GroupId group) {
    const auto tails = group_tails(group);
    const Cube cube{first_edge(group), group_size(group), tails.count(), axes_.count()};
    double sum = bounds_[edge_at(cube, 0)];
    for (const NodeId tail : tails) {
      const Axis axis = items_.ranked(tail);
      if (axis.empty()) return axes_.resize(cube.first_axis);
      axes_.push_back(axis);
      sum += axis.front().score;
    }
    const std::int32_t place = coordinates_.count();
    coordinates_.resize(place + tails.count() + 1, 0);
    agenda_.add_unordered(predicted(kBound, sum, sum, cubes_.add(cube), place));
  }

  EdgeId edge_at(const Cube& cube, std::int32_t rank) const {
    return order_[cube.first_edge + rank];
  }
  const Cube& cube_of(const Candidate& candidate) const { return cubes_[candidate.cube]; }
  const std::int32_t* coordinates_of(const Candidate& candidate) const {
    return coordinates_.data() + candidate.place;
  }

  // A new candidate. `sum` and `score` are as in Candidate.
  Ranking predicted(Origin origin, double sum, double score, std::int32_t cube,
                    std::int32_t place) {
    const double deviations = origin == kItem ? 0 : optimism_;
    const std::int32_t number =
        candidates_.add({sum, score, cube, place, Candidate::kUnscored, origin});
    return {score + residual_of(origin, cubes_[cube].arity).at_most(deviations), number};
  }

  // Rules with more nonterminals have more borders where a prediction may fail.
  Residual& residual_of(std::uint8_t origin, std::int32_t arity) {
    return residuals_[3 * place_of(std::min(arity, 2)) + origin];
  }

  // Scores the candidate on top of the agenda, which gets its place by its score.
  void score_top() {
    const std::int32_t number = agenda_.top().candidate;
    Candidate& candidate = candidates_[number];
    tail_states_used_ = 0;
    candidate.scored = lay_out(candidate);
    agenda_.replace_top({learn_score(candidate), number});
    push_next_edge(candidate);
  }

  // Scores the best few candidates together, and accepts them all; returns how many.
  std::int32_t pop_round(std::int32_t most) {
    round_.clear();
    std::int32_t tails = 0;
    for (; most > 0 && !agenda_.empty(); --most) {
      round_.push_back(agenda_.top().candidate);
      tails += cube_of(candidates_[round_.back()]).arity;
      agenda_.pop();
    }
    tail_states_used_ = 0;
    tail_states_.resize(place_of(tails) * scorers_.size());  // spans into it must stay
    batches_.assign(scorers_.size(), {});
    for (const std::int32_t number : round_) {
      Candidate& candidate = candidates_[number];
      candidate.scored = lay_out(candidate);
    }
    batch_scores_.resize(round_.size());
    for (std::size_t s = 0; s < scorers_.size(); ++s) {
      if (scorers_[s].wants_batches) score_batch(scorers_[s], batches_[s]);
    }
    for (const std::int32_t number : round_) {
      learn_score(candidates_[number]);
      const Candidate candidate = candidates_[number];
      accept(candidate.scored);
      push_next_edge(candidate);
      visit_next_items(candidate, [this](const Ranking& next) { agenda_.push(next); });
    }
    forget_scored(0);
    return count_of(round_);
  }

  std::int32_t scored_of(std::int32_t candidate) const { return candidates_[candidate].scored; }

  void score_batch(Scorer& scorer, std::span<ScoredEdge> batch) {
    for (std::size_t i = 0; i < round_.size(); ++i)
      batch[i].state = scored_.state(scored_of(round_[i])) + scorer.state_offset;
    Marks& marks = scorer.scored_marks;
    scorer.sentence->score_batch(batch, batch_scores_, marks.values);
    for (std::size_t i = 0; i < round_.size(); ++i) {
      Scored& scored = scored_[scored_of(round_[i])];
      scored.edge_score += batch_scores_[i];
      scored.total += batch_scores_[i];
      add_hash(scored, scorer, batch[i].state);
      marks.begin.push_back(marks.begin.back() + 1);  // one each
    }
    assert(marks.begin.back() == marks.values.count());
  }

  // Finds a candidate's tail items, and asks the scorers that do not want batches.
  std::int32_t lay_out(const Candidate& candidate) {
    const std::int32_t* coordinates = coordinates_of(candidate);
    const Cube& cube = cube_of(candidate);
    const std::size_t arity = place_of(cube.arity);
    const EdgeId e = edge_at(cube, coordinates[0]);
    const std::int32_t number = scored_.add(e, cube.arity);
    Scored& scored = scored_[number];
    const auto tail_items = scored_.tails(scored, cube.arity);
    const std::size_t first_tail_state = tail_states_used_;
    tail_states_used_ += scorers_.size() * arity;
    if (tail_states_.size() < tail_states_used_) tail_states_.resize(tail_states_used_);
    const std::byte** const tail_states = tail_states_.data() + first_tail_state;
    double tail_scores = 0;
    for (const std::int32_t t : tail_items.ids()) {
      const Items::Ranked& tail = axes_[cube.first_axis + t][coordinates[t + 1]];
      tail_items[t] = tail.item;
      tail_scores += tail.score - double{tail.rest_cost};
      const std::byte* state = items_.state(tail.item);
      for (std::size_t s = 0; s < scorers_.size(); ++s)
        tail_states[s * arity + place_of(t)] = state + scorers_[s].state_offset;
    }
    std::byte* state = scored_.state(number);
    float* values = scored_.values(number).data();
    scored.edge_score = options_.scale * source_.score[e];
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
      scored.rest_cost += static_cast<float>(scorer.sentence->rest_cost(edge.state));
      add_hash(scored, scorer, edge.state);
      if (scorer.leaves_marks) scorer.scored_marks.close();
    }
    scored.total = scored.edge_score + tail_scores + double{scored.rest_cost};
    return number;
  }

  static void add_hash(Scored& scored, const Scorer& scorer, const std::byte* state) {
    scored.hash = (scored.hash ^ scorer.sentence->hash(state)) * 0x9E3779B97F4A7C15ULL;
  }

  double learn_score(Candidate& candidate) {
    const Scored& scored = scored_[candidate.scored];
    if (!is_usable(scored.edge_score)) [[unlikely]]
      refuse(scored.edge_score, scored.edge, scored_.values(candidate.scored));
    const double score = scored.total;
    residual_of(candidate.origin, cube_of(candidate).arity).add(score - candidate.score);
    return candidate.score = score;
  }

  // Names the feature that is to blame, as far as the scorers' own values are known.
  [[noreturn]] void refuse(double score, EdgeId e, std::span<const float> values = {}) const {
    if (weights_ == nullptr) throw ScoreError(score);
    Parts parts(*weights_);
    source_.visit_features(e, [&](FeatureId feature, double value) { parts.add(feature, value); });
    const std::vector<FeatureId>& features = out_->scorer_features;
    for (std::size_t j = 0; j < features.size(); ++j)
      parts.add(features[j], j < values.size() ? std::optional<double>(values[j]) : std::nullopt);
    throw parts.error(score);
  }

  // Adds a scored candidate to its item.
  void accept(std::int32_t number) {
    const Scored& scored = scored_[number];
    items_.add(scored, scored_.tails(scored, source_.tails_of(scored.edge).count()),
               scored_.state(number), scored_.values(number),
               [this](const std::byte* a, const std::byte* b) {
                 return std::ranges::all_of(scorers_, [&](const Scorer& scorer) {
                   return scorer.sentence->equal(a + scorer.state_offset, b + scorer.state_offset);
                 });
               });
    for (Scorer& scorer : scorers_) {
      if (scorer.leaves_marks) scorer.marks.add(scorer.scored_marks[number]);
    }
    if (number == scored_.count() - 1) forget_scored(number);  // mostly it was scored just now
  }

  void forget_scored(std::int32_t from) {
    scored_.shrink(from);
    for (Scorer& scorer : scorers_) {
      if (scorer.leaves_marks) scorer.scored_marks.shrink(from);
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
    const double step = bounds_[edge_at(cube, at + 1)] - bounds_[edge_at(cube, at)];
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
    std::int32_t last = cube.arity;
    while (last > 1 && coordinates_of(candidate)[last] == 0) --last;
    for (std::int32_t d = std::max(last, 1); d <= cube.arity; ++d) {
      const Axis axis = axes_[cube.first_axis + d - 1];
      const std::int32_t at = coordinates_of(candidate)[d];
      if (at + 1 < axis.count())
        visit(neighbour(candidate, d, axis[at + 1].score - axis[at].score));
    }
  }

  // The candidate one step further along a coordinate, which adds `step` to the sum.
  Ranking neighbour(const Candidate& of, std::int32_t coordinate, double step) {
    const std::int32_t next = coordinates_.count();
    for (std::int32_t d = 0; d <= cube_of(of).arity; ++d)
      coordinates_.push_back(coordinates_[of.place + d]);
    ++coordinates_[next + coordinate];
    const double error = of.score - of.sum;
    const double sum = of.sum + step;
    return predicted(coordinate == 0 ? kEdge : kItem, sum, sum + kSharedError * error, of.cube,
                     next);
  }

  void sort_edges(const Cube& cube) {
    const auto begin = order_.begin() + cube.first_edge;
    std::sort(begin + 1, begin + cube.edges, [this](EdgeId a, EdgeId b) {
      const double x = bounds_[a], y = bounds_[b];
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
  const Weights* weights_;
  SearchOptions options_;
  std::int32_t pop_limit_;  // for the forest's size, 0 for none
  std::size_t stride_ = 0;  // bytes of the states of one item
  bool in_rounds_ = false;
  std::vector<Scorer> scorers_;
  Items items_;
  ScoredCandidates scored_;
  std::array<Residual, 9> residuals_;  // by number of nonterminals and origin

  IdVector<EdgeId, double> bounds_;      // of the source forest
  IdVector<EdgeId, EdgeId> order_;       // the edges of each group, best bound first
  IdVector<NodeId, std::int32_t> pops_;  // of the source forest

  // of the node at work
  double optimism_ = 0;
  Agenda agenda_;
  IdVector<std::int32_t, Candidate> candidates_;
  IdVector<std::int32_t, Cube> cubes_;
  IdVector<std::int32_t, Axis> axes_;  // the items of each tail of each cube
  IdVector<std::int32_t, std::int32_t> coordinates_;
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
                                const Weights* weights, const SearchOptions& options) {
  expect(options.pop_limit >= 0, "expected a pop limit of at least 0, got ", options.pop_limit);
  std::vector<const WatchedFile*> files;
  for (const StatefulScorer* const scorer : scorers) {
    if (scorer->file() != nullptr) files.push_back(scorer->file());
  }
  return reading(files, [&] { return CubePruning(source, scorers, weights, options).run(); });
}

}  // namespace hopefear
