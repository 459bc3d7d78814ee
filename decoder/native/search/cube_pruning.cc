#include "search/cube_pruning.h"

#include <algorithm>
#include <cassert>
#include <limits>

#include "search/agenda.h"
#include "search/items.h"
#include "search/pop_shares.h"

namespace hopefear {
namespace {

// How much of a candidate's error its neighbours are expected to share.
constexpr double kSharedError = 0.8;
// Candidates to score at once for scorers that want batches. Their neighbours come into play only
// then, so the more, the cheaper and the less directed.
constexpr std::int32_t kRound = 64;

struct Scorer {
  std::unique_ptr<SentenceScorer> sentence;
  std::size_t state_offset;
  std::size_t first_value;
  bool leaves_marks, wants_batches;
  Marks marks;
};

class CubePruning {
 public:
  CubePruning(const std::shared_ptr<const Forest>& source,
              std::span<const StatefulScorer* const> scorers, const double* weights,
              const SearchOptions& options)
      : source_(*source),
        out_(Forest::made_from(source)),
        options_(options),
        scorers_(begin(scorers, weights)),
        items_(source_, stride_, out_->scorer_features.size()) {}

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
  // A candidate on its way through the scorers.
  struct LaidOut {
    EdgeId edge;
    std::int32_t tails;
    double edge_score, tail_scores;
    std::uint64_t hash;
  };

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
  EdgeId edge_at(std::int32_t group, std::int32_t rank) const {
    return order_[static_cast<std::size_t>(first_edge(group) + rank)];
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
    pops_ = options_.pop_limit == 0
                ? std::vector<std::int32_t>(static_cast<std::size_t>(source_.nodes()),
                                            std::numeric_limits<std::int32_t>::max())
                : share_out_pops(source_, best_bounds, options_.pop_limit);
  }

  void complete(NodeId v, std::size_t first_group, std::size_t last_group) {
    agenda_.clear();
    coordinates_.clear();
    items_.start_node(v == source_.goal());
    for (std::size_t g = first_group; g < last_group; ++g) start(static_cast<std::int32_t>(g));
    agenda_.order();
    for (std::int32_t pops = pops_[static_cast<std::size_t>(v)]; pops > 0 && !agenda_.empty();) {
      if (in_rounds_) {
        pops -= pop_round(std::min(pops, kRound));
      } else {
        const Candidate candidate = agenda_.top();
        const double error = score(candidate) - candidate.bound;
        replace_by_neighbours(candidate, kSharedError * error);
        --pops;
      }
    }
    items_.finish_node();
  }

  // The best candidate of a group. The other edges are put in order when it is popped.
  void start(std::int32_t group) {
    const std::span<const NodeId> tails = group_tails(group);
    double bound = bounds_[static_cast<std::size_t>(edge_at(group, 0))];
    for (const NodeId tail : tails) {
      if (items_.count(tail) == 0) return;
      bound += items_.at(tail, 0).score;
    }
    agenda_.add_unordered({bound, bound, group, static_cast<std::int32_t>(coordinates_.size())});
    coordinates_.insert(coordinates_.end(), tails.size() + 1, 0);
  }

  // Scores a candidate in full and adds it to its item; returns its score with its tails'.
  double score(const Candidate& candidate) {
    items_.reserve(1);
    tail_states_.clear();
    const LaidOut laid_out = lay_out(candidate, 0);
    return settle(laid_out, items_.new_state(0));
  }

  // Scores the best few candidates together; returns how many.
  std::int32_t pop_round(std::int32_t most) {
    round_.clear();
    for (; most > 0 && !agenda_.empty(); --most) {
      round_.push_back(agenda_.top());
      agenda_.pop();
    }
    items_.reserve(round_.size());
    tail_states_.clear();
    laid_out_.clear();
    std::size_t tails = 0;
    for (const Candidate& candidate : round_) tails += group_tails(candidate.group).size();
    tail_states_.reserve(tails * scorers_.size());  // spans into it must stay
    batches_.assign(scorers_.size(), {});
    for (std::size_t i = 0; i < round_.size(); ++i) laid_out_.push_back(lay_out(round_[i], i));
    batch_scores_.resize(round_.size());
    for (std::size_t s = 0; s < scorers_.size(); ++s) {
      if (!scorers_[s].wants_batches) continue;
      Marks& marks = scorers_[s].marks;
      scorers_[s].sentence->score_batch(batches_[s], batch_scores_, marks.values);
      const std::size_t first = marks.begin.size() - 1;
      for (std::size_t i = 0; i < round_.size(); ++i) {
        laid_out_[i].edge_score += batch_scores_[i];
        add_hash(laid_out_[i], scorers_[s], batches_[s][i].state);
        marks.begin.push_back(static_cast<std::int32_t>(first + i + 1));
      }
    }
    // Their states lie behind the items that settling makes, and are reached in time.
    const std::byte* first_state = items_.new_state(0);
    for (std::size_t i = 0; i < round_.size(); ++i) {
      const double total = settle(laid_out_[i], first_state + i * stride_);
      push_neighbours(round_[i], kSharedError * (total - round_[i].bound));
    }
    return static_cast<std::int32_t>(round_.size());
  }

