// Derivations from Python, which may be of another forest.
#pragma once

#include "arrays.h"
#include "forest/derivation.h"

namespace hopefear::bindings {

inline Derivation checked(const Forest& forest, std::span<const EdgeId> edges) {
  std::size_t open = 1;
  for (const EdgeId e : edges) {
    if (e < 0 || e >= forest.edges()) throw nb::index_error("expected an edge of this forest");
    if (open == 0) throw nb::value_error("expected a derivation of this forest");
    open += forest.tails_of(e).size() - 1;
  }
  if (!edges.empty() && open != 0) throw nb::value_error("expected a derivation of this forest");
  return {edges.begin(), edges.end()};
}

}  // namespace hopefear::bindings
