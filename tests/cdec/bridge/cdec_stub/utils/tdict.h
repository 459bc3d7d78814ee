// Words and categories and their numbers.
#pragma once
#include "dict.h"

typedef int WordID;

struct TD {
  static WordID Convert(const std::string& word) { return dict_.Convert(word); }
  static const std::string& Convert(WordID number) { return dict_.Convert(number); }
  static Dict dict_;
};
