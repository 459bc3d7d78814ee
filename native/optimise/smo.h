// Sequential minimal optimisation of MIRA's dual (Chiang, Marton & Resnik 2008, section 2.1).
#pragma once

#include <cstddef>
#include <span>

namespace hopefear {

// The hypotheses of a batch stand one after another, those of sentence i from begin[i] on.
struct SmoProblem {
  std::span<const std::size_t> begin;  // m + 1
  std::span<const double> gram;        // n × n: h·h' of all hypotheses
  std::span<const double> loss;        // n
};

struct SmoOptions {
  double C;
  // Of the duality gap, over C, of each sentence.
  double tolerance;
  std::size_t max_steps;
};

struct SmoResult {
  std::size_t steps;
  double gap;  // the largest violation of the optimality conditions
};

// alpha, n, holds a feasible start, sums of C within each sentence, and then the solution; score,
// n, the hypotheses' h·w before, and then after the update.
SmoResult smo(const SmoProblem& problem, const SmoOptions& options, std::span<double> alpha,
              std::span<double> score);

}  // namespace hopefear
