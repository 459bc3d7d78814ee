// Checks of language model files before and after KenLM reads them: KenLM does not check the
// headers, and its errors have byte offsets, not lines.
#pragma once

#include <string>
#include <string_view>

#include "input_error.h"

namespace hopefear {

// Throws InputError if the header of an ARPA file (plain or gz) or of a KenLM binary is wrong, or
// if the file cannot be read.
void check_model_file(const std::string& path);

// The error of a KenLM exception, with the line of its byte offset.
InputError model_file_error(const std::string& path, std::string_view what);

}  // namespace hopefear
