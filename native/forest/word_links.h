// Which source words target words stand for, and how probable such links are in a forest.
//
// A target word that its rule links with no source word is linked with all source words of the
// rule.
#pragma once

#include <cstdint>
#include <vector>

#include "base/id_vector.h"
#include "forest/derivation.h"

namespace hopefear {

// A link: the source position in the high half, the target word in the low half.
constexpr std::int64_t link_key(std::int32_t position, Symbol word) {
  return std::int64_t{position} << 32 | static_cast<std::uint32_t>(word);
}

// The links of each target word of a derivation.
IdRows<std::int32_t, std::int64_t> word_links(const Forest& forest, const Derivation& derivation);

// The links of all derivations under p(d) ~ exp(scale * score), ascending, and the probability that
// a derivation has them.
struct LinkPosteriors {
  std::vector<std::int64_t> links;
  std::vector<double> posteriors;
};
LinkPosteriors link_posteriors(const Forest& forest, double scale);

}  // namespace hopefear
