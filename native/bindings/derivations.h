// Derivations from Python, which may be of another forest.
#pragma once

#include "arrays.h"
#include "forest/derivation.h"

namespace hopefear::bindings {

inline Derivation checked(const Forest& forest, const Argument<EdgeId>& edges) {
  const std::span<const EdgeId> span = as_span(edges);
  std::size_t open = 1;
  for (const EdgeId e : span) {
    if (e < 0 || e >= forest.edges()) throw nb::index_error("expected an edge of this forest");
    if (open == 0) throw nb::value_error("expected a derivation of this forest");
    open += forest.tails_of(e).size() - 1;
  }
  if (!span.empty() && open != 0) throw nb::value_error("expected a derivation of this forest");
  return {span.begin(), span.end()};
}

}  // namespace hopefear::bindings
