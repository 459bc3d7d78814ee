#include "python_scorer.h"

#include "feature_rows.h"

namespace hopefear::bindings {
namespace {

using States = nb::ndarray<const std::int64_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

class PythonSentence final : public IntegerStateScorer {
 public:
  PythonSentence(nb::handle ask, std::size_t columns, const double* weights)
      : IntegerStateScorer(columns * sizeof(std::int64_t)),
        ask_(ask),
        columns_(columns),
        weights_(weights) {}

  // Nothing is known before Python is asked.
  double estimate(LocalRule) const override { return 0; }

  double score(const ScoredEdge& edge, MarkValues& marks) const override {
    double sum;
    score_batch({&edge, 1}, {&sum, 1}, marks);
    return sum;
  }

  void score_batch(std::span<const ScoredEdge> edges, std::span<double> scores,
                   MarkValues& marks) const override {
    std::vector<EdgeId> ids;
    std::vector<std::int32_t> tail_indptr{0};
    std::vector<std::int64_t> tail_states;
    for (const ScoredEdge& edge : edges) {
      ids.push_back(edge.edge);
      for (const std::byte* tail : edge.tails) {
        tail_states.resize(tail_states.size() + columns_);
        std::memcpy(&*tail_states.end() - columns_, tail, state_size_);
      }
      tail_indptr.push_back(tail_indptr.back() + edge.tails.count());
    }
    const Acquire lock;
    const nb::object answer = ask_(shown(std::move(ids)), shown(std::move(tail_indptr)),
                                   shown(std::move(tail_states), columns_));
    const auto part = [&](int i) { return nb::object(answer[i]); };
    std::optional<Argument<std::int32_t>> row;
    if (!part(4).is_none()) row = exactly<Argument<std::int32_t>>(part(4), "row");
    const auto columns = exactly<Argument<FeatureId>>(part(0), "columns");
    const auto indptr = exactly<Argument<std::int32_t>>(part(1), "indptr");
    const auto column = exactly<Argument<std::int32_t>>(part(2), "columns");
    const auto values = exactly<Argument<double>>(part(3), "values");
    const FeatureRows rows = feature_rows(columns, indptr, column, values, row, edges.size());
    const auto states = exactly<States>(part(5), "states");
    expect(states.shape(0) == edges.size() && states.shape(1) == columns_,
           "expected states to be a contiguous int64 array of shape (", edges.size(), ", ",
           columns_, ")");
    keep(rows, scores, marks);
    for (std::size_t i = 0; i < edges.size(); ++i) {
      std::memcpy(edges[i].state, states.data() + i * columns_, state_size_);
    }
  }

  // A mark is a row of fired_, -1 where nothing fired.
  void fire(const IdVector<EdgeId, EdgeId>&, const Marks& marks, Forest& out) const override {
    FeatureLayer layer = fired_;
    layer.row = marks.values;
    out.layers.push_back(std::move(layer));
  }

 private:
  template <class Array>
  static Array exactly(const nb::object& value, const char* name) {
    Array array;
    if (!nb::try_cast<Array>(value, array, false)) {
      throw std::invalid_argument(std::string("expected ") + name +
                                  " to be a contiguous array of the documented type");
    }
    return array;
  }

  // Keeps the rows of a batch, without what was dropped.
  void keep(const FeatureRows& rows, std::span<double> scores, MarkValues& marks) const {
    const Row first = fired_.rows();
    IdVector<Row, double> row_scores;
    for (Row r = 0; r < rows.rows(); ++r) {
      double sum = 0;
      for (const std::int32_t j : rows.entries(r)) {
        const FeatureId feature = rows.feature(j);
        if (feature < 0) continue;
        sum += weights_[feature] * rows.values[j];
        fired_.features.push_back(feature);
        fired_.values.push_back(rows.values[j]);
      }
      fired_.close();
      row_scores.push_back(sum);
    }
    std::int32_t i = 0;
    for (double& score : scores) {
      const Row r = rows.row_of(i++);
      score = r < 0 ? 0 : row_scores[r];
      marks.push_back(r < 0 ? -1 : first + r);
    }
  }

  nb::handle ask_;  // the scorer's
  std::size_t columns_;
  const double* weights_;
  mutable FeatureLayer fired_;
};

}  // namespace

std::unique_ptr<SentenceScorer> PythonScorer::begin(const Forest&, const double* weights) const {
  return std::make_unique<PythonSentence>(ask_, state_size_, weights);
}

}  // namespace hopefear::bindings
