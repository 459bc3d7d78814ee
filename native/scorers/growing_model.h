// An n-gram model of a growing text, interpolated with a background model of words, and its scorer.
//
// The probability of a word after a context is that of absolute discounting, interpolated down to
// the background's probability of the word (Ney, Essen and Kneser 1994); the counts of shorter
// n-grams are those of Kneser and Ney (1995) if the options say so. All counts are integers that
// change with each sentence, and probabilities are computed from them when they are needed.
//
// What is scored is log10 of (1 - share) + share * p / q, where p is this probability and q that of
// the background after the same words: what an interpolated model adds to the score of the
// background (Kuhn and De Mori 1990). It is 0 without a text, and never below log10(1 - share).
#pragma once

#include "base/key_index.h"
#include "scorers/language_model.h"

namespace hopefear {

struct GrowingModelOptions {
  static constexpr int kMostOrder = 5;
  int order = 3;
  double discount = 0.75;
  bool continuation = true;  // Kneser-Ney counts of shorter n-grams
  double share = 1;          // of the growing text; the rest is the background's
};

class GrowingModel {
 public:
  using Word = std::int32_t;     // a number from 1
  using Context = std::int32_t;  // an n-gram that the text has
  static constexpr Word kOther = 0;
  static constexpr Context kEmpty = 0;

  struct Step {
    float score;   // of the word
    Context next;  // the context of the next word: the longest that can make a difference
  };

  // Without a background model, the probability of a word after others is that without them.
  // Throws std::invalid_argument for options out of range.
  explicit GrowingModel(GrowingModelOptions options,
                        std::shared_ptr<const LanguageModel> background = nullptr);
  GrowingModel& operator=(GrowingModel&&) = delete;

  int order() const { return options_.order; }
  const WatchedFile* file() const {
    return background_model_ ? background_model_->file() : nullptr;
  }
  // Adds a sentence. `background` is log10 of the probability of each word and of the end, the last
  // one; the first value given for a word counts.
  void add(std::span<const std::string> words, std::span<const double> background);
  // Removes a sentence that was added.
  void remove(std::span<const std::string> words);

  Word find(std::string_view word) const;
  Word end() const { return end_; }
  Context begin() const { return begin_context_; }  // that of the first word
  Step step(Context context, Word word) const;
  // The scores of the words of a sentence and of its end.
  std::vector<float> scores(std::span<const std::string> words) const;
  // The n-gram with a word more, kUnknown if the text does not have it.
  static constexpr Context kUnknown = -1;
  Context longer(Context ngram, Word word) const;

 private:
  struct Ngram {
    Context shorter;  // without its first word
    Context prefix;   // without its last word
    Word last;
    std::int32_t length;
    bool at_begin;                   // of a sentence
    std::int32_t count = 0;          // in the text
    std::int32_t continuations = 0;  // different words before it
    // Of the n-grams with a word more: the sum of their counts, and how many have one.
    std::int32_t total = 0, types = 0;
  };

  const Ngram& at(Context ngram) const { return ngrams_[ngram]; }
  Ngram& at(Context ngram) { return ngrams_[ngram]; }
  Context child(Context context, Word word);
  std::int32_t used(const Ngram& ngram) const {
    return !options_.continuation || ngram.length == options_.order || ngram.at_begin
               ? ngram.count
               : ngram.continuations;
  }
  // Calls visit(n-gram) for all n-grams of a sentence.
  template <class Visit>
  void for_each_ngram(std::span<const Word> sentence, Visit&& visit);
  void change(Context ngram, int by);
  void change_used(Context ngram, std::int32_t before);
  // The probability of a word of the text after a context, divided by the background's.
  double ratio(Context context, Word word) const;
  // The same, divided by the background's probability of the word without context.
  double unigram_ratio(Context context, Word word) const;

  GrowingModelOptions options_;
  std::shared_ptr<const LanguageModel> background_model_;
  Interner words_{1};
  IdVector<Word, double> background_{1.0};  // probability by word
  IdVector<Context, Ngram> ngrams_;
  KeyIndex children_;  // (n-gram, word); the child's number is one less than that of the n-gram
  Word begin_, end_;
  Context begin_context_;
};

// The feature of a growing model, which must not change while a sentence is under way.
class GrowingModelScorer final : public SentenceModel {
 public:
  GrowingModelScorer(std::shared_ptr<const GrowingModel> model, FeatureId feature)
      : model_(std::move(model)), feature_(feature) {}

  std::size_t state_size() const override;
  std::span<const FeatureId> features() const override { return {&feature_, 1}; }
  std::unique_ptr<SentenceScorer> begin(const Forest& forest, const double* weights) const override;
  const WatchedFile* file() const override { return model_->file(); }
  double sentence(std::span<const std::string> words) const override;

 private:
  std::shared_ptr<const GrowingModel> model_;
  FeatureId feature_;
};

}  // namespace hopefear
