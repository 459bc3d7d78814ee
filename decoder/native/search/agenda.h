// The candidates of cube pruning at one node, best first.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace hopefear {

// A point of a cube: the edges of a group, and the items of each tail, all counted from the best.
struct Candidate {
  double priority;   // the score, once it is known
  double predicted;  // the score that the points before it let expect
  std::int32_t group;
  std::int32_t place;   // of its coordinates
  std::int32_t scored;  // its number among the scored candidates, kUnscored before
  std::uint8_t origin;  // what it is predicted from
  static constexpr std::int32_t kUnscored = -1;
};

// A heap of candidates, the one of the highest priority on top.
class Agenda {
 public:
  void clear() { heap_.clear(); }
  bool empty() const { return heap_.empty(); }
  const Candidate& top() const { return heap_.front(); }
  void add_unordered(const Candidate& candidate) { heap_.push_back(candidate); }
  void order() { std::make_heap(heap_.begin(), heap_.end(), kBehind); }
  void push(const Candidate& candidate) {
    heap_.push_back(candidate);
    std::push_heap(heap_.begin(), heap_.end(), kBehind);
  }
  void pop() {
    std::pop_heap(heap_.begin(), heap_.end(), kBehind);
    heap_.pop_back();
  }
  void replace_top(const Candidate& candidate) {
    const std::size_t n = heap_.size();
    std::size_t hole = 0;
    for (std::size_t child = 1; child < n; child = 2 * hole + 1) {
      if (child + 1 < n && heap_[child].priority < heap_[child + 1].priority) ++child;
      if (heap_[child].priority <= candidate.priority) break;
      heap_[hole] = heap_[child];
      hole = child;
    }
    heap_[hole] = candidate;
  }

 private:
  static constexpr auto kBehind = [](const Candidate& a, const Candidate& b) {
    return a.priority < b.priority;
  };
  std::vector<Candidate> heap_;
};

}  // namespace hopefear
