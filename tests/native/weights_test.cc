
#include <algorithm>
#include <thread>

#include "base/weights_file.h"
#include "check.h"
#include "files.h"

using namespace hopefear;

TEST(the_array_never_moves) {
  Weights weights;
  const FeatureId first = weights.intern("first");
  double* const data = weights.data();
  data[first] = 1.5;
  for (int i = 0; i < 100000; ++i) weights.intern("f" + std::to_string(i));
  CHECK(weights.data() == data);
  CHECK_EQUAL(weights.data()[first], 1.5);
  CHECK_EQUAL(weights.data()[weights.size() - 1], 0.0);
  CHECK_EQUAL(weights.name(1), "f0");
  CHECK_THROWS(weights.name(weights.size()), std::out_of_range);
  CHECK_THROWS(weights.name(-1), std::out_of_range);
}

TEST(a_sibling_has_the_same_features_and_other_values) {
  Weights weights;
  weights.data()[weights.intern("a")] = 2;
  Weights sibling(&weights);
  CHECK_EQUAL(sibling.find("a"), 0);
  CHECK_EQUAL(sibling.data()[0], 0.0);
  const FeatureId added = sibling.intern("b");
  CHECK_EQUAL(weights.find("b"), added);
}

TEST(weights_of_a_snapshot_disturb_no_others) {
  Weights weights;
  for (int i = 0; i < 2000; ++i) weights.data()[weights.intern("f" + std::to_string(i))] = i;
  const WeightSnapshot first(weights);
  weights.data()[7] = -1;
  Weights one(first), other(first);
  one.data()[7] = 0.5;
  CHECK_EQUAL(one.data()[1999], 1999.0);
  CHECK_EQUAL(other.data()[7], 7.0);
  CHECK_EQUAL(Weights(first).data()[7], 7.0);
  const FeatureId added = one.intern("added");
  CHECK_EQUAL(weights.find("added"), added);
  CHECK_EQUAL(other.data()[added], 0.0);
  const Weights none;
  CHECK_EQUAL(Weights(WeightSnapshot(none)).size(), 0);
}

TEST(many_are_interned_at_once) {
  Weights weights;
  const std::vector<std::string_view> names{"a", "b", "a"};
  const std::vector<FeatureId> ids = weights.intern_all(names);
  CHECK_EQUAL(ids[0], 0);
  CHECK_EQUAL(ids[1], 1);
  CHECK_EQUAL(ids[2], 0);
}

TEST(threads_agree_on_numbers) {
  Weights weights;
  constexpr int kNames = 5000;
  std::vector<std::vector<FeatureId>> ids(4);
  std::vector<std::thread> threads;
  for (auto& mine : ids) {
    threads.emplace_back([&weights, &mine] {
      for (int i = 0; i < kNames; ++i) mine.push_back(weights.intern("n" + std::to_string(i)));
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK_EQUAL(weights.size(), kNames);
  for (const auto& mine : ids) CHECK(mine == ids[0]);
}

TEST(files_come_back_as_they_were_written) {
  Weights weights;
  weights.data()[weights.intern("b")] = 0.1;
  weights.data()[weights.intern("a=b")] = -1e-300;
  weights.intern("zero");
  const TemporaryFile file;
  write_weights(file.path(), "# how", weights);
  CHECK_EQUAL(read_file(file.path()).substr(0, 11), "# how\na=b -");
  Weights other;
  read_weights(file.path(), 2, other);
  CHECK_EQUAL(other.data()[other.find("b")], 0.2);
  CHECK_EQUAL(other.data()[other.find("a=b")], -2e-300);
  CHECK_EQUAL(other.size(), 2);
}

TEST(many_weights_are_written_by_name) {
  // Names that agree in long prefixes, that are prefixes of others, and bytes above 127.
  Weights weights;
  std::vector<std::string> names;
  for (int i = 0; i < 30000; ++i) {
    const std::string digits = std::to_string(i * 7919 % 30000);
    names.push_back("R:X:" + std::string(i % 3 == 0 ? "ü" : "u") + std::string(i % 40, 'a') +
                    (i % 5 == 0 ? "" : "_NX:N1_") + digits);
  }
  for (std::size_t i = 0; i < 300; ++i) names.push_back("prefix" + std::string(i, 'p'));
  std::vector<std::string> expected;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const FeatureId id = weights.intern(names[i]);
    if (i % 4 == 0) continue;
    weights.data()[id] = 0.5;
    expected.push_back(names[i] + " 0.5\n");
  }
  std::ranges::sort(expected, {},
                    [](const std::string& line) { return line.substr(0, line.find(' ')); });
  std::string text;
  for (const std::string& line : expected) text += line;
  const TemporaryFile file;
  write_weights(file.path(), "", weights);
  CHECK(read_file(file.path()) == text);
}

TEST(what_is_written_reads_as_the_same_value) {
  Weights weights, other;
  const std::vector<double> values{0.1, 1.0 / 3, 5e-324, 1.7976931348623157e308, -1e22, 123456789};
  for (const double value : values) weights.data()[weights.intern(std::to_string(value))] = value;
  const TemporaryFile file;
  write_weights(file.path(), "", weights);
  read_weights(file.path(), 1, other);
  for (const double value : values)
    CHECK_EQUAL(other.data()[other.find(std::to_string(value))], value);
}

TEST(separators_and_comments) {
  const TemporaryFile file("# comment\n\na 1\nb=+2\nc\t3\r\n  d   4  ");
  Weights weights;
  read_weights(file.path(), 1, weights);
  for (const auto& [name, value] : {std::pair{"a", 1.0}, {"b", 2.0}, {"c", 3.0}, {"d", 4.0}}) {
    CHECK_EQUAL(weights.data()[weights.find(name)], value);
  }
}

TEST(bad_lines_are_refused) {
  const auto refuse = [](const char* text, std::size_t line, const char* expected) {
    const TemporaryFile file(text);
    Weights weights;
    CHECK_INPUT_ERROR(read_weights(file.path(), 1, weights), line, expected);
  };
  refuse("a 1\nb", 2, "'Name value'");
  refuse("a one", 1, "'Name value'");
  refuse("a nan", 1, "'Name value'");
  refuse("a 1e999", 1, "'Name value'");
  refuse(" =3", 1, "'Name value'");
  refuse("a b 3", 1, "one name");
  refuse("a 1\na 2", 2, "expected one weight for each feature");
  refuse("a 1\na 2\nb", 2, "expected one weight for each feature");
  Weights weights;
  CHECK_INPUT_ERROR(write_weights("/nowhere/weights", "", weights), 0u, "cannot be written");
}
