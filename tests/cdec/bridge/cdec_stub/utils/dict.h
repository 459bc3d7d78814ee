#pragma once
#include <map>
#include <string>
#include <vector>

class Dict {
 public:
  int Convert(const std::string& text) {
    const auto [place, is_new] = numbers_.try_emplace(text, static_cast<int>(texts_.size()) + 1);
    if (is_new) texts_.push_back(text);
    return place->second;
  }
  const std::string& Convert(int number) const { return texts_.at(number - 1); }

 private:
  std::map<std::string, int> numbers_;
  std::vector<std::string> texts_;
};
