// A joint model of which all numbers are known.
#pragma once

#include <array>
#include <bit>
#include <random>

#include "toy.h"

// A network over trigrams of u, v and w: a unit is 1 for each of the two words before. What the
// source adds is 0. It reads from left to right, or from right to left.
class TrigramNetwork {
 public:
  explicit TrigramNetwork(unsigned seed, bool right_to_left = false)
      : right_to_left_(right_to_left) {
    std::mt19937 draw(seed);
    for (float& value : output_) value = static_cast<float>(draw() % 1000) / 500 - 1;
  }

  // 0 for a word that the network lacks.
  static int number(const std::string& word) {
    return word == "u" || word == "v" || word == "w" ? word[0] - 'u' + 4 : 0;
  }
  double log_probability(int before, int last, int word) const {
    return double{output(word, last)} + double{output(word, kUnits / 2 + before)} +
           double{output_[static_cast<std::size_t>(kWords * kUnits + word)]};
  }
  double log_probability(const std::string& text) const {
    std::vector<int> words;
    for (const std::string& word : words_of(text)) words.push_back(number(word));
    if (right_to_left_) std::ranges::reverse(words);
    words.push_back(2);
    double sum = 0;
    int before = 1, last = 1;
    for (const int word : words) {
      sum += log_probability(before, last, word);
      before = std::exchange(last, word);
    }
    return sum;
  }

  std::string file() const {
    const std::string source = "<unk>\n<s>\n</s>", target = "<unk>\n<s>\n</s>\n<none>\nu\nv\nw";
    std::string rest;
    for (const std::uint32_t size : {2u, 1u, std::uint32_t{kUnits}, 0u, 3u, std::uint32_t{kWords},
                                     std::uint32_t{right_to_left_}})
      append(rest, size);
    for (const std::uint64_t size :
         {std::uint64_t{source.size()}, std::uint64_t{target.size()}, std::uint64_t{0}})
      append(rest, size);
    rest.append(std::size_t{3} * kUnits * sizeof(float), '\0');
    for (int word = 0; word < kWords; ++word) {
      for (const int unit : {kUnits / 2 + word, word}) {
        for (int k = 0; k < kUnits; ++k) append(rest, k == unit ? 1.0f : 0.0f);
      }
    }
    rest.append(std::size_t{kUnits} * sizeof(float), '\0');
    for (const float value : output_) append(rest, value);
    rest += source + target;
    std::string whole = "HFJOINT1";
    append(whole, static_cast<std::uint32_t>(crc32_z(
                      0, reinterpret_cast<const unsigned char*>(rest.data()), rest.size())));
    return whole + rest;
  }

 private:
  static constexpr int kWords = 7, kUnits = 16;

  float output(int word, int unit) const {
    return output_[static_cast<std::size_t>(word * kUnits + unit)];
  }
  template <class T>
  static void append(std::string& to, T value) {
    const auto bytes = std::bit_cast<std::array<char, sizeof(T)>>(value);
    to.append(bytes.data(), bytes.size());
  }

  bool right_to_left_;
  std::array<float, kWords*(kUnits + 1)> output_;  // then the bias
};
