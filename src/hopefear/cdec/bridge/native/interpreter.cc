#include "interpreter.h"

#include <cstdlib>
#include <iostream>

#ifndef HOPEFEAR_PYTHON
#error "HOPEFEAR_PYTHON must name the Python executable"
#endif

namespace hopefear {
namespace {

// The raised exception as hopefear tells it: a message for bad input, a traceback for all else.
std::string RaisedException() {
  PyObject *type, *value, *traceback;
  PyErr_Fetch(&type, &value, &traceback);
  PyErr_NormalizeException(&type, &value, &traceback);
  if (traceback != nullptr) PyException_SetTraceback(value, traceback);
  PyObject* module = PyImport_ImportModule("hopefear.cdec.bridge.session");
  PyObject* text = module ? PyObject_CallMethod(module, "describe", "O", value) : nullptr;
  const char* described = text ? PyUnicode_AsUTF8(text) : nullptr;
  if (described != nullptr) return described;
  PyErr_Clear();
  PyErr_Restore(type, value, traceback);
  PyErr_Print();
  return "Python raised the exception above; is hopefear installed for " HOPEFEAR_PYTHON "?";
}

}  // namespace

void StartPython() {
  if (Py_IsInitialized()) return;
  PyConfig config;
  PyConfig_InitPythonConfig(&config);
  config.parse_argv = 0;
  config.install_signal_handlers = 0;  // an interrupt ends cdec
  PyStatus status = PyConfig_SetBytesString(&config, &config.program_name, HOPEFEAR_PYTHON);
  if (!PyStatus_Exception(status)) status = Py_InitializeFromConfig(&config);
  PyConfig_Clear(&config);
  if (PyStatus_Exception(status)) {
    Stop(std::string("cannot start Python: ") +
         (status.err_msg ? status.err_msg : "unknown reason"));
  }
  PyEval_SaveThread();
}

void Stop(const std::string& message) {
  std::cout.flush();
  std::cerr << "hopefear bridge: " << message << std::endl;
  std::_Exit(1);
}

Object::Object(PyObject* reference) : reference_(reference) {
  if (reference == nullptr) Stop(RaisedException());
}

Object Text(const std::string& text) {
  return Object(
      PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "surrogateescape"));
}

std::string ToString(const Object& text) {
  const Object bytes(PyUnicode_AsEncodedString(text.get(), "utf-8", "surrogateescape"));
  return {PyBytes_AS_STRING(bytes.get()), static_cast<std::size_t>(PyBytes_GET_SIZE(bytes.get()))};
}

}  // namespace hopefear
