#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <stdexcept>
#include <tuple>
#include <utility>

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
nb::tuple take_rows(const Argument<Bound>& indptr, const Argument<std::int32_t>& columns,
                    const Argument<double>& values, const Argument<std::int64_t>& rows) {
  std::vector<Bound> bounds{0};
  std::vector<std::int32_t> taken_columns;
  std::vector<double> taken_values;
  unlocked([&] {
    const IdSpan<std::int64_t, const Bound> from = as_span(indptr);
    if (columns.shape(0) != values.shape(0))
      throw std::invalid_argument("expected as many columns as values");
    bounds.reserve(rows.shape(0) + 1);
    for (const std::int64_t row : as_span(rows)) {
      if (row < 0 || row + 1 >= from.count()) throw nb::index_error("expected a row of the matrix");
      const Bound begin = from[row];
      const Bound end = from[row + 1];
      if (begin < 0 || begin > end || std::cmp_greater(end, columns.shape(0)))
        throw std::invalid_argument("expected indptr in ascending order, up to the entries");
      taken_columns.insert(taken_columns.end(), columns.data() + begin, columns.data() + end);
      taken_values.insert(taken_values.end(), values.data() + begin, values.data() + end);
      bounds.push_back(count_of<Bound>(taken_columns));
    }
  });
  return nb::make_tuple(owned(std::move(bounds)), owned(std::move(taken_columns)),
                        owned(std::move(taken_values)));
}

template <class Bound>
void bind_take_rows(nb::module_& module, const char* signature) {
  module.def("take_rows", &take_rows<Bound>, nb::arg("indptr").noconvert(), nb::arg("columns"),
             nb::arg("values"), nb::arg("rows"), nb::sig(signature),
             "Some of the rows of a sparse matrix, in the given order: indptr, columns, values.");
}

}  // namespace

// What plugins keep their features and their rules' properties in.
void bind_tables(nb::module_& module) {
  bind_take_rows<std::int32_t>(
      module,
      "def take_rows(indptr: numpy.typing.NDArray[numpy.int32], "
      "columns: numpy.typing.NDArray[numpy.int32], values: numpy.typing.NDArray[numpy.float64], "
      "rows: numpy.typing.NDArray[numpy.integer]) -> tuple[numpy.typing.NDArray[numpy.int32], "
      "numpy.typing.NDArray[numpy.int32], numpy.typing.NDArray[numpy.float64]]");
  bind_take_rows<std::int64_t>(
      module,
      "def take_rows(indptr: numpy.typing.NDArray[numpy.int64], "
      "columns: numpy.typing.NDArray[numpy.int32], values: numpy.typing.NDArray[numpy.float64], "
      "rows: numpy.typing.NDArray[numpy.integer]) -> tuple[numpy.typing.NDArray[numpy.int64], "
      "numpy.typing.NDArray[numpy.int32], numpy.typing.NDArray[numpy.float64]]");

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
          [](WordNames& self, const Argument<std::int64_t>& keys) {
            WordNames::Columns found = unlocked([&] { return self.columns(as_span(keys)); });
            return nb::make_tuple(owned(std::move(found.begin)), owned(std::move(found.values)));
          },
          nb::arg("keys").noconvert(),
          nb::sig("def columns(self, keys: numpy.typing.NDArray[numpy.int64]) -> "
                  "tuple[numpy.typing.NDArray[numpy.int32], numpy.typing.NDArray[numpy.int32]]"),
          "The names of keys, (form << word_bits | first word) << word_bits | second word: indptr "
          "and "
          "columns, int32.");

  nb::class_<SequenceTable>(module, "SequenceTable",
                            "Numbers for short sequences of integers; see hopefear.plugins.")
      .def(nb::init<>())
      .def("__len__", &SequenceTable::size)
      .def(
          "numbers",
          [](SequenceTable& self, std::size_t n, const Argument<std::int64_t>& rows,
             const Argument<std::int32_t>& items) {
            return owned(unlocked([&] { return self.numbers(n, as_span(rows), as_span(items)); }));
          },
          nb::arg("n"), nb::arg("rows"), nb::arg("items").noconvert(),
          nb::sig("def numbers(self, n: int, rows: numpy.typing.NDArray[numpy.integer], "
                  "items: numpy.typing.NDArray[numpy.int32]) -> "
                  "numpy.typing.NDArray[numpy.int32]"),
          "The number of each sequence, int32.")
      .def(
          "items",
          [](const SequenceTable& self, const Argument<std::int64_t>& numbers) {
            auto found = unlocked([&] { return self.items(as_span(numbers)); });
            return nb::make_tuple(owned(std::move(found.begin)), owned(std::move(found.values)));
          },
          nb::arg("numbers"),
          nb::sig("def items(self, numbers: numpy.typing.NDArray[numpy.integer]) -> "
                  "tuple[numpy.typing.NDArray[numpy.int32], numpy.typing.NDArray[numpy.int32]]"),
          "The items of sequences: indptr and items, int32.");
}

}  // namespace hopefear::bindings
