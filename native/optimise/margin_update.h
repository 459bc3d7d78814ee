// MIRA's change of the weights for a batch of sentences (Chiang, Marton & Resnik 2008,
// section 2.1).
#pragma once

#include "base/id_vector.h"
#include "optimise/smo.h"

namespace hopefear {

// The hypotheses of a sentence: the features of hypothesis j are at indptr[j], …, indptr[j + 1]
// - 1.
struct SentenceConstraints {
  std::span<const std::int64_t> indptr;  // n + 1
  std::span<const std::int32_t> features;
  std::span<const double> values;
  std::span<const double> loss;  // n
  std::size_t oracle;
};

struct MarginUpdate {
  std::vector<std::int64_t> features;  // those that change, ascending
  std::vector<double> change;
  std::vector<double> alpha;   // of all sentences, one after another
  std::vector<double> hinges;  // of each sentence: max_j (l_j - Δh_j·w) before the change
  SmoResult solved;
};

// Minimises equation 1 by SMO; `weights` are by feature number.
MarginUpdate margin_update(std::span<const SentenceConstraints> batch,
                           IdSpan<std::int32_t, const double> weights, const SmoOptions& options);

}  // namespace hopefear