  // Finds a candidate's tail items, and asks the scorers that do not want batches.
  LaidOut lay_out(const Candidate& candidate, std::size_t place) {
    const std::int32_t* coordinates = &coordinates_[static_cast<std::size_t>(candidate.place)];
    const std::span<const NodeId> tails = group_tails(candidate.group);
    const std::size_t arity = tails.size();
    LaidOut out{edge_at(candidate.group, coordinates[0]), items_.next_tails(), 0, 0, 0};
    const std::span<std::int32_t> tail_items = items_.new_tails(arity);
    const std::size_t first_tail_state = tail_states_.size();
    tail_states_.resize(first_tail_state + scorers_.size() * arity);
    const std::byte** tail_states = tail_states_.data() + first_tail_state;
    for (std::size_t t = 0; t < arity; ++t) {
      const Items::Ranked& tail = items_.at(tails[t], coordinates[t + 1]);
      tail_items[t] = tail.item;
      out.tail_scores += tail.score;
      const std::byte* state = items_.state(tail.item);
      for (std::size_t s = 0; s < scorers_.size(); ++s) {
        tail_states[s * arity + t] = state + scorers_[s].state_offset;
      }
    }
    std::byte* state = items_.new_state(place);
    float* values = items_.new_values();
    out.edge_score = options_.scale * source_.score[static_cast<std::size_t>(out.edge)];
    for (std::size_t s = 0; s < scorers_.size(); ++s) {
      Scorer& scorer = scorers_[s];
      const ScoredEdge edge{out.edge,
                            {tail_states + s * arity, arity},
                            state + scorer.state_offset,
                            values + scorer.first_value};
      if (scorer.wants_batches) {
        batches_[s].push_back(edge);
        continue;
      }
      out.edge_score += scorer.sentence->score(edge, scorer.marks.values);
      add_hash(out, scorer, edge.state);
      if (scorer.leaves_marks) scorer.marks.close();
    }
    return out;
  }

  static void add_hash(LaidOut& candidate, const Scorer& scorer, const std::byte* state) {
    candidate.hash = (candidate.hash ^ scorer.sentence->hash(state)) * 0x9E3779B97F4A7C15ULL;
  }

  double settle(const LaidOut& candidate, const std::byte* state) {
    const double total = candidate.edge_score + candidate.tail_scores;
    items_.add(candidate.edge, candidate.tails, candidate.edge_score, total, state, candidate.hash,
               [this](const std::byte* a, const std::byte* b) {
                 return std::ranges::all_of(scorers_, [&](const Scorer& scorer) {
                   return scorer.sentence->equal(a + scorer.state_offset, b + scorer.state_offset);
                 });
               });
    return total;
  }

  // Calls visit(neighbour) for each neighbour of a popped candidate. Each point of a cube is
  // reached from one neighbour only: the one that is a step nearer to the origin along the last
  // coordinate that is not 0.
  template <class Visit>
  void visit_neighbours(const Candidate& candidate, double error, Visit&& visit) {
    const auto place = static_cast<std::size_t>(candidate.place);
    const std::span<const NodeId> tails = group_tails(candidate.group);
    std::size_t last = tails.size();
    while (last > 0 && coordinates_[place + last] == 0) --last;
    if (last == 0 && coordinates_[place] == 0) sort_group(candidate.group);
    for (std::size_t d = last; d <= tails.size(); ++d) {
      const std::int32_t at = coordinates_[place + d];
      double step;
      if (d == 0) {
        if (at + 1 >= group_size(candidate.group)) continue;
        step = bounds_[static_cast<std::size_t>(edge_at(candidate.group, at + 1))] -
               bounds_[static_cast<std::size_t>(edge_at(candidate.group, at))];
      } else {
        if (at + 1 >= items_.count(tails[d - 1])) continue;
        step = items_.at(tails[d - 1], at + 1).score - items_.at(tails[d - 1], at).score;
      }
      const std::size_t next = coordinates_.size();
      coordinates_.resize(next + tails.size() + 1);
      std::copy_n(&coordinates_[place], tails.size() + 1, &coordinates_[next]);
      ++coordinates_[next + d];
      const double bound = candidate.bound + step;
      visit(Candidate{bound + error, bound, candidate.group, static_cast<std::int32_t>(next)});
    }
  }

  void push_neighbours(const Candidate& candidate, double error) {
    visit_neighbours(candidate, error,
                     [this](const Candidate& neighbour) { agenda_.push(neighbour); });
  }

  // Takes the popped candidate, which is on top, off the agenda, and puts its neighbours there.
  void replace_by_neighbours(const Candidate& candidate, double error) {
    bool on_top = true;
    visit_neighbours(candidate, error, [&](const Candidate& neighbour) {
      if (on_top) {
        agenda_.replace_top(neighbour);
        on_top = false;
      } else {
        agenda_.push(neighbour);
      }
    });
    if (on_top) agenda_.pop();
  }

  void sort_group(std::int32_t group) {
    const auto begin = order_.begin() + first_edge(group);
    std::sort(begin + 1, begin + group_size(group), [this](EdgeId a, EdgeId b) {
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
  std::size_t stride_ = 0;  // bytes of the states of one item
  bool in_rounds_ = false;
  std::vector<Scorer> scorers_;
  Items items_;

  std::vector<double> bounds_;      // by edge of the source forest
  std::vector<EdgeId> order_;       // the edges of each group, best bound first
  std::vector<std::int32_t> pops_;  // by node of the source forest

  // of the node at work
  Agenda agenda_;
  std::vector<std::int32_t> coordinates_;
  std::vector<const std::byte*> tail_states_;

  // of the round at work
  std::vector<Candidate> round_;
  std::vector<LaidOut> laid_out_;
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
