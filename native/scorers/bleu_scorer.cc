#include "scorers/bleu_scorer.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

namespace hopefear {
namespace {

using Ngrams = ReferenceNgrams;

struct BleuState {
  // What recombines.
  Ngrams::State left;   // the first words, as long as words before them can make a longer match
  Ngrams::State right;  // the last words that words behind them can make a longer match
  bool open;            // `left` is all there is
  // Of the best derivation.
  std::int32_t length;
  std::array<std::int32_t, Ngrams::kOrder> matches;
  double bleu;  // weight times B
};

// Reads target words and the states of tails from left to right.
class BleuReader {
 public:
  BleuReader(const Ngrams& ngrams, BleuState& state) : ngrams_(ngrams), state_(state) {
    state_ = {Ngrams::kEmpty, Ngrams::kEmpty, true, 0, {}, 0};
  }

  void word(Ngrams::Word word) {
    extend_left(word);
    const Ngrams::State full = ngrams_.next(state_.right, word);
    for (int n = 0; n < ngrams_.length(full); ++n) ++state_.matches[n];
    state_.right = ngrams_.right_context(full);
    ++state_.length;
  }

  void tail(const BleuState& tail) {
    for (std::size_t n = 0; n < tail.matches.size(); ++n) state_.matches[n] += tail.matches[n];
    state_.length += tail.length;
    const Ngrams::Word* words = ngrams_.words_of(tail.left);
    const int known = ngrams_.length(tail.left);
    for (int i = 0; i < known; ++i) {
      extend_left(words[i]);
      const Ngrams::State full = ngrams_.next(state_.right, words[i]);
      // The tail counted the matches that begin in it.
      for (int n = i + 1; n < ngrams_.length(full); ++n) ++state_.matches[n];
      state_.right = ngrams_.right_context(full);
    }
    if (!tail.open) {
      state_.open = false;
      state_.right = tail.right;
    }
  }

 private:
  void extend_left(Ngrams::Word word) {
    if (!state_.open) return;
    const Ngrams::State longer = ngrams_.next(state_.left, word);
    if (ngrams_.length(longer) == ngrams_.length(state_.left) + 1 && ngrams_.extends_left(longer)) {
      state_.left = longer;
    } else {
      state_.open = false;
    }
  }

  const Ngrams& ngrams_;
  BleuState& state_;
};

class BleuSentence final : public SentenceScorer {
 public:
  BleuSentence(const Ngrams& ngrams, const BleuOptions& options, const Forest& forest)
      : ngrams_(ngrams),
        options_(options),
        forest_(forest),
        source_length_(std::max(forest.source_length, 1)),
        scale_(options.weight * (options.document_source_length + forest.source_length)) {
    nothing_ = scale_ * bleu(0, {}, 0);
    read_rules();
  }

  double estimate(LocalRule rule) const override { return estimates_[rule]; }

  double score(const ScoredEdge& edge, MarkValues&) const override {
    BleuState& state = *reinterpret_cast<BleuState*>(edge.state);
    BleuReader reader(ngrams_, state);
    double of_tails = 0;
    for (const Ngrams::Word symbol : symbols_[forest_.local_rule[edge.edge]]) {
      if (symbol >= 0) {
        reader.word(symbol);
      } else {
        const BleuState& tail = *reinterpret_cast<const BleuState*>(edge.tails[-symbol - 1]);
        reader.tail(tail);
        of_tails += tail.bleu;
      }
    }
    const SourceSpan span = forest_.span[forest_.head[edge.edge]];
    const double covered = span.end - span.begin;
    state.bleu = scale_ * bleu(state.length, state.matches, covered / source_length_) - nothing_;
    return state.bleu - of_tails;
  }

  std::uint64_t hash(const std::byte* state) const override {
    const BleuState& s = *reinterpret_cast<const BleuState*>(state);
    std::uint64_t h = static_cast<std::uint64_t>(s.left) << 33 |
                      static_cast<std::uint64_t>(s.right) << 1 | s.open;
    h *= 0x9E3779B97F4A7C15ULL;
    return h ^ (h >> 29);
  }

  bool equal(const std::byte* a, const std::byte* b) const override {
    const BleuState& x = *reinterpret_cast<const BleuState*>(a);
    const BleuState& y = *reinterpret_cast<const BleuState*>(b);
    return x.left == y.left && x.right == y.right && x.open == y.open;
  }

 private:
  // BLEU of the pseudo-document and c; the counts of n-grams follow from the length.
  double bleu(std::int32_t length, const std::array<std::int32_t, Ngrams::kOrder>& matches,
              double covered) const {
    const auto& document = options_.document;
    double matched = 1, all = 1;
    std::int32_t ngrams = length;
    for (std::size_t n = 0; n < matches.size(); ++n, --ngrams) {
      matched *= document[2 + matches.size() + n] + matches[n];
      all *= document[2 + n] + std::max(ngrams, 0);
    }
    if (matched <= 0) return 0;
    static_assert(Ngrams::kOrder == 4);  // the fourth root below
    const double precision = std::sqrt(std::sqrt(matched / all));
    const double hypothesis = document[0] + length;
    const double reference = document[1] + covered * options_.reference_length;
    return hypothesis < reference ? precision * std::exp(1 - reference / hypothesis) : precision;
  }

  // The rules' target sides in the automaton's words, nonterminal i as -i - 1; of the rules in use
  // only.
  void read_rules() {
    std::unordered_map<Symbol, Ngrams::Word> numbers;
    for (const Ngrams::Word w : ngrams_.words().ids()) {
      const Symbol symbol = forest_.vocabulary->words->find(ngrams_.words()[w]);
      if (symbol != Interner::kUnknown) numbers.emplace(symbol, w + 1);
    }
    IdVector<LocalRule, bool> used(forest_.rules.count(), false);
    for (const LocalRule rule : forest_.local_rule) used[rule] = true;
    estimates_.assign(used.count(), 0.0);
    for (const LocalRule r : used.ids()) {
      if (used[r]) {
        BleuState state;
        BleuReader reader(ngrams_, state);
        const RuleSpace::Place place = forest_.rule_space->find(forest_.rules[r]);
        for (const Symbol symbol : place.grammar->target(place.rule)) {
          if (symbol <= 0) {
            symbols_.values.push_back(symbol - 1);
            continue;
          }
          const auto found = numbers.find(symbol);
          symbols_.values.push_back(found == numbers.end() ? Ngrams::kOther : found->second);
          reader.word(symbols_.values.back());
        }
        const double covered =
            std::min(1.0, state.length / std::max(options_.reference_length, 1.0));
        estimates_[r] = scale_ * bleu(state.length, state.matches, covered) - nothing_;
      }
      symbols_.close();
    }
  }

  const Ngrams& ngrams_;
  BleuOptions options_;
  const Forest& forest_;
  double source_length_;
  double scale_;    // weight times (O_f + |f|)
  double nothing_;  // weight times B of no translation
  IdRows<LocalRule, Ngrams::Word> symbols_;
  IdVector<LocalRule, double> estimates_;
};

}  // namespace

std::size_t BleuScorer::state_size() const { return sizeof(BleuState); }

std::unique_ptr<SentenceScorer> BleuScorer::begin(const Forest& forest, const double*) const {
  return std::make_unique<BleuSentence>(*references_, options_, forest);
}

}  // namespace hopefear
