#include "parse/lattice.h"

#include <algorithm>
#include <numeric>
#include <stdexcept>

namespace hopefear {

void Lattice::add_arc(std::int32_t from, std::int32_t to, Symbol word,
                      std::span<const FeatureId> features, std::span<const double> values) {
  if (from < 0 || to <= from || to > length_) {
    throw std::invalid_argument("expected arcs inside the lattice's " + std::to_string(length_) +
                                " positions, got one from " + std::to_string(from) + " to " +
                                std::to_string(to));
  }
  const auto begin = static_cast<std::int32_t>(features_.size());
  features_.insert(features_.end(), features.begin(), features.end());
  values_.insert(values_.end(), values.begin(), values.end());
  chain_ = chain_ && to == from + 1 && from == static_cast<std::int32_t>(arcs_.size());
  arcs_.push_back({from, to, word, begin, static_cast<std::int32_t>(features_.size())});
}

void Lattice::finish() {
  const auto n = static_cast<std::size_t>(length_) + 1;
  chain_ = chain_ && arcs_.size() + 1 == n;
  into_begin_.assign(n + 1, 0);
  for (const Arc& arc : arcs_) ++into_begin_[static_cast<std::size_t>(arc.to) + 1];
  std::partial_sum(into_begin_.begin(), into_begin_.end(), into_begin_.begin());
  into_.resize(arcs_.size());
  std::vector<std::int32_t> next(into_begin_.begin(), into_begin_.end() - 1);
  for (std::size_t a = 0; a < arcs_.size(); ++a) {
    into_[static_cast<std::size_t>(next[static_cast<std::size_t>(arcs_[a].to)]++)] =
        static_cast<std::int32_t>(a);
  }
  if (chain_) return;
  distances_.assign(n * n, kUnreachable);
  for (std::size_t from = 0; from < n; ++from) {
    std::int32_t* row = &distances_[from * n];
    row[from] = 0;
    for (std::size_t to = from + 1; to < n; ++to) {
      for (const std::int32_t a : arcs_into(static_cast<std::int32_t>(to))) {
        row[to] = std::min(row[to], row[arcs_[static_cast<std::size_t>(a)].from] + 1);
      }
    }
  }
}

std::int32_t Lattice::widest_span(std::int32_t distance) const {
  if (chain_) return std::min(length_, distance);
  std::int32_t widest = 0;
  for (std::int32_t from = 0; from <= length_; ++from) {
    for (std::int32_t to = length_; to - from > widest; --to) {
      if (this->distance(from, to) <= distance) widest = to - from;
    }
  }
  return widest;
}

}  // namespace hopefear
