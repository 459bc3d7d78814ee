#include "arrays.h"
#include "bindings.h"
#include "metrics/character_edits.h"
#include "metrics/shifted_edits.h"

namespace hopefear::bindings {
namespace {

std::u32string text_of(const Argument<std::uint32_t>& characters) {
  const auto span = as_span(characters);
  return {span.begin(), span.end()};
}

}  // namespace

void bind_metrics(nb::module_& module) {
  module.def(
      "shifted_edits",
      [](const Argument<std::uint32_t>& hypothesis, const Argument<std::uint32_t>& reference) {
        return unlocked([&] { return shifted_edits(as_span(hypothesis), as_span(reference)); });
      },
      nb::arg("hypothesis"), nb::arg("reference"),
      "Edits and shifts of words that make a hypothesis the reference, words as numbers.");
  module.def(
      "character_edits",
      [](const Argument<std::uint32_t>& hypothesis, const Argument<std::uint32_t>& reference) {
        return unlocked([&] { return character_edits(text_of(hypothesis), text_of(reference)); });
      },
      nb::arg("hypothesis"), nb::arg("reference"),
      "Edits of characters and shifts of words that make a hypothesis the reference, characters as "
      "code points.");
}

}  // namespace hopefear::bindings
