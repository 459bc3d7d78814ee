// Checks of language model files before and after KenLM reads them: KenLM checks neither headers
// nor tables, and its errors have byte offsets, not lines.
#pragma once

#include <string_view>

#include "base/input_error.h"

namespace hopefear {

// Throws InputError if the header of an ARPA file (plain or gz) is wrong, if the header or a table
// of a KenLM binary is, or if the file cannot be read; may throw KenLM's exceptions.
void check_model_file(const std::string& path);

// The error of a KenLM exception, with the line of its byte offset.
InputError model_file_error(const std::string& path, std::string_view what);

}  // namespace hopefear
