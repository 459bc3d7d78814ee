// Checks of the rules in the file of a compiled grammar. A block of rules is checked when a rule of
// it is first needed: to open a large grammar takes no time for its rules, and still nothing is
// read that has not been checked.
#pragma once

#include "base/mapped_file.h"
#include "base/message.h"
#include "grammar/grammar_tables.h"

namespace hopefear {

class RuleChecks {  // thread-safe
 public:
  static constexpr std::uint32_t kRules = 1024;  // of a block
  static std::uint32_t blocks(std::size_t rules) {
    return static_cast<std::uint32_t>((rules + kRules - 1) / kRules);
  }
  // CRC-32 of what the tables have of a block's rules.
  static std::uint32_t checksum(const GrammarTables& tables, std::uint32_t block);

  // `tables` has one element more in each `…_begin` than it has rules; its trie and its layouts
  // have been checked. Words and categories have numbers from 1 to `words` and `categories`.
  RuleChecks(std::shared_ptr<const MappedFile> file, const GrammarTables& tables,
             std::span<const std::uint32_t> checksums, std::int32_t words, std::int32_t categories);

  // Throws InputError unless the rules [begin, end) are as they were written, and nothing in them
  // leads out of the tables.
  void expect_good(std::uint32_t begin, std::uint32_t end) const {
    if (begin >= end) return;
    for (std::uint32_t block = begin / kRules; block <= (end - 1) / kRules; ++block) {
      if (!good_[block].load(std::memory_order_relaxed)) check(block);
    }
  }

  const WatchedFile* file() const { return file_.get(); }

 private:
  void check(std::uint32_t block) const;
  void check_extents(std::uint32_t first, std::uint32_t last) const;
  void check_rule(std::uint32_t id) const;
  void expect(bool good, std::string_view expected) const;

  std::shared_ptr<const MappedFile> file_;
  const GrammarTables t_;
  std::span<const std::uint32_t> checksums_;
  std::int32_t words_, categories_;
  mutable std::vector<std::atomic<bool>> good_;
};

}  // namespace hopefear
