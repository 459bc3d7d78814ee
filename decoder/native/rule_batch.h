// Rules laid out as arrays, for plugins.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "forest.h"

namespace hopefear {

struct RuleBatch {
  // `locals` are indices into forest->rules.
  RuleBatch(std::shared_ptr<const Forest> forest, std::span<const std::int32_t> locals);

  std::string_view symbol(Symbol id) const;
  // R:LHS:source:target with words joined by _, source nonterminals as N and their category, target
  // ones as N and their number.
  std::vector<std::string> indicator_names() const;

  std::shared_ptr<const Forest> forest;
  std::vector<std::int32_t> ids, lhs;
  std::vector<std::int32_t> source_indptr{0}, source;
  std::vector<std::int32_t> target_indptr{0}, target;
  std::vector<std::int32_t> alignment_indptr{0}, alignment;  // pairs
};

}  // namespace hopefear
