#include "weights.h"

#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include "arrays.h"
#include "bindings.h"

namespace hopefear::bindings {
namespace {

// FNV-1a: 64 bits that stand for a name in every process.
std::int64_t name_key(std::string_view name) {
  std::uint64_t key = 0xcbf29ce484222325;
  for (const char c : name) key = (key ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return static_cast<std::int64_t>(key);
}

}  // namespace

void bind_weights(nb::module_& module) {
  nb::class_<Weights>(module, "Weights", "Feature names and one growing array of their weights.")
      .def(nb::init<>())
      .def(
          "sibling", [](const Weights& self) { return std::make_shared<Weights>(&self); },
          "Weights of the same features, all 0.")
      .def("intern", &Weights::intern, nb::arg("name"), nb::call_guard<nb::gil_scoped_release>(),
           "The number of a feature; a new feature gets the weight 0.")
      .def(
          "intern_all",
          [](Weights& weights, const std::vector<std::string>& names) {
            std::vector<FeatureId> ids;
            {
              const nb::gil_scoped_release release;
              ids = weights.intern_all(std::vector<std::string_view>(names.begin(), names.end()));
            }
            return owned(std::move(ids));
          },
          nb::arg("names"), "The numbers of features, int32.")
      .def("find", &Weights::find, nb::arg("name"), nb::call_guard<nb::gil_scoped_release>(),
           "The number of a feature, -1 if it is unknown.")
      .def("name", &Weights::name, nb::arg("id"),
           "The name of a feature. IndexError if the number is unknown.")
      .def(
          "name_keys",
          [](const Weights& weights, const Argument<FeatureId>& ids) {
            return owned(unlocked([&] {
              std::vector<std::int64_t> keys;
              keys.reserve(ids.shape(0));
              for (const FeatureId id : as_span(ids)) keys.push_back(name_key(weights.view(id)));
              return keys;
            }));
          },
          nb::arg("ids").noconvert(),
          nb::sig("def name_keys(self, ids: numpy.typing.NDArray[numpy.int32]) -> "
                  "numpy.typing.NDArray[numpy.int64]"),
          "64-bit keys of the feature names, equal in every process.")
      .def("__len__", [](const Weights& weights) { return weights.size(); })
      .def_prop_ro(
          "array",
          [](nb::object self) {
            Weights& weights = nb::cast<Weights&>(self);
            return Vector<double>(weights.data(), {static_cast<std::size_t>(weights.size())}, self);
          },
          "float64 view of the present weights; it stays valid when features are added.");
}

}  // namespace hopefear::bindings
