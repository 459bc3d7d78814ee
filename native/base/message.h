// Messages of errors, made of texts and numbers.
#pragma once

#include <stdexcept>
#include <string>
#include <type_traits>

namespace hopefear {

template <class... Parts>
std::string concat(const Parts&... parts) {
  std::string text;
  const auto add = [&text]<class Part>(const Part& part) {
    if constexpr (std::is_arithmetic_v<Part>) {
      text += std::to_string(part);
    } else {
      text += part;
    }
  };
  (add(parts), ...);
  return text;
}

// Throws std::invalid_argument unless a condition holds.
template <class... Parts>
void expect(bool good, const Parts&... message) {
  if (!good) throw std::invalid_argument(concat(message...));
}

}  // namespace hopefear
