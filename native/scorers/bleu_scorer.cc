#include "scorers/bleu_scorer.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

namespace hopefear {
namespace {

using Ngrams = ReferenceNgrams;

struct State {
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
class Reader {
 public:
  Reader(const Ngrams& ngrams, State& state) : ngrams_(ngrams), state_(state) {
    state_ = {Ngrams::kEmpty, Ngrams::kEmpty, true, 0, {}, 0};
  }

  void word(Ngrams::Word word) {
    extend_left(word);
    const Ngrams::State full = ngrams_.next(state_.right, word);
    for (int n = 0; n < ngrams_.length(full); ++n) ++state_.matches[static_cast<std::size_t>(n)];
    state_.right = ngrams_.right_context(full);
    ++state_.length;
  }

  void tail(const State& tail) {
    for (std::size_t n = 0; n < tail.matches.size(); ++n) state_.matches[n] += tail.matches[n];
    state_.length += tail.length;
    const Ngrams::Word* words = ngrams_.words_of(tail.left);
    const int known = ngrams_.length(tail.left);
    for (int i = 0; i < known; ++i) {
      extend_left(words[i]);
      const Ngrams::State full = ngrams_.next(state_.right, words[i]);
      // The tail counted the matches that begin in it.
      for (int n = i + 1; n < ngrams_.length(full); ++n)
        ++state_.matches[static_cast<std::size_t>(n)];
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
  State& state_;
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

  double estimate(std::int32_t local_rule) const override {
    return estimates_[static_cast<std::size_t>(local_rule)];
  }

  double score(const ScoredEdge& edge, std::vector<std::int32_t>&) const override {
    State& state = *reinterpret_cast<State*>(edge.state);
    Reader reader(ngrams_, state);
    double of_tails = 0;
    const auto e = static_cast<std::size_t>(edge.edge);
    const auto rule = static_cast<std::size_t>(forest_.local_rule[e]);
    for (const Ngrams::Word symbol : target(rule)) {
      if (symbol >= 0) {
        reader.word(symbol);
      } else {
        const State& tail =
            *reinterpret_cast<const State*>(edge.tails[static_cast<std::size_t>(-symbol - 1)]);
        reader.tail(tail);
        of_tails += tail.bleu;
      }
    }
    const auto head = static_cast<std::size_t>(forest_.head[e]);
    const double covered = forest_.span[2 * head + 1] - forest_.span[2 * head];
    state.bleu = scale_ * bleu(state.length, state.matches, covered / source_length_) - nothing_;
    return state.bleu - of_tails;
  }

  std::uint64_t hash(const std::byte* state) const override {
    const State& s = *reinterpret_cast<const State*>(state);
    std::uint64_t h = static_cast<std::uint64_t>(s.left) << 33 |
                      static_cast<std::uint64_t>(s.right) << 1 | s.open;
    h *= 0x9E3779B97F4A7C15ULL;
    return h ^ (h >> 29);
  }

  bool equal(const std::byte* a, const std::byte* b) const override {
    const State& x = *reinterpret_cast<const State*>(a);
    const State& y = *reinterpret_cast<const State*>(b);
    return x.left == y.left && x.right == y.right && x.open == y.open;
  }

 private:
  // BLEU of the pseudo-document and c; the counts of n-grams follow from the length.
  double bleu(std::int32_t length, const std::array<std::int32_t, Ngrams::kOrder>& matches,
              double covered) const {
    const auto& document = options_.document;
    double matched = 1, all = 1;
    for (int n = 0; n < Ngrams::kOrder; ++n) {
      const auto i = static_cast<std::size_t>(n);
      matched *= document[2 + Ngrams::kOrder + i] + matches[i];
      all *= document[2 + i] + std::max(length - n, 0);
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
    for (std::size_t w = 0; w < ngrams_.words().size(); ++w) {
      const Symbol symbol = forest_.vocabulary->words->find(ngrams_.words()[w]);
      if (symbol != Interner::kUnknown) numbers.emplace(symbol, static_cast<Ngrams::Word>(w) + 1);
    }
    std::vector<bool> used(forest_.rules.size(), false);
    for (const std::int32_t rule : forest_.local_rule) used[static_cast<std::size_t>(rule)] = true;
    estimates_.assign(used.size(), 0.0);
    begin_.assign(used.size() + 1, 0);
    for (std::size_t r = 0; r < used.size(); ++r) {
      if (used[r]) {
        State state;
        Reader reader(ngrams_, state);
        const RuleSpace::Place place = forest_.rule_space->find(forest_.rules[r]);
        for (const Symbol symbol : place.grammar->target(place.rule)) {
          if (symbol <= 0) {
            symbols_.push_back(symbol - 1);
            continue;
          }
          const auto found = numbers.find(symbol);
          symbols_.push_back(found == numbers.end() ? Ngrams::kOther : found->second);
          reader.word(symbols_.back());
        }
        const double covered =
            std::min(1.0, state.length / std::max(options_.reference_length, 1.0));
        estimates_[r] = scale_ * bleu(state.length, state.matches, covered) - nothing_;
      }
      begin_[r + 1] = symbols_.size();
    }
  }

  std::span<const Ngrams::Word> target(std::size_t rule) const {
    return {symbols_.data() + begin_[rule], symbols_.data() + begin_[rule + 1]};
  }

  const Ngrams& ngrams_;
  BleuOptions options_;
  const Forest& forest_;
  double source_length_;
  double scale_;    // weight times (O_f + |f|)
  double nothing_;  // weight times B of no translation
  std::vector<std::size_t> begin_;
  std::vector<Ngrams::Word> symbols_;
  std::vector<double> estimates_;
};

}  // namespace

std::size_t BleuScorer::state_size() const { return sizeof(State); }

std::unique_ptr<SentenceScorer> BleuScorer::begin(const Forest& forest, const double*) const {
  return std::make_unique<BleuSentence>(*references_, options_, forest);
}

}  // namespace hopefear
