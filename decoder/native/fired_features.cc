#include "fired_features.h"

namespace hopefear {

std::vector<FeatureId> fired_features(const Forest& forest) {
  thread_local std::vector<bool> seen;  // false throughout between two calls
  std::vector<FeatureId> fired;
  std::vector<bool> in_use;
  for (const Forest* f = &forest; f != nullptr; f = f->source.get()) {
    for (const FeatureLayer& layer : f->layers) {
      in_use.assign(layer.indptr.size(), false);
      for (const std::int32_t row : layer.row) {
        if (row < 0 || in_use[static_cast<std::size_t>(row)]) continue;
        in_use[static_cast<std::size_t>(row)] = true;
        const auto end = static_cast<std::size_t>(layer.indptr[static_cast<std::size_t>(row) + 1]);
        for (auto k = static_cast<std::size_t>(layer.indptr[static_cast<std::size_t>(row)]);
             k < end; ++k) {
          const auto feature = static_cast<std::size_t>(layer.features[k]);
          if (feature >= seen.size()) seen.resize(2 * feature + 1, false);
          if (!seen[feature]) fired.push_back(layer.features[k]);
          seen[feature] = true;
        }
      }
    }
  }
  for (const FeatureId feature : fired) seen[static_cast<std::size_t>(feature)] = false;
  return fired;
}

}  // namespace hopefear
