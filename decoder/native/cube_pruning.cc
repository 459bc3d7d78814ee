#include "cube_pruning.h"

#include <algorithm>
#include <limits>

#include "agenda.h"
#include "pop_shares.h"

namespace hopefear {
namespace {

// How much of a candidate's error its neighbours are expected to share.
constexpr double kSharedError = 0.8;

// A candidate scored in full, an edge of the new forest.
struct Popped {
  double score;  // of the edge alone
  EdgeId edge;
  std::int32_t tails;  // place of its tail items
  std::int32_t next;   // of the same item, -1 for the last
};

// What recombines: the candidates of a node whose states are equal.
struct Item {
  double score;  // of the best derivation
  std::uint64_t hash;
  std::int32_t first, last;  // popped
};

struct Ranked {
  double score;
  std::int32_t item;
};

class CubePruning {
 public:
  CubePruning(std::shared_ptr<const Forest> source, std::span<const StatefulScorer* const> scorers,
              const double* weights, const SearchOptions& options)
      : source_(*source), out_(std::make_shared<Forest>()), options_(options) {
    out_->source = std::move(source);
    out_->rule_space = source_.rule_space;
    out_->vocabulary = source_.vocabulary;
    out_->rules = source_.rules;
    out_->source_length = source_.source_length;
    out_->goal_rule = source_.goal_rule;
    for (const StatefulScorer* scorer : scorers) {
      scorers_.push_back({scorer->begin(source_, weights), stride_, out_->scorer_features.size()});
      stride_ += (scorer->state_size() + 7) / 8 * 8;
      out_->scorer_features.insert(out_->scorer_features.end(), scorer->features().begin(),
                                   scorer->features().end());
    }
  }

  std::shared_ptr<Forest> run() {
    out_->edges_begin.push_back(0);
    out_->tails_begin.push_back(0);
    if (!source_.empty()) {
      bound_edges();
      ranked_begin_.push_back(0);
      std::size_t group = 0;
      for (NodeId v = 0; v < source_.nodes(); ++v) {
        const std::size_t first = group;
        while (source_.groups[group] < source_.edges_begin[static_cast<std::size_t>(v) + 1])
          ++group;
        complete(v, first, group);
      }
      write_forest();
    }
    out_->groups.resize(out_->local_rule.size() + 1);
    for (std::size_t e = 0; e < out_->groups.size(); ++e) out_->groups[e] = static_cast<EdgeId>(e);
    return out_;
  }

 private:
  struct Scorer {
    std::unique_ptr<SentenceScorer> sentence;
    std::size_t state_offset;
    std::size_t first_value;
  };

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
  std::int32_t items_of(NodeId v) const {
    return ranked_begin_[static_cast<std::size_t>(v) + 1] -
           ranked_begin_[static_cast<std::size_t>(v)];
  }
  const Ranked& item_at(NodeId v, std::int32_t rank) const {
    return ranked_[static_cast<std::size_t>(ranked_begin_[static_cast<std::size_t>(v)] + rank)];
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
    at_goal_ = v == source_.goal();
    agenda_.clear();
    coordinates_.clear();
    first_item_ = static_cast<std::int32_t>(items_.size());
    std::fill(slots_.begin(), slots_.end(), -1);
    for (std::size_t g = first_group; g < last_group; ++g) start(static_cast<std::int32_t>(g));
    agenda_.order();
    for (std::int32_t pops = pops_[static_cast<std::size_t>(v)]; pops > 0 && !agenda_.empty();
         --pops) {
      const Candidate candidate = agenda_.top();
      const double error = score(candidate) - candidate.bound;
      replace_by_neighbours(candidate, kSharedError * error);
    }
    rank_items();
  }

  // The best candidate of a group. The other edges are put in order when it is popped.
  void start(std::int32_t group) {
    const std::span<const NodeId> tails = group_tails(group);
    double bound = bounds_[static_cast<std::size_t>(edge_at(group, 0))];
    for (const NodeId tail : tails) {
      if (items_of(tail) == 0) return;
      bound += item_at(tail, 0).score;
    }
    agenda_.add_unordered({bound, bound, group, static_cast<std::int32_t>(coordinates_.size())});
    coordinates_.insert(coordinates_.end(), tails.size() + 1, 0);
  }

