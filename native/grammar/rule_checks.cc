#include "grammar/rule_checks.h"

#include <zlib.h>

#include <algorithm>
#include <bitset>
#include <cmath>

#include "base/input_error.h"

namespace hopefear {
namespace {

constexpr std::size_t kMostOfASide = 255;

template <class T>
std::uint32_t add_checksum(std::uint32_t checksum, std::span<const T> items) {
  return static_cast<std::uint32_t>(
      crc32_z(checksum, reinterpret_cast<const unsigned char*>(items.data()), items.size_bytes()));
}

}  // namespace

std::uint32_t RuleChecks::checksum(const GrammarTables& t, std::uint32_t block) {
  const std::size_t first = std::size_t{block} * kRules;
  const std::size_t size = std::min<std::size_t>(kRules, t.lhs.size() - first);
  std::uint32_t sum = 0;
  sum = add_checksum(sum, t.lhs.subspan(first, size));
  sum = add_checksum(sum, t.node.subspan(first, size));
  sum = add_checksum(sum, t.layout.subspan(first, size));
  const auto add_items = [&]<class T>(std::span<const std::uint32_t> begin,
                                      std::span<const T> items) {
    sum = add_checksum(sum, begin.subspan(first, size + 1));
    sum = add_checksum(sum, items.subspan(begin[first], begin[first + size] - begin[first]));
  };
  add_items(t.target_begin, t.targets);
  add_items(t.value_begin, t.values);
  add_items(t.alignment_begin, t.alignments);
  return sum;
}

RuleChecks::RuleChecks(std::shared_ptr<const MappedFile> file, const GrammarTables& tables,
                       std::span<const std::uint32_t> checksums, std::int32_t words,
                       std::int32_t categories)
    : file_(std::move(file)),
      t_(tables),
      checksums_(checksums),
      words_(words),
      categories_(categories),
      good_(checksums.size()) {}

void RuleChecks::expect(bool good, std::string_view expected) const {
  if (!good)
    throw InputError(file_->path(), 0,
                     "expected a compiled grammar with " + std::string(expected) +
                         ", got a damaged file: compile the grammar again");
}

void RuleChecks::check(std::uint32_t block) const {
  const std::uint32_t first = block * kRules,
                      last = static_cast<std::uint32_t>(
                          std::min<std::size_t>(t_.lhs.size(), std::size_t{first} + kRules));
  check_extents(first, last);
  expect(checksum(t_, block) == checksums_[block],
         concat("the checksum of block ", block, " of its rules"));
  for (std::uint32_t id = first; id < last; ++id) check_rule(id);
  good_[block].store(true, std::memory_order_relaxed);
}

// What the rules have of the tables that all rules share.
void RuleChecks::check_extents(std::uint32_t first, std::uint32_t last) const {
  const auto check = [&](std::span<const std::uint32_t> begin, std::size_t size) {
    expect(std::is_sorted(begin.begin() + first, begin.begin() + last + 1) && begin[last] <= size,
           "rules inside its tables");
  };
  check(t_.target_begin, t_.targets.size());
  check(t_.value_begin, t_.values.size());
  check(t_.alignment_begin, t_.alignments.size());
}

// As GrowingGrammar::add checks a rule.
void RuleChecks::check_rule(std::uint32_t id) const {
  expect(t_.lhs[id] >= 1 && t_.lhs[id] <= categories_, "left-hand sides of known categories");
  const TrieNumber node = t_.node[id];
  expect(node + std::size_t{1} < t_.trie.size() && t_.trie[node].first_rule <= id &&
             id < t_.trie[node + 1].first_rule,
         "rules in the order of its trie");
  std::size_t source = 0, arity = 0;
  for (TrieNumber n = node; n != 0; n = t_.parents[n], ++source) arity += t_.symbols[n] < 0;

  const std::uint32_t begin = t_.target_begin[id], end = t_.target_begin[id + 1];
  expect(end - begin <= kMostOfASide, "at most 255 symbols on each side");
  std::bitset<kMostOfASide> seen;
  for (std::uint32_t i = begin; i < end; ++i) {
    const Symbol symbol = t_.targets[i];
    if (symbol > 0) {
      expect(symbol <= words_, "words that it names");
    } else {
      const std::uint32_t index = 0U - static_cast<std::uint32_t>(symbol);
      expect(index < arity && !seen[index], "each nonterminal of a source side on the target side");
      seen[index] = true;
    }
  }
  expect(seen.count() == arity, "each nonterminal of a source side on the target side");

  const std::uint32_t layout = t_.layout[id];
  expect(layout + std::size_t{1} < t_.layout_begin.size() &&
             t_.value_begin[id + 1] - t_.value_begin[id] ==
                 t_.layout_begin[layout + 1] - t_.layout_begin[layout],
         "a value for each feature of a rule");
  for (std::uint32_t i = t_.value_begin[id]; i < t_.value_begin[id + 1]; ++i)
    expect(std::isfinite(t_.values[i]), "finite numbers");
  for (std::uint32_t i = t_.alignment_begin[id]; i < t_.alignment_begin[id + 1]; ++i) {
    expect(t_.alignments[i].source < source && t_.alignments[i].target < end - begin,
           "alignment points inside the rules");
  }
}

}  // namespace hopefear
