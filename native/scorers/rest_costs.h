// What the first words of a piece of text may expect to gain from the words before it.
//
// While the words before h w are not known, w is scored as p(w | h). In a model with back-off this
// is the probability after contexts that the model does not know, and for Kneser-Ney models far
// from what w has in general. A better guess is its mean over the words u before h, each as
// frequent as the model makes it: sum over u of p(u | h) p(w | u h). Heafield, Koehn and Lavie
// (2012) take such rest costs from models of lower orders of the same text; with Kneser-Ney's
// smoothing these are the means of the longer model, which tells them without the text.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/probing.h"
#include "lm/left.hh"

namespace hopefear {

class RestCosts {
 public:
  // KenLM's number of a word.
  using NumberOf = std::function<lm::WordIndex(std::string_view)>;

  // Nothing is expected.
  RestCosts() = default;
  // Those of an ARPA file, plain or gz, which KenLM has read as a ProbingModel; none if not all of
  // it is UTF-8.
  RestCosts(const std::string& path, std::size_t order, const NumberOf& number_of);

  // What the words at a left border are expected to gain, in log10.
  float of(const lm::ngram::Left& left) const;

  // How many log probabilities are above 0 by rounding, which KenLM takes as 0.
  std::size_t rounded() const { return rounded_; }

 private:
  // Of the last word of an n-gram, by a part of KenLM's pointer to the n-gram. The slot says the
  // rest but for a few bits: one in milliards finds the gain of another, and is a bad guess.
  struct Gain {
    std::uint32_t mark = 0;
    float gain = 0;
    bool is_free() const { return mark == 0; }
  };
  static std::uint32_t mark_of(std::uint64_t pointer);

  ProbingSlots<Gain> gains_{1};
  std::size_t rounded_ = 0;
};

}  // namespace hopefear
