#include "base/sequence_table.h"

#include <algorithm>

#include "base/message.h"

namespace hopefear {

std::int32_t SequenceTable::size() const {
  const std::lock_guard lock(mutex_);
  return index_.size() + 1;
}

std::vector<std::int32_t> SequenceTable::numbers(std::size_t n, std::span<const std::int64_t> rows,
                                                 std::span<const std::int32_t> items) {
  expect(rows.size() == items.size(), "expected one row for each item, got ", rows.size(),
         " rows for ", items.size(), " items");
  expect(std::ranges::is_sorted(rows) && (rows.empty() || rows.front() >= 0) &&
             (rows.empty() || std::cmp_less(rows.back(), n)),
         "expected rows in ascending order, from 0 to below the number of sequences");
  if (std::ranges::any_of(items, [](std::int32_t item) { return item < 0; }))
    throw std::invalid_argument("expected items of at least 0");
  IdVector<std::int64_t, std::int32_t> numbers(n, 0);
  const std::lock_guard lock(mutex_);
  for (std::size_t i = 0; i < items.size(); ++i) {
    std::int32_t& number = numbers[rows[i]];
    number = index_.insert(KeyIndex::pair(number, items[i])) + 1;
  }
  return numbers;
}

SequenceTable::Items SequenceTable::items(std::span<const std::int64_t> numbers) const {
  Items all;
  all.begin.reserve(numbers.size() + 1);
  const std::lock_guard lock(mutex_);
  for (std::int64_t number : numbers) {
    if (number < 0 || number > index_.size())
      throw std::out_of_range("expected the number of a known sequence");
    const std::int32_t begin = all.values.count();
    while (number > 0) {
      const std::int64_t key = index_.key(static_cast<std::int32_t>(number) - 1);
      all.values.push_back(static_cast<std::int32_t>(key & 0xffffffff));
      number = key >> 32;
    }
    std::reverse(all.values.begin() + begin, all.values.end());
    all.close();
  }
  return all;
}

}  // namespace hopefear
