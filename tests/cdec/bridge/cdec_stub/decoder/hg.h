#pragma once
#include "trule.h"

namespace HG {
struct Edge {
  TRulePtr rule_;
  short i_ = -1, j_ = -1;
};
}  // namespace HG
