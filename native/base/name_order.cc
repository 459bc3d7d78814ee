#include "base/name_order.h"

#include <algorithm>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/id_vector.h"

namespace hopefear {
namespace {

// Names are dealt out to so many parts at most, each sorted by itself: memory is wanted for a byte
// a feature and for the keys of one part.
constexpr FeatureId kParts = 256;
constexpr FeatureId kSampled = 32;  // names a part, to find where to cut

// Names that are known to agree in their first bytes are mostly told apart by the next eight.
struct Key {
  std::uint64_t bytes;
  FeatureId id;
};

Key key_of(const Weights& weights, FeatureId id, std::size_t skip) {
  const std::string_view name = weights.view(id);
  std::uint64_t bytes = 0;
  for (std::size_t i = 0; i < 8; ++i) {
    const bool there = skip + i < name.size();
    bytes = bytes << 8 | (there ? static_cast<unsigned char>(name[skip + i]) : 0U);
  }
  return {bytes, id};
}

std::size_t common_prefix(std::string_view a, std::string_view b) {
  return id_at(a, std::ranges::mismatch(a, b).in1);
}

// Sorts the keys of names that agree in their first `skip` bytes.
void sort_by_name(const Weights& weights, std::span<Key> keys, std::size_t skip) {
  constexpr std::ptrdiff_t kFew = 16;
  std::ranges::sort(keys, {}, &Key::bytes);
  for (auto begin = keys.begin(); begin != keys.end();) {
    const auto end =
        std::find_if(begin, keys.end(), [&](const Key& key) { return key.bytes != begin->bytes; });
    const auto goes_on = [&](const Key& key) { return weights.view(key.id).size() > skip + 8; };
    if (end - begin > kFew && std::any_of(begin, end, goes_on)) {
      for (auto key = begin; key != end; ++key) *key = key_of(weights, key->id, skip + 8);
      sort_by_name(weights, {begin, end}, skip + 8);
    } else if (end - begin > 1) {
      std::sort(begin, end, [&](const Key& a, const Key& b) {
        return weights.view(a.id) < weights.view(b.id);
      });
    }
    begin = end;
  }
}

// The first names of all parts but the first.
std::vector<std::string_view> choose_cuts(const Weights& weights, FeatureId size) {
  const FeatureId step = size / (kParts * kSampled);
  if (step == 0) return {};
  IdVector<std::int64_t, std::string_view> sample;
  for (FeatureId id = 0; id < size; id += step) sample.push_back(weights.view(id));
  std::ranges::sort(sample);
  std::vector<std::string_view> cuts;
  for (std::int64_t i = 1; i < kParts; ++i) cuts.push_back(sample[i * sample.count() / kParts]);
  return cuts;
}

}  // namespace

void for_each_by_name(const Weights& weights, const std::function<void(FeatureId)>& visit) {
  const FeatureId size = weights.size();
  const std::vector<std::string_view> cuts = choose_cuts(weights, size);
  IdVector<FeatureId, std::uint8_t> part(size);
  for (FeatureId id = 0; id < size; ++id) {
    if (weights.data()[id] == 0) continue;
    part[id] = id_at<std::uint8_t>(cuts, std::ranges::upper_bound(cuts, weights.view(id)));
  }
  std::vector<Key> keys;
  for (std::size_t p = 0; p <= cuts.size(); ++p) {
    const bool is_inner = p > 0 && p < cuts.size();
    const std::size_t skip = is_inner ? common_prefix(cuts[p - 1], cuts[p]) : 0;
    keys.clear();
    for (auto i = part.begin();; ++i) {
      i = std::find(i, part.end(), static_cast<std::uint8_t>(p));
      if (i == part.end()) break;
      const auto id = id_at<FeatureId>(part, i);
      if (weights.data()[id] != 0) keys.push_back(key_of(weights, id, skip));
    }
    sort_by_name(weights, keys, skip);
    for (const Key& key : keys) visit(key.id);
  }
}

}  // namespace hopefear
