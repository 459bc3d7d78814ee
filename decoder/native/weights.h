// Feature names and their weights: one growing array of doubles that never moves, so that Python's
// views of it and the decoder's pointers stay valid while a tuner adds features.
#pragma once

#include <cstdint>
#include <memory>
#include <shared_mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "interner.h"

namespace hopefear {

using FeatureId = std::int32_t;

class Weights {
 public:
  Weights();
  // The same features with other values, all 0 at first: features that one adds the other has too.
  explicit Weights(const Weights* same_features);
  ~Weights();
  Weights(const Weights&) = delete;
  Weights& operator=(const Weights&) = delete;

  // The number of a feature, which is made with weight 0 where it is new. Thread-safe.
  FeatureId intern(std::string_view name);
  std::vector<FeatureId> intern_all(std::span<const std::string_view> names);
  FeatureId find(std::string_view name) const;  // Interner::kUnknown when absent
  std::string name(FeatureId id) const;
  std::string_view view(FeatureId id) const;  // of the name; names are never dropped

  std::int32_t size() const;
  // Addressable up to size(); writing is the tuner's business, reading needs no lock.
  double* data() { return data_; }
  const double* data() const { return data_; }

 private:
  struct Names {
    std::shared_mutex mutex;
    Interner interner;
  };

  explicit Weights(std::shared_ptr<Names> names);
  FeatureId intern_locked(std::string_view name, std::uint32_t hash);

  std::shared_ptr<Names> names_;
  double* data_;
  std::size_t reserved_bytes_;
};

}  // namespace hopefear
