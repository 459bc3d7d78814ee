#include "metrics/character_edits.h"

#include <algorithm>
#include <random>

#include "base/edit_distance.h"
#include "check.h"

using namespace hopefear;

namespace {

using Symbols = std::vector<std::uint32_t>;

// The table of all beginnings, row by row.
std::size_t by_table(const Symbols& left, const Symbols& right) {
  std::vector<std::size_t> row(right.size() + 1);
  for (std::size_t j = 0; j < row.size(); ++j) row[j] = j;
  for (const std::uint32_t symbol : left) {
    std::size_t before = row[0]++;
    for (std::size_t j = 1; j < row.size(); ++j) {
      const std::size_t other = before + (symbol != right[j - 1]);
      before = row[j];
      row[j] = std::min({other, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row.back();
}

Symbols drawn(std::mt19937& random, std::size_t most) {
  Symbols symbols(random() % (most + 1));
  for (auto& symbol : symbols) symbol = random() % 4;
  return symbols;
}

}  // namespace

TEST(distances_are_those_of_the_table) {
  std::mt19937 random(3);
  for (int trial = 0; trial < 2000; ++trial) {
    const std::size_t most = trial % 2 == 0 ? 8 : 200;  // in one block, and in several
    const Symbols left = drawn(random, most), right = drawn(random, most);
    CHECK_EQUAL(EditDistance(right)(left), by_table(left, right));
  }
  for (const std::size_t length : {63, 64, 65, 128, 129}) {  // at the ends of blocks
    const Symbols right(length, 1);
    CHECK_EQUAL(EditDistance(right)(right), 0U);
    CHECK_EQUAL(EditDistance(right)({}), length);
    CHECK_EQUAL(EditDistance({})(right), length);
  }
}

TEST(words_are_shifted_before_characters_are_changed) {
  CHECK_EQUAL(character_edits(U"the cat sat", U"the cat sat"), 0.0);
  CHECK_EQUAL(character_edits(U"the cat sat", U"the bat sat"), 1.0);
  CHECK_EQUAL(character_edits(U"sat the big cat", U"the big cat sat"), 3.0);  // moves "sat"
  CHECK_EQUAL(character_edits(U"the big cat it", U"it the big cats"), 4.0);   // 3 for "the big cat"
  CHECK_EQUAL(character_edits(U"été", U"ete"), 2.0);
  CHECK_EQUAL(character_edits(U"", U"ab c"), 4.0);
  CHECK_EQUAL(character_edits(U"ab c", U""), 4.0);
  CHECK_EQUAL(character_edits(U"", U""), 0.0);
}
