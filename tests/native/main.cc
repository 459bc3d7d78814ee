// native_tests FILE: runs the tests of FILE. Exit status 1 after a failed check, 2 without tests.
#include <filesystem>

#include "check.h"

int main(int count, char** arguments) {
  if (count != 2) {
    std::cerr << "usage: native_tests FILE\n";
    return 2;
  }
  bool is_found = false;
  for (const check::Test& test : check::tests()) {
    if (std::filesystem::path(test.file).filename() != arguments[1]) continue;
    is_found = true;
    const int before = check::failures;
    try {
      test.run();
    } catch (const std::exception& error) {
      check::fail(test.name, 0, std::string("uncaught: ") + error.what());
    }
    std::cout << (check::failures == before ? "passed " : "FAILED ") << test.name << '\n';
  }
  if (!is_found) {
    std::cerr << "no tests in " << arguments[1] << '\n';
    return 2;
  }
  return check::failures == 0 ? 0 : 1;
}
