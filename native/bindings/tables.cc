#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "arrays.h"
#include "base/sequence_table.h"
#include "bindings.h"
#include "plugins/word_names.h"

namespace hopefear::bindings {
namespace {

// Some of the names of a table, as they stood when it was made.
struct WordNamesSlice {
  std::shared_ptr<const WordNames> names;
  std::size_t begin, end;

  std::size_t size() const { return end - begin; }
};

// Some of the rows of a sparse matrix.
template <class Bound>
nb::tuple take_rows(IdSpan<std::int64_t, const Bound> from, std::span<const std::int32_t> columns,
                    std::span<const double> values, std::span<const std::int64_t> rows) {
  std::vector<Bound> bounds{0};
  std::vector<std::int32_t> taken_columns;
  std::vector<double> taken_values;
  unlocked([&] {
    expect(columns.size() == values.size(), "expected as many columns as values");
    bounds.reserve(rows.size() + 1);
    for (const std::int64_t row : rows) {
      if (row < 0 || row + 1 >= from.count()) throw nb::index_error("expected a row of the matrix");
      const Bound begin = from[row];
      const Bound end = from[row + 1];
      expect(begin >= 0 && begin <= end && std::cmp_less_equal(end, columns.size()),
             "expected indptr in ascending order, up to the entries");
      taken_columns.insert(taken_columns.end(), columns.data() + begin, columns.data() + end);
      taken_values.insert(taken_values.end(), values.data() + begin, values.data() + end);
      bounds.push_back(count_of<Bound>(taken_columns));
    }
  });
  return owned(std::move(bounds), std::move(taken_columns), std::move(taken_values));
}

// Positions of rows may be any integers.
template <class Bound>
void bind_take_rows(nb::module_& module, const std::string& bound) {
  const auto array = [](const std::string& number) {
    return "numpy.typing.NDArray[numpy." + number + "]";
  };
  const std::string rows =
      "indptr: " + array(bound) + ", columns: " + array("int32") + ", values: " + array("float64");
  const std::string signature = "def take_rows(" + rows + ", rows: " + array("integer") +
                                ") -> tuple[" + array(bound) + ", " + array("int32") + ", " +
                                array("float64") + "]";
  module.def("take_rows", &take_rows<Bound>, nb::arg("indptr").noconvert(), nb::arg("columns"),
             nb::arg("values"), nb::arg("rows"), nb::sig(signature.c_str()),
             "Some of the rows of a sparse matrix, in the given order: indptr, columns, values.");
}

}  // namespace

// What plugins keep their features and their rules' properties in.
void bind_tables(nb::module_& module) {
  bind_take_rows<std::int32_t>(module, "int32");
  bind_take_rows<std::int64_t>(module, "int64");

  nb::class_<WordTexts>(module, "WordTexts", "Words numbered from 0, each with a text a type.")
      .def(
          "__init__",
          [](WordTexts* self, std::size_t types) {
            if (types == 0) throw nb::value_error("expected at least one type");
            new (self) WordTexts(types);
          },
          nb::arg("types"))
      .def("__len__", &WordTexts::size)
      .def("add", &WordTexts::add, nb::arg("texts"),
           "Adds words; the texts of each word follow each other.");

  nb::class_<WordNamesSlice>(module, "WordNamesSlice", "Some of a table's names.")
      .def("__len__", &WordNamesSlice::size)
      .def(
          "__getitem__",
          [](const WordNamesSlice& self, std::ptrdiff_t i) {
            return self.names->name(self.begin + index_in(self, i));
          },
          nb::arg("index"))
      .def(
          "intern",
          [](const WordNamesSlice& self, Weights& weights) {
            return owned(
                unlocked([&] { return self.names->intern(weights, self.begin, self.end); }));
          },
          nb::arg("weights"), "The numbers of the features of these names, int32.");

  // Prefix, separator, whether the names have the first and the second word, and patterns.
  using Form = std::tuple<std::string, std::string, bool, bool, std::vector<NameForm::Pattern>>;
  nb::class_<WordNames>(module, "WordNames", "Names of words; see hopefear.plugins.")
      .def(
          "__init__",
          [](WordNames* self, const std::vector<Form>& forms,
             std::shared_ptr<const WordTexts> first, std::shared_ptr<const WordTexts> second) {
            std::vector<NameForm> made;
            for (const auto& [prefix, separator, one, other, patterns] : forms)
              made.push_back({prefix, separator, one, other, patterns});
            new (self) WordNames(std::move(made), std::move(first), std::move(second));
          },
          nb::arg("forms"), nb::arg("first"), nb::arg("second"))
      .def_prop_ro_static("word_bits", [](nb::handle) { return WordNames::kWordBits; })
      .def_prop_ro_static("append_only", [](nb::handle) { return true; })
      .def("__len__", &WordNames::size)
      .def(
          "__getitem__",
          [](const WordNames& self, std::ptrdiff_t i) { return self.name(index_in(self, i)); },
          nb::arg("index"))
      .def(
          "__getitem__",
          [](std::shared_ptr<WordNames> self, nb::slice slice) {
            const auto [start, stop, step, length] = slice.compute(self->size());
            if (step != 1) throw nb::value_error("expected a slice with step 1");
            const std::size_t begin = place_of(start);
            return WordNamesSlice{std::move(self), begin, begin + length};
          },
          nb::arg("index"))
      .def(
          "columns",
          [](WordNames& self, std::span<const std::int64_t> keys) {
            WordNames::Columns found = unlocked([&] { return self.columns(keys); });
            return owned(std::move(found.begin), std::move(found.values));
          },
          nb::arg("keys").noconvert(),
          "The names of keys, (form << word_bits | first word) << word_bits | second word: indptr "
          "and columns, int32.");

  nb::class_<SequenceTable>(module, "SequenceTable",
                            "Numbers for short sequences of integers; see hopefear.plugins.")
      .def(nb::init<>())
      .def("__len__", &SequenceTable::size)
      .def("numbers", to_array(&SequenceTable::numbers), nb::arg("n"), nb::arg("rows"),
           nb::arg("items").noconvert(),
           nb::sig("def numbers(self, n: int, rows: numpy.typing.NDArray[numpy.integer], "
                   "items: numpy.typing.NDArray[numpy.int32]) -> "
                   "numpy.typing.NDArray[numpy.int32]"),
           "The number of each sequence, int32.")
      .def(
          "items",
          [](const SequenceTable& self, std::span<const std::int64_t> numbers) {
            SequenceTable::Items found = unlocked([&] { return self.items(numbers); });
            return owned(std::move(found.begin), std::move(found.values));
          },
          nb::arg("numbers"),
          nb::sig("def items(self, numbers: numpy.typing.NDArray[numpy.integer]) -> "
                  "tuple[numpy.typing.NDArray[numpy.int32], numpy.typing.NDArray[numpy.int32]]"),
          "The items of sequences: indptr and items, int32.");
}

}  // namespace hopefear::bindings
