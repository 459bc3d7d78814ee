#include <nanobind/stl/string.h>

#include "base/weights_file.h"
#include "bindings.h"

namespace hopefear::bindings {

void bind_readers(nanobind::module_& module) {
  namespace nb = nanobind;
  module.def("read_weights", &read_weights, nb::arg("path"), nb::arg("scaling"), nb::arg("weights"),
             nb::call_guard<nb::gil_scoped_release>(), "Reads cdec's weights file.");
  module.def("write_weights", &write_weights, nb::arg("path"), nb::arg("comment"),
             nb::arg("weights"), nb::call_guard<nb::gil_scoped_release>(),
             "Writes the weights that are not 0, sorted by name.");
}

}  // namespace hopefear::bindings
