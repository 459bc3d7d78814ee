// A feed-forward network that predicts a target word from the words before it and the source words
// around the one that it is affiliated with (Devlin et al. 2014), in a file that `hopefear
// train-joint` writes. It reads a sentence from left to right, or from right to left: then the
// words before a word are those on its right. With a history of no words it is a translation table.
//
// The file has what each word adds to the first hidden layer at each place, not the embeddings: the
// layer is a sum of rows. Numbers are little-endian, of 32 bits if nothing else is said:
//
//   "HFJOINT1", CRC-32 of all that follows
//   history n - 1, window m, units of the first and of the second hidden layer (0 for none),
//   source words S, target words T, 1 for right to left or 0
//   bytes of the source words and of the target words (64 bits each), 0 (64 bits)
//   floats: source S × m × first, history T × (n - 1) × first, bias first;
//           second × first, second, if there is a second layer; output T × last, bias T
//   the source words, the target words: UTF-8, a word a line
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/mapped_file.h"

namespace hopefear {

class JointNetwork {
 public:
  using Word = std::int32_t;
  // The first words on both sides; kNone only on the target side: a word that is not known yet.
  static constexpr Word kUnknown = 0, kBegin = 1, kEnd = 2, kNone = 3;

  // Throws InputError unless the file is whole.
  explicit JointNetwork(const std::string& path);

  const WatchedFile& file() const { return file_; }

  std::int32_t history() const { return history_; }
  std::int32_t window() const { return window_; }
  bool right_to_left() const { return right_to_left_; }
  // The affiliation of the end of a sentence of so many source words.
  std::int32_t end_position(std::int32_t words) const {
    return right_to_left_ ? kBeforeSource : words;
  }

  Word source_word(std::string_view text) const { return find(source_words_, text); }
  Word target_word(std::string_view text) const { return find(target_words_, text); }

  // The source position before the first word; that behind the last one is the number of words.
  static constexpr std::int32_t kBeforeSource = -1;
  // What a sentence gives the first layer: a row for each source position that a target word may be
  // affiliated with, from kBeforeSource on.
  std::vector<std::vector<float>> windows(std::span<const Word> source) const;
  // What the words before add, the farthest first.
  void add_history(std::vector<float>& layer, const Word* before) const;
  // Makes the last layer of the sum of the first one.
  void finish(std::vector<float>& layer) const;
  // The natural logarithm of the word's probability, given the last layer.
  float log_probability(const std::vector<float>& last, Word word) const;

 private:
  void read();
  void add_source(std::vector<float>& layer, std::int32_t place, Word word) const;

  using Words = std::unordered_map<std::string_view, Word>;
  static Word find(const Words& words, std::string_view text) {
    const auto found = words.find(text);
    return found == words.end() ? kUnknown : found->second;
  }

  MappedFile file_;
  std::int32_t history_ = 0, window_ = 0;
  bool right_to_left_ = false;
  std::size_t first_ = 0, second_ = 0;
  const float *source_ = nullptr, *target_ = nullptr, *bias_ = nullptr;
  const float *second_rows_ = nullptr, *second_bias_ = nullptr;
  const float *output_ = nullptr, *output_bias_ = nullptr;
  std::string text_;  // of the words
  Words source_words_, target_words_;
};

// The product of two layers.
float joint_product(const float* a, const float* b, std::size_t size);

}  // namespace hopefear
