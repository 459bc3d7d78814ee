// Reads and writes the forests of cdec's --forest_output, see cdec_archive_format.h.
#pragma once

#include "forest/forest_builder.h"

namespace hopefear {

// An archive that is not as cdec writes it; the message begins with the place, "byte 17: ".
class ArchiveError : public std::invalid_argument {
 public:
  template <class... Parts>
  ArchiveError(std::size_t offset, const Parts&... message)
      : std::invalid_argument(concat("byte ", offset, ": ", message...)) {}
};

// New features get numbers. Scores are w·f. Rules have their features in single precision, as rules
// of a grammar; the other features of an edge keep their double precision. Alignments are not in an
// archive. The feature `without` is left out, unless that is empty. Throws ArchiveError.
std::shared_ptr<Forest> read_cdec_forest(std::string_view archive, Weights& weights,
                                         std::string_view without = {}, ForestGround ground = {});

// Throws std::invalid_argument if the format cannot hold the forest.
std::string write_cdec_forest(const Forest& forest, const Weights& weights);

}  // namespace hopefear
