// An error in an input file: its message, file and line.
#pragma once

#include "base/message.h"

namespace hopefear {

class InputError : public std::runtime_error {
 public:
  template <class... Parts>
  InputError(std::string path, std::size_t line, const Parts&... message)
      : std::runtime_error(concat(message...)), path_(std::move(path)), line_(line) {}

  const std::string& path() const { return path_; }
  std::size_t line() const { return line_; }  // from 1; 0 for the whole file

 private:
  std::string path_;
  std::size_t line_;
};

}  // namespace hopefear
