// The candidates of cube pruning at one node, best first.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace hopefear {

// A point of a cube: the edges of a group, and the items of each tail, all counted from the best.
struct Candidate {
  double sum;           // of the edge's bound and the tails' scores
  double score;         // what the points before it let expect, the true one once it is scored
  std::int32_t cube;    // at its node
  std::int32_t place;   // of its coordinates
  std::int32_t scored;  // its number among the scored candidates, kUnscored before
  std::uint8_t origin;  // what it is predicted from
  static constexpr std::int32_t kUnscored = -1;
};

// A candidate's number, and its score once it is known.
struct Ranking {
  double priority;
  std::int32_t candidate;
};

// A heap of candidates, the one of the highest priority on top.
class Agenda {
 public:
  void clear() { heap_.clear(); }
  bool empty() const { return heap_.empty(); }
  const Ranking& top() const { return heap_.front(); }
  void add_unordered(Ranking ranking) { heap_.push_back(ranking); }
  void order() { std::make_heap(heap_.begin(), heap_.end(), kBehind); }
  void push(Ranking ranking) {
    heap_.push_back(ranking);
    std::push_heap(heap_.begin(), heap_.end(), kBehind);
  }
  void pop() {
    std::pop_heap(heap_.begin(), heap_.end(), kBehind);
    heap_.pop_back();
  }
  // Inlined always: a ranking that is stored in halves and loaded whole from the stack would stall.
  [[gnu::always_inline]] void replace_top(Ranking ranking) {
    const std::size_t n = heap_.size();
    std::size_t hole = 0;
    for (std::size_t child = 1; child < n; child = 2 * hole + 1) {
      if (child + 1 < n && heap_[child].priority < heap_[child + 1].priority) ++child;
      if (heap_[child].priority <= ranking.priority) break;
      heap_[hole] = heap_[child];
      hole = child;
    }
    heap_[hole] = ranking;
  }

 private:
  static constexpr auto kBehind = [](const Ranking& a, const Ranking& b) {
    return a.priority < b.priority;
  };
  std::vector<Ranking> heap_;
};

}  // namespace hopefear
