// Feature names and their weights: one growing array of doubles that never moves, so that Python's
// views of it and the decoder's pointers stay valid while a tuner adds features.
#pragma once

#include <shared_mutex>
#include <string>

#include "base/interner.h"

namespace hopefear {

using FeatureId = std::int32_t;

class WeightSnapshot;

class Weights {
 public:
  Weights();
  // Other weights for the same features, all 0 at first; both objects have all features that one of
  // them adds.
  explicit Weights(const Weights* same_features);
  // Weights that begin with the values of a snapshot, whose memory they share page by page until
  // they write to a page.
  explicit Weights(const WeightSnapshot& first);
  bool has_features_of(const Weights& other) const { return names_ == other.names_; }
  ~Weights();
  Weights& operator=(Weights&&) = delete;

  // The number of a feature; a new feature gets the weight 0. Throws NameError if it cannot have
  // this name; only new names are checked. Thread-safe.
  FeatureId intern(std::string_view name);
  std::vector<FeatureId> intern_all(std::span<const std::string_view> names);
  // The same for names one after the other in a text, given where each ends.
  std::vector<FeatureId> intern_all(std::string_view text, std::span<const std::size_t> ends);
  FeatureId find(std::string_view name) const;  // Interner::kUnknown when absent
  std::string name(FeatureId id) const;
  std::string_view view(FeatureId id) const;  // of the name; names are never dropped

  std::int32_t size() const;
  // Valid up to size(). Only a tuner writes; reading needs no lock.
  double* data() { return data_; }
  const double* data() const { return data_; }

 private:
  friend class WeightSnapshot;

  struct Names {
    std::shared_mutex mutex;
    Interner interner;
    std::size_t most = SIZE_MAX;  // features that all arrays have room for
  };

  explicit Weights(std::shared_ptr<Names> names);
  FeatureId intern_locked(std::string_view name, std::uint32_t hash);

  std::shared_ptr<Names> names_;
  double* data_;
  std::size_t reserved_bytes_;
};

// The values of weights at one moment; they never change.
class WeightSnapshot {
 public:
  explicit WeightSnapshot(const Weights& weights);
  ~WeightSnapshot();
  WeightSnapshot& operator=(WeightSnapshot&&) = delete;

 private:
  friend class Weights;

  std::shared_ptr<Weights::Names> names_;
  std::size_t bytes_;
  int file_;  // in memory, without a name
};

}  // namespace hopefear
