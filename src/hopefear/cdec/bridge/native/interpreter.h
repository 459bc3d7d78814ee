// Python inside the process: its start, its lock, its objects, its errors.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <string>
#include <utility>

namespace hopefear {

// Starts Python if it does not run yet, once in a process; the lock is free afterwards. Python is
// that of the environment which compiled this library, so that it finds the packages installed
// there.
void StartPython();

// Writes what went wrong and ends the process: cdec has no way to give up one sentence, and would
// go on with features missing.
[[noreturn]] void Stop(const std::string& message);

// Holds the interpreter's lock while it lives.
class PythonLock {
 public:
  PythonLock() : state_(PyGILState_Ensure()) {}
  ~PythonLock() { PyGILState_Release(state_); }
  PythonLock(const PythonLock&) = delete;
  PythonLock& operator=(const PythonLock&) = delete;

 private:
  PyGILState_STATE state_;
};

// A reference to a Python object, which it owns. Made and let go under the lock.
class Object {
 public:
  Object() = default;
  // Takes over a new reference; a null stands for a raised exception, which stops the process.
  explicit Object(PyObject* reference);
  Object(Object&& other) noexcept : reference_(std::exchange(other.reference_, nullptr)) {}
  Object& operator=(Object&& other) noexcept {
    std::swap(reference_, other.reference_);
    return *this;
  }
  ~Object() { Py_XDECREF(reference_); }

  PyObject* get() const { return reference_; }

 private:
  PyObject* reference_ = nullptr;
};

// A str; bytes that are not UTF-8 survive as they do in Python's file names.
Object Text(const std::string& text);
std::string ToString(const Object& text);

}  // namespace hopefear
