
#include <cstring>

#include "base/feature_name.h"
#include "base/input_error.h"
#include "bindings.h"
#include "forest/score.h"

namespace nb = nanobind;

namespace {

// hopefear.base.errors.InputError(message, path=..., line=...), or a subclass
void set_input_error(const std::exception& error, const nb::object& path, const nb::object& line,
                     const char* name = "InputError") {
  const nb::object type = nb::module_::import_("hopefear.base.errors").attr(name);
  // A message may quote bytes that are no UTF-8, or half of a character.
  const nb::object message = nb::steal(PyUnicode_DecodeUTF8(
      error.what(), static_cast<Py_ssize_t>(std::strlen(error.what())), "replace"));
  const nb::object instance = type(message, nb::arg("path") = path, nb::arg("line") = line);
  PyErr_SetObject(type.ptr(), instance.ptr());
}

void raise_input_error(const std::exception_ptr& pointer, void*) {
  try {
    std::rethrow_exception(pointer);
  } catch (const hopefear::InputError& error) {
    set_input_error(error, nb::steal(PyUnicode_DecodeFSDefault(error.path().c_str())),
                    error.line() == 0 ? nb::none() : nb::object(nb::int_(error.line())));
  } catch (const hopefear::NameError& error) {
    set_input_error(error, nb::none(), nb::none());
  } catch (const hopefear::ScoreError& error) {
    set_input_error(error, nb::none(), nb::none(), "ScoreError");
  }
}

}  // namespace

NB_MODULE(_native, module) {
  module.doc() = "The engine's native half.";
  module.attr("VERSION") = HOPEFEAR_VERSION;
  nb::register_exception_translator(raise_input_error);
  using namespace hopefear::bindings;
  for (Bind* const bind : {&bind_weights, &bind_extraction, &bind_engine, &bind_forest,
                           &bind_plugins, &bind_edges, &bind_tables, &bind_scorers, &bind_search,
                           &bind_oracles, &bind_consensus, &bind_line_search, &bind_metrics})
    bind(module);
}
