#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/string.h>

#include "base/weights_file.h"
#include "bindings.h"

namespace hopefear::bindings {

void bind_readers(nanobind::module_& module) {
  namespace nb = nanobind;
  module.def(
      "read_weights",
      [](const std::filesystem::path& path, double scaling, Weights& weights) {
        read_weights(path, scaling, weights);
      },
      nb::arg("path"), nb::arg("scaling"), nb::arg("weights"),
      nb::call_guard<nb::gil_scoped_release>(), "Reads cdec's weights file.");
  module.def(
      "write_weights",
      [](const std::filesystem::path& path, const std::string& comment, const Weights& weights) {
        write_weights(path, comment, weights);
      },
      nb::arg("path"), nb::arg("comment"), nb::arg("weights"),
      nb::call_guard<nb::gil_scoped_release>(),
      "Writes the weights that are not 0, sorted by name.");
}

}  // namespace hopefear::bindings
