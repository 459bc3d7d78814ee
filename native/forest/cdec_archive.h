// The forests that cdec writes with --forest_output: a hypergraph in a binary archive of
// Boost.Serialization.
//
// An archive is a header, then the numbers of nodes and edges, then nodes, edges and two flags. All
// numbers are little-endian and not aligned. Before the first object of a class stand a byte and a
// number of 32 bits, whether such objects are tracked and the version of their layout. A rule
// stands in the first edge that uses it; later edges refer to it by number.
#pragma once

#include <cstddef>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

#include "base/weights.h"
#include "forest/forest.h"
#include "forest/forest_builder.h"

namespace hopefear {

// An archive that is not as cdec writes it; the message begins with the place, "byte 17: ".
class ArchiveError : public std::invalid_argument {
 public:
  ArchiveError(std::size_t offset, const std::string& message)
      : std::invalid_argument("byte " + std::to_string(offset) + ": " + message) {}
};

// New features get numbers. Scores are w·f. Rules have their features in single precision, as rules
// of a grammar; the other features of an edge keep their double precision. Alignments are not in an
// archive. The feature `without` is left out, unless that is empty. Throws ArchiveError.
std::shared_ptr<Forest> read_cdec_forest(std::string_view archive, Weights& weights,
                                         std::string_view without = {}, ForestGround ground = {});

// Throws std::invalid_argument if the format cannot hold the forest.
std::string write_cdec_forest(const Forest& forest, const Weights& weights);

}  // namespace hopefear
