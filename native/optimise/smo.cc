#include "optimise/smo.h"

#include <algorithm>
#include <limits>

namespace hopefear {
namespace {

class Smo {
 public:
  Smo(const SmoProblem& problem, std::span<double> alpha, std::span<double> score)
      : problem_(problem), alpha_(alpha), score_(score), n_(score.size()) {}

  // One step within a sentence, for the hypothesis that violates the margin most and the one with
  // alpha > 0 that promises the largest gain beside it. Returns the violation found.
  double step(std::size_t sentence, double tolerance) {
    const std::size_t begin = problem_.begin[sentence], end = problem_.begin[sentence + 1];
    if (end == begin) return 0;
    std::size_t up = begin;
    for (std::size_t j = begin; j < end; ++j) {
      if (violation(j) > violation(up)) up = j;
    }
    double gap = 0, best_gain = -1;
    std::size_t down = up;
    for (std::size_t j = begin; j < end; ++j) {
      const double difference = violation(up) - violation(j);
      if (alpha_[j] <= 0 || difference <= 0) continue;
      gap = std::max(gap, difference);
      const double distance = std::max(squared_distance(up, j), kTiny);
      if (const double gain = difference * difference / distance; gain > best_gain) {
        best_gain = gain;
        down = j;
      }
    }
    if (gap <= tolerance) return gap;
    // Equation 5; at least 0 and at most the bound since `up` violates more.
    const double distance = std::max(squared_distance(up, down), kTiny);
    const double delta = std::min(alpha_[down], (violation(up) - violation(down)) / distance);
    alpha_[up] += delta;
    alpha_[down] -= delta;
    // Equation 2: w moves by delta (h_down - h_up).
    const double* of_up = &problem_.gram[up * n_];
    const double* of_down = &problem_.gram[down * n_];
    for (std::size_t j = 0; j < n_; ++j) score_[j] += delta * (of_down[j] - of_up[j]);
    return gap;
  }

 private:
  static constexpr double kTiny = std::numeric_limits<double>::min();

  // l - Δh·w up to what is the same for all hypotheses of a sentence.
  double violation(std::size_t j) const { return problem_.loss[j] + score_[j]; }
  double squared_distance(std::size_t a, std::size_t b) const {
    return problem_.gram[a * n_ + a] + problem_.gram[b * n_ + b] - 2 * problem_.gram[a * n_ + b];
  }

  const SmoProblem& problem_;
  std::span<double> alpha_, score_;
  std::size_t n_;
};

}  // namespace

SmoResult smo(const SmoProblem& problem, const SmoOptions& options, std::span<double> alpha,
              std::span<double> score) {
  Smo solver(problem, alpha, score);
  const std::size_t sentences = problem.begin.size() - 1;
  SmoResult result{0, 0};
  while (true) {
    result.gap = 0;
    for (std::size_t i = 0; i < sentences; ++i) {
      // Several steps where a sentence needs them, but never all on one.
      for (int repeat = 0; repeat < 10; ++repeat) {
        const double gap = solver.step(i, options.tolerance);
        if (repeat == 0) result.gap = std::max(result.gap, gap);
        if (gap <= options.tolerance) break;
        if (++result.steps >= options.max_steps) return result;
      }
    }
    if (result.gap <= options.tolerance) return result;
  }
}

}  // namespace hopefear
