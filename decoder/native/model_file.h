// Language model files before and after KenLM: it believes the headers of what it loads, and speaks
// of bytes where it finds fault.
#pragma once

#include <string>
#include <string_view>

#include "input_error.h"

namespace hopefear {

// Throws InputError where the header of an ARPA file (plain or gz) or of a KenLM binary cannot be
// believed, or the file cannot be read.
void check_model_file(const std::string& path);

// What a KenLM exception said of a file, with the line that its byte offset stands for.
InputError model_file_error(const std::string& path, std::string_view what);

}  // namespace hopefear
