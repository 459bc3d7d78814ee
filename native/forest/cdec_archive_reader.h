// Reads the forests that cdec writes with --forest_output, see cdec_archive_format.h.
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

}  // namespace hopefear
