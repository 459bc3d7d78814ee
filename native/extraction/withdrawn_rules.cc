#include "extraction/withdrawn_rules.h"

#include <algorithm>
#include <optional>

namespace hopefear {
namespace {

// Whether symbols are those wanted, the nonterminals with numbers that are greater by `shift`.
bool same(std::span<const Symbol> symbols, std::span<const Symbol> wanted, Symbol shift) {
  return std::ranges::equal(symbols, wanted, [shift](Symbol symbol, Symbol other) {
    return symbol == (other > 0 ? other : other - shift);
  });
}

// The shift with which the source symbols are those wanted. A rule's nonterminals are in order on
// its source side: the first one says it all.
std::optional<Symbol> shift_of(std::span<const Symbol> symbols, std::span<const Symbol> wanted) {
  Symbol shift = 0;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (wanted[i] > 0) continue;
    if (symbols[i] > 0) return std::nullopt;
    shift = wanted[i] - symbols[i];
    break;
  }
  return same(symbols, wanted, shift) ? std::optional(shift) : std::nullopt;
}

bool within(std::size_t position, std::size_t begin, std::size_t size) {
  return position >= begin && position < begin + size;
}

bool holds(std::span<const Symbol> source, std::span<const Symbol> target,
           std::span<const AlignmentPoint> alignment, const WithdrawnRules::Rule& rule) {
  const std::size_t width = rule.source.size(), height = rule.target.size();
  for (std::size_t i = 0; i + width <= source.size(); ++i) {
    const auto shift = shift_of(source.subspan(i, width), rule.source);
    if (!shift) continue;
    for (std::size_t j = 0; j + height <= target.size(); ++j) {
      if (!same(target.subspan(j, height), rule.target, *shift)) continue;
      if (std::ranges::all_of(alignment, [&](AlignmentPoint link) {
            return within(link.source, i, width) == within(link.target, j, height);
          }))
        return true;
    }
  }
  return false;
}

}  // namespace

bool WithdrawnRules::in(std::span<const Symbol> source, std::span<const Symbol> target,
                        std::span<const AlignmentPoint> alignment) const {
  return std::ranges::any_of(
      rules_, [&](const Rule& rule) { return holds(source, target, alignment, rule); });
}

}  // namespace hopefear
