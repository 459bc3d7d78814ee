
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <optional>

#include "arrays.h"
#include "base/feature_name.h"
#include "base/weights_file.h"
#include "bindings.h"

namespace hopefear::bindings {
namespace {

constexpr std::string_view kNoUnicode = "must be valid Unicode text";

using Names = std::vector<nb::str>;

// A text in UTF-8, nothing if it has lone surrogates. Valid as long as the text lives.
std::optional<std::string_view> find_utf8(const nb::str& text) {
  Py_ssize_t size = 0;
  const char* data = PyUnicode_AsUTF8AndSize(text.ptr(), &size);
  if (data != nullptr) return std::string_view(data, place_of(size));
  PyErr_Clear();
  return std::nullopt;
}

// The name of a feature in UTF-8.
std::string_view utf8(const nb::str& name) {
  if (const std::optional<std::string_view> text = find_utf8(name)) return *text;
  const nb::bytes shown =
      nb::steal<nb::bytes>(PyUnicode_AsEncodedString(name.ptr(), "utf-8", "backslashreplace"));
  throw NameError({shown.c_str(), shown.size()}, kNoUnicode);
}

std::string fault_of(const nb::str& name, std::string_view (*fault)(std::string_view)) {
  const std::optional<std::string_view> text = find_utf8(name);
  return std::string(text ? fault(*text) : kNoUnicode);
}

// FNV-1a: 64 bits that stand for a name in every process.
std::int64_t name_key(std::string_view name) {
  std::uint64_t key = 0xcbf29ce484222325;
  for (const char c : name) key = (key ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return static_cast<std::int64_t>(key);
}

Vector<std::int64_t> name_keys(const Names& names) {
  std::vector<std::int64_t> keys;
  keys.reserve(names.size());
  for (const nb::str& name : names) keys.push_back(name_key(utf8(name)));
  return owned(std::move(keys));
}

std::vector<std::int64_t> keys_of(const Weights& weights, std::span<const FeatureId> ids) {
  std::vector<std::int64_t> keys;
  keys.reserve(ids.size());
  for (const FeatureId id : ids) keys.push_back(name_key(weights.view(id)));
  return keys;
}

}  // namespace

void bind_weights(nb::module_& module) {
  module.def(
      "name_fault", [](const nb::str& name) { return fault_of(name, &name_fault); },
      nb::arg("name"),
      "What is wrong with a feature name, such as 'must not contain white space'; empty if nothing "
      "is.");
  module.def(
      "find_wrong_name",
      [](const Names& names) {
        const auto wrong = std::ranges::find_if(
            names, [](const nb::str& name) { return !fault_of(name, &name_fault).empty(); });
        return wrong == names.end() ? -1 : wrong - names.begin();
      },
      nb::arg("names"),
      "The index of the first name that no feature can have, -1 if there is none.");
  module.def(
      "name_part_fault", [](const nb::str& part) { return fault_of(part, &name_part_fault); },
      nb::arg("part"),
      "What is wrong with a part of a feature name, such as a word; empty if nothing is.");
  module.def(
      "name_keys", &name_keys, nb::arg("names"),
      "64-bit keys of feature names, equal in every process, as those of `Weights.name_keys`.");
  nb::class_<Weights>(module, "Weights", "Feature names and one growing array of their weights.")
      .def(nb::init<>())
      .def(
          "sibling", [](const Weights& self) { return std::make_shared<Weights>(&self); },
          "Weights of the same features, all 0.")
      .def("has_features_of", &Weights::has_features_of, nb::arg("other"),
           "Whether features have the same numbers in both: one is a sibling of the other.")
      .def(
          "intern",
          [](Weights& weights, const nb::str& name) {
            return unlocked([&, text = utf8(name)] { return weights.intern(text); });
          },
          nb::arg("name"),
          "The number of a feature; a new feature gets the weight 0. InputError if no feature can "
          "have the name.")
      .def(
          "intern_all",
          [](Weights& weights, const Names& names) {
            std::vector<std::string_view> texts;
            texts.reserve(names.size());
            for (const nb::str& name : names) texts.push_back(utf8(name));
            return owned(unlocked([&] { return weights.intern_all(texts); }));
          },
          nb::arg("names"), "The numbers of features, int32.")
      .def(
          "find",
          [](const Weights& weights, const nb::str& name) {
            const std::optional<std::string_view> text = find_utf8(name);
            if (!text) return Interner::kUnknown;
            return unlocked([&] { return weights.find(*text); });
          },
          nb::arg("name"), "The number of a feature, -1 if it is unknown.")
      .def("name", &Weights::name, nb::arg("id"),
           "The name of a feature. IndexError if the number is unknown.")
      .def("name_keys", to_array(&keys_of), nb::arg("ids").noconvert(),
           "64-bit keys of the feature names, equal in every process.")
      .def("__len__", [](const Weights& weights) { return weights.size(); })
      .def_prop_ro(
          "array",
          [](nb::object self) {
            Weights& weights = nb::cast<Weights&>(self);
            return Vector<double>(weights.data(), {place_of(weights.size())}, self);
          },
          "float64 view of the present weights; it stays valid when features are added.");
  nb::class_<WeightSnapshot>(module, "WeightSnapshot", "The values of weights at one moment.")
      .def(nb::init<const Weights&>(), nb::arg("weights"), Release())
      .def(
          "overlay", [](const WeightSnapshot& self) { return std::make_shared<Weights>(self); },
          "Weights that begin with these values; they share the memory of what they do not "
          "change.");
  module.def(
      "read_weights",
      [](const std::filesystem::path& path, double scaling, Weights& weights) {
        read_weights(path, scaling, weights);
      },
      nb::arg("path"), nb::arg("scaling"), nb::arg("weights"), Release(),
      "Reads cdec's weights file.");
  module.def(
      "write_weights",
      [](const std::filesystem::path& path, const std::string& comment, const Weights& weights) {
        write_weights(path, comment, weights);
      },
      nb::arg("path"), nb::arg("comment"), nb::arg("weights"), Release(),
      "Writes the weights that are not 0, sorted by name.");
}

}  // namespace hopefear::bindings
