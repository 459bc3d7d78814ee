#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <tuple>

#include "arrays.h"
#include "base/sequence_table.h"
#include "bindings.h"
#include "plugins/pair_names.h"

namespace hopefear::bindings {
namespace {

// Some of the names of a table, as they stood when it was made.
struct PairNamesSlice {
  std::shared_ptr<const PairNames> names;
  std::size_t begin, end;

  std::size_t size() const { return end - begin; }
};

template <class Names>
std::size_t index_in(const Names& names, std::ptrdiff_t i) {
  const auto n = static_cast<std::ptrdiff_t>(names.size());
  if (i < 0) i += n;
  if (i < 0 || i >= n) throw nb::index_error();
  return static_cast<std::size_t>(i);
}

}  // namespace

// What plugins keep their features and their rules' properties in.
void bind_tables(nb::module_& module) {
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

  nb::class_<PairNamesSlice>(module, "PairNamesSlice", "Some of a table's names.")
      .def("__len__", &PairNamesSlice::size)
      .def(
          "__getitem__",
          [](const PairNamesSlice& self, std::ptrdiff_t i) {
            return self.names->name(self.begin + index_in(self, i));
          },
          nb::arg("index"))
      .def(
          "intern",
          [](const PairNamesSlice& self, Weights& weights) {
            return owned(
                unlocked([&] { return self.names->intern(weights, self.begin, self.end); }));
          },
          nb::arg("weights"), "The numbers of the features of these names, int32.");

  nb::class_<PairNames>(module, "PairNames", "Names of pairs of words; see hopefear.plugins.")
      .def(nb::init<std::string, std::string, std::shared_ptr<const WordTexts>,
                    std::shared_ptr<const WordTexts>, std::vector<PairNames::Pattern>>(),
           nb::arg("prefix"), nb::arg("separator"), nb::arg("first"), nb::arg("second"),
           nb::arg("patterns"))
      .def_prop_ro_static("append_only", [](nb::handle) { return true; })
      .def("__len__", &PairNames::size)
      .def(
          "__getitem__",
          [](const PairNames& self, std::ptrdiff_t i) { return self.name(index_in(self, i)); },
          nb::arg("index"))
      .def(
          "__getitem__",
          [](std::shared_ptr<PairNames> self, nb::slice slice) {
            const auto [start, stop, step, length] = slice.compute(self->size());
            if (step != 1) throw nb::value_error("expected a slice with step 1");
            const auto begin = static_cast<std::size_t>(start);
            return PairNamesSlice{std::move(self), begin, begin + length};
          },
          nb::arg("index"))
      .def(
          "columns",
          [](PairNames& self, const Argument<std::int64_t>& keys) {
            PairNames::Columns found = unlocked([&] { return self.columns(as_span(keys)); });
            return nb::make_tuple(owned(std::move(found.indptr)), owned(std::move(found.columns)));
          },
          nb::arg("keys").noconvert(),
          nb::sig("def columns(self, keys: numpy.typing.NDArray[numpy.int64]) -> "
                  "tuple[numpy.typing.NDArray[numpy.int32], numpy.typing.NDArray[numpy.int32]]"),
          "The names of keys, first word << 32 | second word: indptr and columns, int32.");

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
            return nb::make_tuple(owned(std::move(found.indptr)), owned(std::move(found.items)));
          },
          nb::arg("numbers"),
          nb::sig("def items(self, numbers: numpy.typing.NDArray[numpy.integer]) -> "
                  "tuple[numpy.typing.NDArray[numpy.int32], numpy.typing.NDArray[numpy.int32]]"),
          "The items of sequences: indptr and items, int32.");
}

}  // namespace hopefear::bindings
