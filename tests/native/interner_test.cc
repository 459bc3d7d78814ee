#include "base/interner.h"

#include "check.h"

using namespace hopefear;

TEST(numbers_are_dense_and_texts_come_back) {
  Interner interner(1);
  CHECK_EQUAL(interner.intern("a"), 1);
  CHECK_EQUAL(interner.intern(""), 2);
  CHECK_EQUAL(interner.intern("a"), 1);
  CHECK_EQUAL(interner.find("b"), Interner::kUnknown);
  CHECK_EQUAL(interner.text(2), "");
  CHECK_EQUAL(interner.end(), 3);
}

TEST(texts_stay_where_they_are_while_it_grows) {
  Interner interner;
  interner.intern("first");
  const std::string_view first = interner.text(0);
  const std::string large(1 << 17, 'x');
  CHECK_EQUAL(interner.intern(large), 1);
  for (int i = 0; i < 50000; ++i) CHECK_EQUAL(interner.intern("w" + std::to_string(i)), i + 2);
  for (int i = 0; i < 50000; i += 997) CHECK_EQUAL(interner.text(i + 2), "w" + std::to_string(i));
  CHECK(first.data() == interner.text(0).data());
  CHECK_EQUAL(interner.text(1), large);
}

TEST(texts_of_any_length_stand_side_by_side) {
  Interner interner;
  const auto made = [](int i) {
    const std::size_t length = i % 11 == 0 ? 250 + static_cast<std::size_t>(i % 9) : i % 7;
    return std::to_string(i) + "_" + std::string(length, static_cast<char>('a' + i % 26));
  };
  std::vector<std::string_view> seen;
  for (int i = 0; i < 20000; ++i) {
    CHECK_EQUAL(interner.intern(made(i)), i);
    seen.push_back(interner.text(i));
  }
  for (int i = 0; i < 20000; ++i) {
    CHECK_EQUAL(interner.text(i), made(i));
    CHECK_EQUAL(seen[i], made(i));
    CHECK_EQUAL(interner.find(made(i)), i);
    CHECK_EQUAL(interner.find(made(i) + "?"), Interner::kUnknown);
  }
}

TEST(a_child_adds_above_its_parent) {
  auto parent = std::make_shared<Interner>(1);
  parent->intern("a");
  Interner child(parent);
  CHECK_EQUAL(child.intern("a"), 1);
  CHECK_EQUAL(child.intern("b"), 2);
  CHECK_EQUAL(child.find("b"), 2);
  CHECK_EQUAL(parent->find("b"), Interner::kUnknown);
  CHECK_EQUAL(child.text(1), "a");
  CHECK_EQUAL(child.first(), 2);
}
