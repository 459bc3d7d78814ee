
#include <cstring>
#include <memory>
#include <string>

#include "arrays.h"
#include "base/feature_name.h"
#include "base/input_error.h"
#include "base/line_reader.h"
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

// A file that Python unpacks; used and closed with the interpreter's lock.
class PythonFile {
 public:
  explicit PythonFile(nb::object file) : file_(std::move(file)) {}
  ~PythonFile() {
    const hopefear::bindings::Acquire acquire;
    file_.reset();
  }
  PythonFile(const PythonFile&) = delete;
  PythonFile& operator=(const PythonFile&) = delete;

  std::size_t read(char* out, std::size_t most) const {
    const hopefear::bindings::Acquire acquire;
    try {
      const auto part = nb::cast<nb::bytes>(file_.attr("read")(most));
      std::memcpy(out, part.c_str(), part.size());
      return part.size();
    } catch (const nb::python_error& error) {
      const nb::object refused = nb::module_::import_("hopefear.base.errors").attr("InputError");
      throw hopefear::InputError({}, 0,
                                 error.matches(refused) ? "" : "the compressed file is damaged: ",
                                 nb::str(error.value()).c_str());
    }
  }

 private:
  nb::object file_;
};

hopefear::Unpack unpacked(const std::string& path) {
  const hopefear::bindings::Acquire acquire;
  try {
    const nb::object open = nb::module_::import_("hopefear.base.unpacking").attr("unpacked");
    auto file =
        std::make_shared<PythonFile>(open(nb::steal(PyUnicode_DecodeFSDefault(path.c_str()))));
    return [file](char* out, std::size_t most) { return file->read(out, most); };
  } catch (const nb::python_error& error) {
    throw hopefear::InputError(
        path, 0, std::string("cannot be unpacked: ") + nb::str(error.value()).c_str());
  }
}

}  // namespace

NB_MODULE(_native, module) {
  module.doc() = "The engine's native half.";
  module.attr("VERSION") = HOPEFEAR_VERSION;
  nb::register_exception_translator(raise_input_error);
  hopefear::set_unpacker(unpacked);
  using namespace hopefear::bindings;
  for (Bind* const bind :
       {&bind_weights, &bind_extraction, &bind_engine, &bind_forest, &bind_plugins, &bind_edges,
        &bind_tables, &bind_scorers, &bind_search, &bind_moments, &bind_oracles, &bind_consensus,
        &bind_line_search, &bind_metrics})
    bind(module);
}
