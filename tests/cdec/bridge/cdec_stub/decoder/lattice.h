#pragma once
#include <vector>

#include "tdict.h"

struct LatticeArc {
  WordID label;
  int dist2next;
};
typedef std::vector<std::vector<LatticeArc>> Lattice;