  // Scores a candidate in full and adds it to its item; returns its score with its tails'.
  double score(const Candidate& candidate) {
    const std::int32_t* coordinates = &coordinates_[static_cast<std::size_t>(candidate.place)];
    const EdgeId edge = edge_at(candidate.group, coordinates[0]);
    const std::span<const NodeId> tails = group_tails(candidate.group);
    const std::size_t arity = tails.size();
    // The state goes behind those of all items, to stay there if it is new.
    const std::size_t new_state = items_.size() * stride_;
    if (states_.size() < new_state + stride_) states_.resize(2 * (new_state + stride_));
    const auto tails_place = static_cast<std::int32_t>(tails_.size());
    tails_.resize(tails_.size() + arity);
    tail_states_.resize(scorers_.size() * arity);
    double tail_scores = 0;
    for (std::size_t t = 0; t < arity; ++t) {
      const Ranked& tail = item_at(tails[t], coordinates[t + 1]);
      tails_[static_cast<std::size_t>(tails_place) + t] = tail.item;
      tail_scores += tail.score;
      const std::byte* state = states_.data() + static_cast<std::size_t>(tail.item) * stride_;
      for (std::size_t s = 0; s < scorers_.size(); ++s) {
        tail_states_[s * arity + t] = state + scorers_[s].state_offset;
      }
    }
    std::byte* state = states_.data() + new_state;
    const std::size_t first_value = values_.size();
    values_.resize(first_value + out_->scorer_features.size());
    double edge_score = options_.scale * source_.score[static_cast<std::size_t>(edge)];
    std::uint64_t hash = 0;
    for (std::size_t s = 0; s < scorers_.size(); ++s) {
      const Scorer& scorer = scorers_[s];
      edge_score += scorer.sentence->score(edge, {tail_states_.data() + s * arity, arity},
                                           state + scorer.state_offset,
                                           values_.data() + first_value + scorer.first_value);
      hash = (hash ^ scorer.sentence->hash(state + scorer.state_offset)) * 0x9E3779B97F4A7C15ULL;
    }
    const double total = edge_score + tail_scores;
    const std::int32_t item = recombine(state, hash, total);
    const auto popped = static_cast<std::int32_t>(popped_.size());
    popped_.push_back({edge_score, edge, tails_place, -1});
    Item& head = items_[static_cast<std::size_t>(item)];
    if (head.last >= 0) popped_[static_cast<std::size_t>(head.last)].next = popped;
    if (head.first < 0) head.first = popped;
    head.last = popped;
    return total;
  }

  // The item of this node with this state, made where there is none. The goal has one item only.
  std::int32_t recombine(const std::byte* state, std::uint64_t hash, double total) {
    const auto keep_best = [&](std::int32_t item) {
      double& best = items_[static_cast<std::size_t>(item)].score;
      if (total > best) {  // states may say more of the best derivation than what recombines
        best = total;
        std::copy_n(state, stride_, states_.data() + static_cast<std::size_t>(item) * stride_);
      }
      return item;
    };
    if (at_goal_ && static_cast<std::size_t>(first_item_) < items_.size())
      return keep_best(first_item_);
    const std::size_t mask = slots_.size() - 1;
    std::size_t slot = (hash >> 20) & mask;
    for (; slots_[slot] >= 0; slot = (slot + 1) & mask) {
      const std::int32_t item = slots_[slot];
      if (items_[static_cast<std::size_t>(item)].hash == hash && same_state(item, state))
        return keep_best(item);
    }
    slots_[slot] = static_cast<std::int32_t>(items_.size());
    items_.push_back({total, hash, -1, -1});
    if (2 * (items_.size() - static_cast<std::size_t>(first_item_)) > slots_.size()) grow_slots();
    return static_cast<std::int32_t>(items_.size()) - 1;
  }

  bool same_state(std::int32_t item, const std::byte* state) const {
    const std::byte* other = states_.data() + static_cast<std::size_t>(item) * stride_;
    return std::ranges::all_of(scorers_, [&](const Scorer& scorer) {
      return scorer.sentence->equal(state + scorer.state_offset, other + scorer.state_offset);
    });
  }

  void grow_slots() {
    slots_.assign(2 * slots_.size(), -1);
    const std::size_t mask = slots_.size() - 1;
    for (auto item = static_cast<std::size_t>(first_item_); item < items_.size(); ++item) {
      std::size_t slot = (items_[item].hash >> 20) & mask;
      while (slots_[slot] >= 0) slot = (slot + 1) & mask;
      slots_[slot] = static_cast<std::int32_t>(item);
    }
  }

