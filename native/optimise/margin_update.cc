#include "optimise/margin_update.h"

#include <algorithm>
#include <cmath>

namespace hopefear {
namespace {

// Sparse rows; `column` numbers the features of the batch.
struct Rows {
  std::vector<std::size_t> indptr{0};
  std::vector<std::size_t> column;
  std::vector<double> values;

  std::size_t size() const { return indptr.size() - 1; }
};

std::vector<std::int32_t> distinct_features(std::span<const SentenceConstraints> batch) {
  std::vector<std::int32_t> features;
  for (const SentenceConstraints& sentence : batch)
    features.insert(features.end(), sentence.features.begin(), sentence.features.end());
  std::ranges::sort(features);
  const auto rest = std::ranges::unique(features);
  features.erase(rest.begin(), rest.end());
  return features;
}

Rows rows_of(std::span<const SentenceConstraints> batch, std::span<const std::int32_t> features) {
  Rows rows;
  for (const SentenceConstraints& sentence : batch) {
    const std::size_t first = rows.column.size();
    for (const std::int64_t end : sentence.indptr.subspan(1))
      rows.indptr.push_back(first + place_of(end));
    for (const std::int32_t feature : sentence.features) {
      const auto found = std::ranges::lower_bound(features, feature);
      rows.column.push_back(id_at(features, found));
    }
    rows.values.insert(rows.values.end(), sentence.values.begin(), sentence.values.end());
  }
  return rows;
}

// h·h' of all pairs of rows, each product added up in the order of the features of its first row.
std::vector<double> gram_of(const Rows& rows, std::size_t columns) {
  // The entries of each column, in the order of the rows.
  std::vector<std::size_t> begin(columns + 1, 0);
  for (const std::size_t column : rows.column) ++begin[column + 1];
  for (std::size_t column = 0; column < columns; ++column) begin[column + 1] += begin[column];
  std::vector<std::size_t> next(begin.begin(), begin.end() - 1), row(rows.column.size());
  std::vector<double> value(rows.column.size());
  for (std::size_t r = 0; r < rows.size(); ++r) {
    for (std::size_t k = rows.indptr[r]; k < rows.indptr[r + 1]; ++k) {
      const std::size_t place = next[rows.column[k]]++;
      row[place] = r;
      value[place] = rows.values[k];
    }
  }
  std::vector<double> gram(rows.size() * rows.size(), 0.0);
  for (std::size_t r = 0; r < rows.size(); ++r) {
    double* const sums = &gram[r * rows.size()];
    for (std::size_t k = rows.indptr[r]; k < rows.indptr[r + 1]; ++k) {
      for (std::size_t i = begin[rows.column[k]]; i < begin[rows.column[k] + 1]; ++i)
        sums[row[i]] += rows.values[k] * value[i];
    }
  }
  return gram;
}

double larger(double a, double b) { return std::isnan(a) || a > b ? a : b; }

}  // namespace

MarginUpdate margin_update(std::span<const SentenceConstraints> batch,
                           IdSpan<std::int32_t, const double> weights, const SmoOptions& options) {
  const std::vector<std::int32_t> features = distinct_features(batch);
  const Rows rows = rows_of(batch, features);
  const std::vector<double> gram = gram_of(rows, features.size());
  std::vector<double> score(rows.size(), 0.0), loss;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    for (std::size_t k = rows.indptr[r]; k < rows.indptr[r + 1]; ++k)
      score[r] += rows.values[k] * weights[features[rows.column[k]]];
  }
  MarginUpdate update;
  update.alpha.assign(rows.size(), 0.0);
  std::vector<std::size_t> begin{0}, oracles;
  for (const SentenceConstraints& sentence : batch) {
    const std::size_t first = begin.back();
    oracles.push_back(first + sentence.oracle);
    begin.push_back(first + sentence.loss.size());
    loss.insert(loss.end(), sentence.loss.begin(), sentence.loss.end());
    double hinge = loss[first] + score[first] - score[oracles.back()];
    for (std::size_t j = first + 1; j < begin.back(); ++j)
      hinge = larger(loss[j] + score[j] - score[oracles.back()], hinge);
    update.hinges.push_back(hinge);
    update.alpha[oracles.back()] = options.C;
  }
  update.solved = smo({begin, gram, loss}, options, update.alpha, score);

  std::vector<double> change(features.size(), 0.0), coefficients(rows.size());
  for (std::size_t r = 0; r < rows.size(); ++r) coefficients[r] = -update.alpha[r];
  for (const std::size_t oracle : oracles) coefficients[oracle] += options.C;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    for (std::size_t k = rows.indptr[r]; k < rows.indptr[r + 1]; ++k)
      change[rows.column[k]] += rows.values[k] * coefficients[r];
  }
  for (std::size_t column = 0; column < features.size(); ++column) {
    if (change[column] == 0) continue;
    update.features.push_back(features[column]);
    update.change.push_back(change[column]);
  }
  return update;
}

}  // namespace hopefear
