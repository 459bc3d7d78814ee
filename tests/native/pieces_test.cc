#include "scorers/pieces.h"

#include "check.h"
#include "files.h"
#include "lm/model.hh"
#include "model_text.h"

using hopefear::Piece;
using hopefear::Pieces;
using lm::ngram::ChartState;
using lm::ngram::ProbingModel;
using Words = std::vector<lm::WordIndex>;

// The sum of p(word | all words before it), beginning with <s>.
static double chain(const ProbingModel& model, const Words& words) {
  lm::ngram::State context = model.BeginSentenceState(), next;
  double sum = 0;
  for (const lm::WordIndex word : words) {
    sum += static_cast<double>(model.FullScore(context, word, next).prob);
    context = next;
  }
  return sum;
}

// A piece of words, and their log10 probability without what is around them.
struct Scored {
  Piece piece;
  double probability;
};

static Scored scored(const ProbingModel& model, Pieces<ProbingModel>& pieces, const Words& words,
                     bool begins_sentence = false) {
  ChartState chart;
  lm::ngram::RuleScore<ProbingModel> rule(model, chart);
  if (begins_sentence) rule.BeginSentence();
  for (const lm::WordIndex word : words) rule.Terminal(word);
  const float probability = rule.Finish();
  return {pieces.number(chart), double{probability}};
}

static Scored joined(Pieces<ProbingModel>& pieces, Scored a, const Scored& b) {
  const double gain = static_cast<double>(pieces.join(a.piece, b.piece));
  return {a.piece, a.probability + b.probability + gain};
}

TEST(joined_pieces_score_as_their_words_do_in_any_order_of_joins) {
  const TemporaryFile arpa(kArpa);
  lm::ngram::Config config;
  config.messages = nullptr;
  config.show_progress = false;
  const ProbingModel model(arpa.path().c_str(), config);
  const lm::WordIndex end = model.GetVocabulary().EndSentence();
  const Words known{model.GetVocabulary().Index("u"), model.GetVocabulary().Index("w"), 0};
  Pieces<ProbingModel> pieces(model);
  const Scored sentence_begin = scored(model, pieces, {}, true);
  for (int code = 0; code < 3 * 3 * 3 * 3 * 3; ++code) {
    Words words;
    for (int rest = code, i = 0; i < 5; ++i, rest /= 3) words.push_back(known[rest % 3]);
    words.push_back(end);
    const double expected = chain(model, words);
    for (std::size_t i = 0; i <= words.size(); ++i) {
      for (std::size_t j = i; j <= words.size(); ++j) {
        const auto at = [&](std::size_t k) { return words.begin() + static_cast<long>(k); };
        const Scored a = scored(model, pieces, {at(0), at(i)}),
                     b = scored(model, pieces, {at(i), at(j)}),
                     c = scored(model, pieces, {at(j), words.end()});
        const Scored from_left = joined(pieces, joined(pieces, a, b), c),
                     from_right = joined(pieces, a, joined(pieces, b, c));
        CHECK(from_left.piece == from_right.piece);
        CHECK(from_left.piece == scored(model, pieces, words).piece);
        CHECK_NEAR(from_left.probability, from_right.probability, 1e-4);
        CHECK_NEAR(joined(pieces, sentence_begin, from_left).probability, expected, 1e-4);
        CHECK_NEAR(
            joined(pieces, joined(pieces, joined(pieces, sentence_begin, a), b), c).probability,
            expected, 1e-4);
      }
    }
  }
}
