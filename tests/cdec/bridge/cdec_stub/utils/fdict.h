// Feature names and their numbers, as in cdec: 0 is no feature.
#pragma once
#include "dict.h"

struct FD {
  static int Convert(const std::string& name) { return dict_.Convert(name); }
  static const std::string& Convert(const int& number) { return dict_.Convert(number); }
  static Dict dict_;
};