  // Takes the popped candidate, which is on top, off the agenda, and puts its neighbours there.
  // Each point of a cube is reached from one neighbour only: the one that is a step nearer to the
  // origin along the last coordinate that is not 0.
  void replace_by_neighbours(const Candidate& candidate, double error) {
    const auto place = static_cast<std::size_t>(candidate.place);
    const std::span<const NodeId> tails = group_tails(candidate.group);
    std::size_t last = tails.size();
    while (last > 0 && coordinates_[place + last] == 0) --last;
    if (last == 0 && coordinates_[place] == 0) sort_group(candidate.group);
    bool on_top = true;
    for (std::size_t d = last; d <= tails.size(); ++d) {
      const std::int32_t at = coordinates_[place + d];
      double step;
      if (d == 0) {
        if (at + 1 >= group_size(candidate.group)) continue;
        step = bounds_[static_cast<std::size_t>(edge_at(candidate.group, at + 1))] -
               bounds_[static_cast<std::size_t>(edge_at(candidate.group, at))];
      } else {
        if (at + 1 >= items_of(tails[d - 1])) continue;
        step = item_at(tails[d - 1], at + 1).score - item_at(tails[d - 1], at).score;
      }
      const std::size_t next = coordinates_.size();
      coordinates_.resize(next + tails.size() + 1);
      std::copy_n(&coordinates_[place], tails.size() + 1, &coordinates_[next]);
      ++coordinates_[next + d];
      const double bound = candidate.bound + step;
      const Candidate neighbour{bound + error, bound, candidate.group,
                                static_cast<std::int32_t>(next)};
      if (on_top) {
        agenda_.replace_top(neighbour);
        on_top = false;
      } else {
        agenda_.push(neighbour);
      }
    }
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

  void rank_items() {
    const std::size_t begin = ranked_.size();
    for (auto item = static_cast<std::size_t>(first_item_); item < items_.size(); ++item) {
      ranked_.push_back({items_[item].score, static_cast<std::int32_t>(item)});
    }
    std::sort(ranked_.begin() + static_cast<std::ptrdiff_t>(begin), ranked_.end(),
              [](const Ranked& a, const Ranked& b) {
                return a.score > b.score || (a.score == b.score && a.item < b.item);
              });
    ranked_begin_.push_back(static_cast<std::int32_t>(ranked_.size()));
  }

  std::span<const std::int32_t> tails_of(const Popped& popped) const {
    return {tails_.data() + popped.tails, source_.tails_of(popped.edge).size()};
  }

  // The items that the goal needs become nodes, best first, and what was popped for them their
  // edges.
  void write_forest() {
    std::vector<bool> useful(items_.size(), false);
    useful.back() = true;
    for (std::size_t i = items_.size(); i-- > 0;) {
      if (!useful[i]) continue;
      for (std::int32_t p = items_[i].first; p >= 0;
           p = popped_[static_cast<std::size_t>(p)].next) {
        for (const std::int32_t tail : tails_of(popped_[static_cast<std::size_t>(p)])) {
          useful[static_cast<std::size_t>(tail)] = true;
        }
      }
    }
    Forest& out = *out_;
    const std::size_t k = out.scorer_features.size();
    std::vector<NodeId> number(items_.size(), -1);
    for (NodeId v = 0; v < source_.nodes(); ++v) {
      for (std::int32_t rank = 0; rank < items_of(v); ++rank) {
        const auto item = static_cast<std::size_t>(item_at(v, rank).item);
        if (!useful[item]) continue;
        number[item] = out.nodes();
        for (std::int32_t i = items_[item].first; i >= 0;
             i = popped_[static_cast<std::size_t>(i)].next) {
          const Popped& popped = popped_[static_cast<std::size_t>(i)];
          out.local_rule.push_back(source_.local_rule[static_cast<std::size_t>(popped.edge)]);
          out.head.push_back(number[item]);
          for (const std::int32_t tail : tails_of(popped))
            out.tails.push_back(number[static_cast<std::size_t>(tail)]);
          out.tails_begin.push_back(static_cast<std::int32_t>(out.tails.size()));
          out.score.push_back(popped.score);
          out.source_edge.push_back(popped.edge);
          const auto values =
              values_.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(i) * k);
          out.scorer_values.insert(out.scorer_values.end(), values,
                                   values + static_cast<std::ptrdiff_t>(k));
        }
        out.category.push_back(source_.category[static_cast<std::size_t>(v)]);
        out.span.push_back(source_.span[2 * static_cast<std::size_t>(v)]);
        out.span.push_back(source_.span[2 * static_cast<std::size_t>(v) + 1]);
        out.edges_begin.push_back(out.edges());
      }
    }
  }

  const Forest& source_;
  std::shared_ptr<Forest> out_;
  SearchOptions options_;
  std::vector<Scorer> scorers_;
  std::size_t stride_ = 0;  // bytes of the states of one item

  std::vector<double> bounds_;      // by edge of the source forest
  std::vector<EdgeId> order_;       // the edges of each group, best bound first
  std::vector<std::int32_t> pops_;  // by node of the source forest

  std::vector<Item> items_;
  std::vector<std::byte> states_;  // of items_
  std::vector<Popped> popped_;
  std::vector<float> values_;        // of popped_
  std::vector<std::int32_t> tails_;  // of popped_: items

  // The items of source node v, best first, are at [ranked_begin_[v], ranked_begin_[v + 1]).
  std::vector<Ranked> ranked_;
  std::vector<std::int32_t> ranked_begin_;

  // of the node at work
  bool at_goal_ = false;
  std::int32_t first_item_ = 0;
  Agenda agenda_;
  std::vector<std::int32_t> coordinates_;
  std::vector<const std::byte*> tail_states_;
  std::vector<std::int32_t> slots_ = std::vector<std::int32_t>(256, -1);  // items by hash
};

}  // namespace

std::shared_ptr<Forest> rescore(std::shared_ptr<const Forest> source,
                                std::span<const StatefulScorer* const> scorers,
                                const double* weights, const SearchOptions& options) {
  return CubePruning(std::move(source), scorers, weights, options).run();
}

}  // namespace hopefear
