// Writes forests as cdec does with --forest_output, see cdec_archive_format.h.
#pragma once

#include <string>

#include "base/weights.h"
#include "forest/forest.h"

namespace hopefear {

// Throws std::invalid_argument if the format cannot hold the forest.
std::string write_cdec_forest(const Forest& forest, const Weights& weights);

}  // namespace hopefear
