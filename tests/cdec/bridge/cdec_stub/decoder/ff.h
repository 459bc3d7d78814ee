// The class that feature functions are derived from.
#pragma once
#include <string>
#include <vector>

#include "sparse_vector.h"

namespace HG {
struct Edge;
}
class SentenceMetadata;

class FeatureFunction {
  friend class ExternalFeature;

 public:
  FeatureFunction() = default;
  virtual ~FeatureFunction();
  int StateSize() const { return state_size_; }
  virtual void PrepareForInput(const SentenceMetadata& sentence);
  virtual void FinalTraversalFeatures(const void* state, SparseVector<double>* features) const;

 protected:
  virtual void TraversalFeaturesImpl(const SentenceMetadata& sentence, const HG::Edge& edge,
                                     const std::vector<const void*>& tail_states,
                                     SparseVector<double>* features,
                                     SparseVector<double>* estimated_features, void* state) const;
  void SetStateSize(size_t size) { state_size_ = static_cast<int>(size); }

 private:
  int state_size_ = 0;
};
