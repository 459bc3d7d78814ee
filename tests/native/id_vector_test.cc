#include "base/id_vector.h"

#include <algorithm>
#include <random>

#include "check.h"

using namespace hopefear;

using NumberOfTest = std::int32_t;

template <class Array, class Index>
concept Indexed = requires(Array array, Index index) { array[index]; };

TEST(only_its_own_numbers_index_a_vector) {
  using Vector = IdVector<NumberOfTest, double>;
  CHECK((Indexed<Vector, NumberOfTest>));
  CHECK((!Indexed<Vector, std::size_t>));
  CHECK((!Indexed<Vector, std::uint32_t>));
  CHECK((!Indexed<IdSpan<NumberOfTest, double>, std::size_t>));
}

TEST(numbers_of_a_vector) {
  IdVector<NumberOfTest, int> vector(3, 7);
  CHECK_EQUAL(vector.add(8), 3);
  CHECK_EQUAL(vector.count(), 4);
  CHECK(vector.has(3) && !vector.has(4) && !vector.has(-1));
  NumberOfTest next = 0;
  for (const NumberOfTest i : vector.ids()) {
    CHECK_EQUAL(i, next++);
    CHECK_EQUAL(vector[i], i < 3 ? 7 : 8);
  }
  CHECK_EQUAL(next, 4);
  IdSpan<NumberOfTest, int> span = vector;
  span[1] = 9;
  CHECK_EQUAL(vector[1], 9);
}

TEST(rows_are_what_was_added) {
  IdRows<NumberOfTest, int> rows;
  std::vector<std::vector<int>> expected;
  std::mt19937 random(1);
  for (int step = 0; step < 500; ++step) {
    std::vector<int> row(random() % 4);
    for (int& value : row) value = step;
    expected.push_back(row);
    rows.add(row);
    if (step % 50 == 0) {
      expected.resize(expected.size() / 2);
      rows.shrink(rows.count() / 2);
    }
  }
  CHECK_EQUAL(rows.count(), count_of(expected));
  for (const NumberOfTest i : rows.ids()) CHECK(std::ranges::equal(rows[i], expected[place_of(i)]));
}

TEST(elements_by_their_key) {
  const IdVector<NumberOfTest, int> keys{2, 0, 2, 4, 0};
  const auto sorted = sorted_by<NumberOfTest>(5, keys, [](int key) { return key; });
  CHECK(std::ranges::equal(sorted[0], std::vector{1, 4}));
  CHECK(sorted[1].empty() && sorted[3].empty());
  CHECK(std::ranges::equal(sorted[2], std::vector{0, 2}));
  CHECK(std::ranges::equal(sorted[4], std::vector{3}));
}
