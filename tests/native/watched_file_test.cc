#include <algorithm>
#include <filesystem>

#include "base/mapped_file.h"
#include "check.h"
#include "files.h"
#include "grammar/compiled_grammar.h"
#include "toy.h"

static const std::string kPages(3 << 16, 'x');  // of any size

static std::ptrdiff_t count_x(const MappedFile& file) {
  return std::ranges::count(file.bytes(), std::byte{'x'});
}

TEST(a_file_that_is_cut_while_it_is_read_is_an_error) {
  const TemporaryFile cut(kPages), whole(kPages);
  const MappedFile file(cut.path()), other(whole.path());
  CHECK_EQUAL(reading(&file, [&] { return count_x(file); }), 3 << 16);
  const auto cut_and_read = [&] {
    std::filesystem::resize_file(cut.path(), 100);
    return count_x(file);
  };
  try {
    reading(&file, cut_and_read);
    CHECK(false);
  } catch (const InputError& error) {
    CHECK_EQUAL(error.path(), cut.path());
  }
  CHECK_INPUT_ERROR(reading(&file, [] {}), 0u, "stays as it is while it is used");
  CHECK_EQUAL(reading(&other, [&] { return count_x(other); }), 3 << 16);
}

TEST(what_was_read_of_a_file_that_changed_is_not_used) {
  const TemporaryFile written("0123456789"), replaced("0123456789");
  const MappedFile file(written.path()), other(replaced.path());
  const auto write = [&] { std::ofstream(written.path(), std::ios::in) << "9876543210"; };
  CHECK_INPUT_ERROR(reading(&file, write), 0u, "stays as it is while it is used");
  // Another error may come of the change.
  CHECK_INPUT_ERROR(reading(&file, [] { throw std::runtime_error("strange"); }), 0u, "stays as");
  replaced.write("abc");  // under the same name
  CHECK_EQUAL(reading(&other, [&] { return other.bytes().size(); }), 10u);
  CHECK_THROWS(reading(&other, [] { throw std::runtime_error("its own"); }), std::runtime_error);
}

TEST(a_call_inside_a_call_ends_alone) {
  const TemporaryFile cut(kPages), whole(kPages);
  const MappedFile file(cut.path()), other(whole.path());
  const auto inner = [&] {
    std::filesystem::resize_file(cut.path(), 0);
    return count_x(file);
  };
  const auto outer = [&] {
    CHECK_INPUT_ERROR(reading(&file, inner), 0u, "stays as it is while it is used");
    return count_x(other);
  };
  CHECK_EQUAL(reading(&other, outer), 3 << 16);
}

TEST(forests_outlive_their_compiled_grammar) {
  const Toy toy;
  const TemporaryFile compiled;
  toy.engine.write_compiled_grammar(compiled.path());
  Engine engine(toy.weights, {}, compiled.path());
  engine.finish();
  const Input input = Toy::sentence("a b c a b");
  const auto forest = engine.parse(input), expected = toy.parse(input);
  forest->reweight(*toy.weights);
  std::filesystem::resize_file(compiled.path(), 0);
  const std::vector<Derivation> all = all_derivations(*expected);
  CHECK_EQUAL(all.size(), all_derivations(*forest).size());
  for (const Derivation& d : all) {
    for (const Side side : {Side::kSource, Side::kTarget})
      CHECK_EQUAL(tree(*forest, d, side), tree(*expected, d, side));
    CHECK(features(*forest, d) == features(*expected, d));
  }
  CHECK_INPUT_ERROR(engine.parse(input), 0u, "stays as it is while it is used");
}
