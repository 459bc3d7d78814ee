// The one rule for the names of features: every file that holds names must give them back equal.
#pragma once

#include <stdexcept>
#include <string_view>

namespace hopefear {

// What separates words, as in cdec; every other white space is part of a word.
inline constexpr std::string_view kBlank = " \t\n\r";
inline bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

// What is wrong with a part of a name, such as a word in it: empty if nothing is, else a phrase
// such as "must not contain white space".
std::string_view name_part_fault(std::string_view part);
// What is wrong with a whole name.
std::string_view name_fault(std::string_view name);

// A name that no feature can have, or a word that no sentence can have.
class NameError : public std::invalid_argument {
 public:
  NameError(std::string_view name, std::string_view fault,
            std::string_view what = "a feature name");
};

}  // namespace hopefear
