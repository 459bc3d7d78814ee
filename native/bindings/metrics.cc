#include "arrays.h"
#include "bindings.h"
#include "metrics/shifted_edits.h"

namespace hopefear::bindings {

void bind_metrics(nb::module_& module) {
  module.def(
      "shifted_edits",
      [](const Argument<std::uint32_t>& hypothesis, const Argument<std::uint32_t>& reference) {
        return unlocked([&] { return shifted_edits(as_span(hypothesis), as_span(reference)); });
      },
      nb::arg("hypothesis"), nb::arg("reference"),
      "Edits and shifts of words that make a hypothesis the reference, words as numbers.");
}

}  // namespace hopefear::bindings
