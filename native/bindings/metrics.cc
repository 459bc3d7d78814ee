#include "arrays.h"
#include "bindings.h"
#include "metrics/character_edits.h"
#include "metrics/shifted_edits.h"

namespace hopefear::bindings {

void bind_metrics(nb::module_& module) {
  module.def("shifted_edits", &shifted_edits, nb::arg("hypothesis"), nb::arg("reference"),
             Release(),
             "Edits and shifts of words that make a hypothesis the reference, words as numbers.");
  module.def(
      "character_edits",
      [](std::span<const std::uint32_t> hypothesis, std::span<const std::uint32_t> reference) {
        return character_edits(std::u32string(hypothesis.begin(), hypothesis.end()),
                               std::u32string(reference.begin(), reference.end()));
      },
      nb::arg("hypothesis"), nb::arg("reference"), Release(),
      "Edits of characters and shifts of words that make a hypothesis the reference, characters as "
      "code points.");
}

}  // namespace hopefear::bindings
