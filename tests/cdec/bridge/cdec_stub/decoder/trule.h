// Rules: words are > 0; a nonterminal is minus its category in f_, and 0, -1, ... in e_.
#pragma once
#include <memory>
#include <vector>

#include "sparse_vector.h"
#include "tdict.h"

struct AlignmentPoint {
  short s_, t_;
};

struct TRule {
  std::vector<WordID> e_, f_;
  WordID lhs_ = 0;  // minus the category
  SparseVector<double> scores_;
  std::vector<AlignmentPoint> a_;
};
typedef std::shared_ptr<TRule> TRulePtr;
