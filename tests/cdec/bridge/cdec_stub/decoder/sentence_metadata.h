#pragma once
#include <map>
#include <string>

#include "lattice.h"

class SentenceMetadata {
 public:
  int GetSentenceId() const { return id; }
  const Lattice& GetSourceLattice() const { return lattice; }
  std::string GetSGMLValue(const std::string& key) const {
    const auto found = attributes.find(key);
    return found == attributes.end() ? "" : found->second;
  }

  int id = 0;
  Lattice lattice;
  std::map<std::string, std::string> attributes;
};
