// The input: a word lattice whose positions are numbered 0..length; a plain sentence is a chain.
#pragma once

#include "base/id_vector.h"
#include "base/vocabulary.h"
#include "base/weights.h"

namespace hopefear {

class Lattice {
 public:
  using ArcId = std::int32_t;
  struct Arc {
    std::int32_t from;
    std::int32_t to;
    Symbol word;
    std::int32_t features_begin, features_end;  // into features() and values()
  };

  explicit Lattice(std::int32_t length) : length_(length) {}

  // Throws std::invalid_argument unless 0 <= from < to <= length.
  void add_arc(std::int32_t from, std::int32_t to, Symbol word,
               std::span<const FeatureId> features = {}, std::span<const double> values = {});
  // To be called after the last arc.
  void finish();

  std::int32_t length() const { return length_; }
  const IdVector<ArcId, Arc>& arcs() const { return arcs_; }
  // Arcs that end at a position.
  std::span<const ArcId> arcs_into(std::int32_t position) const { return into_[position]; }
  const IdVector<std::int32_t, FeatureId>& features() const { return features_; }
  const IdVector<std::int32_t, double>& values() const { return values_; }
  bool has_features() const { return !features_.empty(); }

  static constexpr std::int32_t kUnreachable = 1 << 30;
  // Number of arcs on the shortest path between two positions; kUnreachable if there is none.
  std::int32_t distance(std::int32_t from, std::int32_t to) const {
    return chain_ ? to - from : distances_[std::int64_t{from} * (length_ + 1) + to];
  }
  // The greatest number of positions between two positions that are at most `distance` arcs apart.
  std::int32_t widest_span(std::int32_t distance) const;

 private:
  std::int32_t length_;
  bool chain_ = true;
  IdVector<ArcId, Arc> arcs_;
  IdRows<std::int32_t, ArcId> into_;  // by position
  IdVector<std::int32_t, FeatureId> features_;
  IdVector<std::int32_t, double> values_;
  IdVector<std::int64_t, std::int32_t> distances_;  // a row for each position
};

}  // namespace hopefear
