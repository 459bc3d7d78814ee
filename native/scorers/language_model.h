// n-gram models by KenLM, with its chart states: cdec's KLanguageModel.
#pragma once

#include "search/scorer.h"

namespace hopefear {

struct LanguageModelOptions {
  std::string path;               // ARPA (plain, gz, bz2 or xz) or a KenLM binary
  std::string class_map;          // lines of CLASS WORD logp; empty for none
  bool explicit_markers = false;  // rules carry <s> and </s> themselves
};

class LanguageModel : public SentenceModel {
 public:
  virtual unsigned order() const = 0;
  // log10 of the probability of a word without context.
  float unigram(std::string_view word) const {
    return reading(file(), [&] { return after({}, word); });
  }
  // log10 of the probability of a word after others, "<s>" among them.
  virtual float after(std::span<const std::string_view> context, std::string_view word) const = 0;
  double sentence(std::span<const std::string> words) const override;
  // How many log probabilities of an ARPA file are above 0 by rounding, and count as 0.
  virtual std::size_t rounded() const = 0;
  // 1 for a target word that the model does not know.
  virtual bool is_unknown(Symbol word, const Vocabulary& vocabulary) const = 0;
};

// `vocabulary` is the decoder's, complete; `base_rules` counts the rules whose numbers are the same
// in every forest. Throws InputError when the file cannot be read.
std::shared_ptr<LanguageModel> load_language_model(const LanguageModelOptions& options,
                                                   FeatureId feature, const Vocabulary& vocabulary,
                                                   std::uint32_t base_rules);

}  // namespace hopefear
