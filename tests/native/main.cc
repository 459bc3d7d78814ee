// native_tests NAME: runs the test of that name. Exit status 1 after a failed check, 2 without a
// test.
#include <string_view>

#include "check.h"

int main(int count, char** arguments) {
  if (count != 2) {
    std::cerr << "usage: native_tests NAME\n";
    return 2;
  }
  for (const check::Test& test : check::tests()) {
    if (test.name != std::string_view(arguments[1])) continue;
    try {
      test.run();
    } catch (const std::exception& error) {
      check::fail(test.file, 0, std::string("uncaught: ") + error.what());
    }
    return check::failures == 0 ? 0 : 1;
  }
  std::cerr << "no test " << arguments[1] << '\n';
  return 2;
}
