// What corrections tell a neural joint model: a cache over the last layer of its network (Grave et
// al. 2017), a part for each affiliated source word.
//
// Of each target word of a correction, the cache keeps the last layer h before it, scaled to length
// 1, and the word. The probability of word e after layer h, at source word f, is
//
//   (prior * p(e) + sum of k(h, h_i) over entries i of f with e_i = e) /
//   (prior             + sum of k(h, h_i) over entries i of f),    k = exp(sharpness * (h h_i - 1))
//
// with p that of the network: the network counts as `prior` entries, and entries count the more,
// the more their layers are alike. The latest `most` entries of a source word take part. What is
// scored is the logarithm of this probability less that of the network. An entry that is removed
// leaves nothing behind.
//
// Words that the network lacks have one probability, p of kUnknown, but their entries are told
// apart: such a word has a negative number of its own while an entry has it.
#pragma once

#include <algorithm>
#include <memory>

#include "scorers/joint_network.h"

namespace hopefear {

struct JointCacheOptions {
  float prior = 0.3f;
  float sharpness = 30;
  std::size_t most = 30;
};

class JointCache {
 public:
  using Word = JointNetwork::Word;
  struct Entry {
    std::int32_t correction;
    Word word;
    std::vector<float> layer;
  };
  using Entries = std::vector<Entry>;

  // Throws std::invalid_argument for options out of range.
  JointCache(std::shared_ptr<const JointNetwork> network, JointCacheOptions options);

  // Adds a correction, with the source position of each target word. Throws std::invalid_argument
  // unless there is one for each.
  void add(std::int32_t correction, std::span<const std::string> source,
           std::span<const std::string> target, std::span<const std::int32_t> affiliations);
  void remove(std::int32_t correction);
  // What is scored, of each word of a sentence and of its end, in the order in which the network
  // reads.
  std::vector<float> gains(std::span<const std::string> source, std::span<const std::string> target,
                           std::span<const std::int32_t> affiliations) const;

  // The number of a target word: kUnknown if neither the network nor an entry has it.
  Word word(std::string_view text) const;
  // The number by which the network knows a word.
  static Word network_word(Word word) { return std::max(word, JointNetwork::kUnknown); }
  // The entries of the source word at a position, nullptr if there are none.
  const Entries* entries(std::span<const std::string_view> source, std::int32_t position) const;
  // What is scored, given the last layer and the logarithm of the probability by the network.
  float gain(const Entries& entries, const std::vector<float>& layer, Word word, float log) const;

 private:
  template <class Visit>
  void for_each_word(std::span<const std::string> source, std::span<const std::string> target,
                     std::span<const std::int32_t> affiliations, Visit&& visit) const;
  // The same as word(); a new word that the network lacks gets a number.
  Word number(std::string_view text);

  std::shared_ptr<const JointNetwork> network_;
  JointCacheOptions options_;
  std::unordered_map<std::string, Entries> entries_;  // by source word
  std::unordered_map<std::string, Word> lacking_;     // the network's vocabulary; entries have them
  Word lowest_ = JointNetwork::kUnknown;              // number that was ever given
};

}  // namespace hopefear
