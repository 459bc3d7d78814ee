#include "parse/lattice.h"

#include <algorithm>

#include "base/message.h"

namespace hopefear {

void Lattice::add_arc(std::int32_t from, std::int32_t to, Symbol word,
                      std::span<const FeatureId> features, std::span<const double> values) {
  expect(from >= 0 && to > from && to <= length_, "expected arcs inside the lattice's ", length_,
         " positions, got one from ", from, " to ", to);
  const std::int32_t begin = features_.count();
  features_.insert(features_.end(), features.begin(), features.end());
  values_.insert(values_.end(), values.begin(), values.end());
  chain_ = chain_ && to == from + 1 && from == arcs_.count();
  arcs_.push_back({from, to, word, begin, features_.count()});
}

void Lattice::finish() {
  const std::int32_t n = length_ + 1;
  chain_ = chain_ && arcs_.count() + 1 == n;
  into_ = sorted_by<std::int32_t>(n, arcs_, &Arc::to);
  if (chain_) return;
  distances_.assign(std::int64_t{n} * n, kUnreachable);
  for (std::int32_t from = 0; from < n; ++from) {
    std::int32_t* row = &distances_[std::int64_t{from} * n];
    row[from] = 0;
    for (std::int32_t to = from + 1; to < n; ++to) {
      for (const ArcId a : arcs_into(to)) row[to] = std::min(row[to], row[arcs_[a].from] + 1);
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
