// A feature with a state whose features and states are computed in Python, for batches of edges.
#pragma once

#include <nanobind/nanobind.h>

#include "search/scorer.h"

namespace hopefear::bindings {

// `ask(edges, tail_indptr, tail_states)` gives (columns, indptr, column, values, row, states): the
// features of each edge as feature_rows() has them, and the states of the heads, `state_size` int64
// each.
class PythonScorer final : public StatefulScorer {
 public:
  PythonScorer(std::size_t state_size, nanobind::callable ask)
      : state_size_(state_size), ask_(std::move(ask)) {}

  std::size_t state_size() const override { return state_size_ * sizeof(std::int64_t); }
  bool leaves_marks() const override { return true; }
  bool wants_batches() const override { return true; }
  std::unique_ptr<SentenceScorer> begin(const Forest& forest, const double* weights) const override;

 private:
  std::size_t state_size_;
  nanobind::callable ask_;
};

}  // namespace hopefear::bindings
