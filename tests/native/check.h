// Tests are TEST(name) { ... } blocks with checks in them; a test goes on after a failed check.
// main.cc runs them.
#pragma once

#include <cmath>
#include <cstdio>
#include <iostream>
#include <sstream>
#include <vector>

#include "base/input_error.h"

namespace check {

struct Test {
  const char* file;
  const char* name;
  void (*run)();
};
inline std::vector<Test>& tests() {
  static std::vector<Test> all;
  return all;
}
inline int failures = 0;

inline void fail(const char* file, int line, const std::string& message) {
  ++failures;
  std::cerr << file << ':' << line << ": " << message << '\n';
}

template <class A, class B>
void equal(const A& a, const B& b, const char* text, const char* file, int line) {
  if (a == b) return;
  std::ostringstream message;
  message << text << ": " << a << " is not " << b;
  fail(file, line, message.str());
}

inline void near(double a, double b, double tolerance, const char* text, const char* file,
                 int line) {
  if (std::abs(a - b) <= tolerance) return;
  equal(a, b, text, file, line);
}

// The call must throw InputError for that line, with a text in its message.
template <class Call>
void input_error(Call&& call, std::size_t at, const std::string& part, const char* file, int line) {
  try {
    call();
  } catch (const hopefear::InputError& error) {
    const std::string message = error.what();
    if (error.line() != at || message.find(part) == std::string::npos) {
      fail(file, line,
           "expected '" + part + "' at line " + std::to_string(at) + ", got '" + message +
               "' at line " + std::to_string(error.line()));
    }
    return;
  }
  fail(file, line, "expected an InputError: " + part);
}

}  // namespace check

#define CHECK(condition) \
  ((condition) ? void() : check::fail(__FILE__, __LINE__, "not true: " #condition))
#define CHECK_EQUAL(a, b) check::equal((a), (b), #a, __FILE__, __LINE__)
#define CHECK_NEAR(a, b, tolerance) check::near((a), (b), (tolerance), #a, __FILE__, __LINE__)
#define CHECK_INPUT_ERROR(expression, line, part) \
  check::input_error([&] { expression; }, (line), (part), __FILE__, __LINE__)
#define CHECK_THROWS(expression, type)                                       \
  try {                                                                      \
    expression;                                                              \
    check::fail(__FILE__, __LINE__, "expected " #type " from " #expression); \
  } catch (const type&) {                                                    \
  }
#define TEST(name)                                                                         \
  static void name();                                                                      \
  static const int name##_added = (check::tests().push_back({__FILE__, #name, &name}), 0); \
  static void name()
