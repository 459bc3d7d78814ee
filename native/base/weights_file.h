// cdec's weights files: `Name value` a line, the separator being the last =, tab or space.
#pragma once

#include "base/weights.h"

namespace hopefear {

// Sets the weights that a file names to value times `scaling`. Throws InputError with file and
// line.
void read_weights(const std::string& path, double scaling, Weights& weights);

// Writes all weights that are not 0, sorted by name, after a comment line if one is given. Throws
// InputError if the file cannot be written.
void write_weights(const std::string& path, const std::string& comment, const Weights& weights);

}  // namespace hopefear
