#include "scorers/growing_model.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace hopefear {

GrowingModel::GrowingModel(GrowingModelOptions options,
                           std::shared_ptr<const LanguageModel> background)
    : options_(options), background_model_(std::move(background)) {
  expect(options.order >= 1 && options.order <= GrowingModelOptions::kMostOrder,
         "order must be from 1 to 5, got ", options.order);
  expect(options.discount > 0 && options.discount < 1, "discount must be between 0 and 1, got ",
         options.discount);
  expect(options.share >= 0 && options.share <= 1, "share must be from 0 to 1, got ",
         options.share);
  begin_ = words_.intern("<s>");
  end_ = words_.intern("</s>");
  background_.resize(3, 0.0);
  ngrams_.push_back({kEmpty, kEmpty, kOther, 0, false});
  begin_context_ = child(kEmpty, begin_);
  at(begin_context_).at_begin = true;
}

GrowingModel::Word GrowingModel::find(std::string_view word) const {
  const Word number = words_.find(word);
  return number == Interner::kUnknown || number == begin_ ? kOther : number;
}

GrowingModel::Context GrowingModel::longer(Context ngram, Word word) const {
  const std::int32_t number = children_.find(KeyIndex::pair(ngram, word));
  return number == KeyIndex::kUnknown || at(number + 1).count == 0 ? kUnknown : number + 1;
}

GrowingModel::Context GrowingModel::child(Context context, Word word) {
  const std::int32_t known = children_.size();
  const Context found = children_.insert(KeyIndex::pair(context, word)) + 1;
  if (found <= known) return found;
  ngrams_.push_back({kEmpty, context, word, at(context).length + 1, at(context).at_begin});
  if (context != kEmpty) {
    const Context shorter = child(at(context).shorter, word);
    at(found).shorter = shorter;
  }
  return found;
}

template <class Visit>
void GrowingModel::for_each_ngram(std::span<const Word> sentence, Visit&& visit) {
  std::vector<Context> open;  // the n-grams before the word, the longest first
  if (options_.order > 1) open.push_back(begin_context_);
  for (const Word word : sentence) {
    for (Context& ngram : open) {
      ngram = child(ngram, word);
      visit(ngram);
    }
    open.push_back(child(kEmpty, word));
    visit(open.back());
    if (at(open.front()).length == options_.order) open.erase(open.begin());
  }
}

void GrowingModel::change_used(Context ngram, std::int32_t before) {
  const std::int32_t after = used(at(ngram));
  Ngram& context = at(at(ngram).prefix);
  context.total += after - before;
  context.types += (after > 0) - (before > 0);
}

void GrowingModel::change(Context ngram, int by) {
  const std::int32_t before = used(at(ngram));
  const bool was_there = at(ngram).count > 0;
  at(ngram).count += by;
  change_used(ngram, before);
  const int more = (at(ngram).count > 0) - was_there;
  if (more != 0 && at(ngram).length > 1) {
    const Context shorter = at(ngram).shorter;
    const std::int32_t its = used(at(shorter));
    at(shorter).continuations += more;
    change_used(shorter, its);
  }
}

void GrowingModel::add(std::span<const std::string> words, std::span<const double> background) {
  expect(background.size() == words.size() + 1,
         "expected a background probability for each word and the end");
  std::vector<Word> sentence;
  for (std::size_t i = 0; i <= words.size(); ++i) {
    Word word = end_;
    if (i < words.size()) {
      word = words_.intern(words[i]);
      // What is no word in a translation is no word of the text.
      if (word == begin_ || word == end_) continue;
    }
    if (!background_.has(word)) background_.resize(word + 1, 0.0);
    double& known = background_[word];
    if (known == 0) known = std::pow(10.0, std::clamp(background[i], -30.0, 0.0));
    sentence.push_back(word);
  }
  for_each_ngram(sentence, [this](Context ngram) { change(ngram, 1); });
}

void GrowingModel::remove(std::span<const std::string> words) {
  std::vector<Word> sentence;
  for (const std::string& text : words) {
    if (const Word word = find(text); word != kOther && word != end_) sentence.push_back(word);
  }
  sentence.push_back(end_);
  for_each_ngram(sentence, [this](Context ngram) { change(ngram, -1); });
}

double GrowingModel::ratio(Context context, Word word) const {
  const double own = unigram_ratio(context, word);
  if (background_model_ == nullptr || context == kEmpty || word == kOther) return own;
  std::array<std::string_view, GrowingModelOptions::kMostOrder> words;
  auto first = words.end();
  for (Context ngram = context; ngram != kEmpty; ngram = at(ngram).prefix)
    *--first = words_.text(at(ngram).last);
  const double log = double{background_model_->after({first, words.end()}, words_.text(word))};
  return own * background_[word] / std::pow(10.0, log);
}

double GrowingModel::unigram_ratio(Context context, Word word) const {
  if (context == kEmpty && at(kEmpty).total == 0) return 1;
  const Ngram& ngram = at(context);
  const double shorter = context == kEmpty ? 1 : unigram_ratio(ngram.shorter, word);
  if (ngram.total == 0) return shorter;
  double sum = options_.discount * ngram.types * shorter;
  if (word != kOther) {
    const std::int32_t number = children_.find(KeyIndex::pair(context, word));
    const std::int32_t count = number == KeyIndex::kUnknown ? 0 : used(at(number + 1));
    if (count > 0) sum += (count - options_.discount) / background_[word];
  }
  return sum / ngram.total;
}

GrowingModel::Step GrowingModel::step(Context context, Word word) const {
  const double share = options_.share;
  const double mixed = at(kEmpty).total == 0 ? 1 : 1 - share + share * ratio(context, word);
  Step step{static_cast<float>(std::log10(mixed)), kEmpty};
  if (word == kOther) return step;
  for (;; context = at(context).shorter) {
    const Context found = longer(context, word);
    if (found != kUnknown && at(found).length < options_.order && at(found).total > 0) {
      step.next = found;
      break;
    }
    if (context == kEmpty) break;
  }
  return step;
}

std::vector<float> GrowingModel::scores(std::span<const std::string> words) const {
  return reading(file(), [&] {
    std::vector<float> out;
    Context context = begin();
    for (std::size_t i = 0; i <= words.size(); ++i) {
      const Step step = this->step(context, i < words.size() ? find(words[i]) : end());
      out.push_back(step.score);
      context = step.next;
    }
    return out;
  });
}

namespace {

// The words that the context before may change the scores of, and the context behind.
struct GrowingState {
  GrowingModel::Context right;
  std::int32_t length;  // of left
  std::int32_t closed;  // whether there are more words than those of `left`
  std::array<GrowingModel::Word, GrowingModelOptions::kMostOrder - 1> left;
};

class GrowingSentence final : public IntegerStateScorer {
 public:
  GrowingSentence(const GrowingModel& model, const Forest& forest, double weight)
      : IntegerStateScorer(sizeof(GrowingState)), model_(model), forest_(forest), weight_(weight) {
    IdVector<Symbol, GrowingModel::Word> numbers(forest.vocabulary->words->end(), kUnread);
    symbols_.begin.reserve(forest.rules.size() + 1);
    estimates_.reserve(forest.rules.size());
    for (const std::uint32_t rule : forest.rules) {
      const RuleSpace::Place place = forest.rule_space->find(rule);
      double sum = 0;
      GrowingModel::Context context = GrowingModel::kEmpty;
      for (const Symbol symbol : place.grammar->target(place.rule)) {
        if (symbol <= 0) {
          symbols_.values.push_back(symbol - 1);
          context = GrowingModel::kEmpty;
          continue;
        }
        GrowingModel::Word& number = numbers[symbol];
        if (number == kUnread) number = model.find(forest.vocabulary->words->text(symbol));
        symbols_.values.push_back(number);
        const GrowingModel::Step step = this->step(context, number);
        sum += double{step.score};
        context = step.next;
      }
      estimates_.push_back(weight * sum);
      symbols_.close();
      starts_.push_back(start(symbols_[symbols_.count() - 1]));
    }
  }

  double estimate(LocalRule rule) const override { return estimates_[rule]; }

  double score(const ScoredEdge& edge, MarkValues&) const override {
    GrowingState& state = *reinterpret_cast<GrowingState*>(edge.state);
    state = {GrowingModel::kEmpty, 0, 0, {}};
    double sum = 0;
    if (forest_.head[edge.edge] == forest_.goal()) {
      GrowingModel::Context context = model_.begin();
      sum += read(*reinterpret_cast<const GrowingState*>(edge.tails[0]), context);
      sum += double{step(context, model_.end()).score};
    } else {
      const LocalRule rule = forest_.local_rule[edge.edge];
      const Start& start = starts_[rule];
      GrowingModel::Context left = start.ngram;
      state = start.state;
      sum = start.sum;
      for (const GrowingModel::Word symbol : symbols_[rule].subspan(start.words)) {
        if (symbol >= 0) {
          const GrowingModel::Step step = this->step(state.right, symbol);
          sum += double{step.score};
          state.right = step.next;
          extend(state, left, symbol);
        } else {
          const GrowingState& tail =
              *reinterpret_cast<const GrowingState*>(edge.tails[-1 - symbol]);
          sum += read(tail, state.right);
          for (std::int32_t k = 0; k < tail.length; ++k) extend(state, left, tail.left[k]);
          state.closed |= tail.closed;
        }
      }
    }
    *edge.values = static_cast<float>(sum);
    return weight_ * sum;
  }

 private:
  static constexpr GrowingModel::Word kUnread = -1;

  // The words of a rule before its first nonterminal, which have no context before them.
  struct Start {
    GrowingState state{};
    GrowingModel::Context ngram = GrowingModel::kEmpty;  // of state.left
    std::size_t words = 0;
    double sum = 0;
  };

  Start start(std::span<const GrowingModel::Word> symbols) const {
    Start start;
    for (; start.words < symbols.size() && symbols[start.words] >= 0; ++start.words) {
      const GrowingModel::Step step = this->step(start.state.right, symbols[start.words]);
      start.sum += double{step.score};
      start.state.right = step.next;
      extend(start.state, start.ngram, symbols[start.words]);
    }
    return start;
  }

  GrowingModel::Step step(GrowingModel::Context context, GrowingModel::Word word) const {
    const std::int32_t known = steps_of_.insert(KeyIndex::pair(context, word));
    if (known == steps_.count()) steps_.push_back(model_.step(context, word));
    return steps_[known];
  }

  // Moves the context behind a tail; returns what the context adds to the scores of its words.
  double read(const GrowingState& tail, GrowingModel::Context& context) const {
    double sum = 0;
    GrowingModel::Context alone = GrowingModel::kEmpty;
    for (std::int32_t k = 0; k < tail.length; ++k) {
      if (context == alone) break;  // nothing before the tail makes a difference
      const GrowingModel::Word word = tail.left[k];
      const GrowingModel::Step without = step(alone, word), with = step(context, word);
      sum += double{with.score} - double{without.score};
      alone = without.next;
      context = with.next;
    }
    if (tail.closed || context == alone) context = tail.right;
    return sum;
  }

  // Adds a word to the words on the left, if a context before them can change its score; `ngram` is
  // the n-gram of those there are.
  void extend(GrowingState& state, GrowingModel::Context& ngram, GrowingModel::Word word) const {
    if (state.closed) return;
    if (state.length == model_.order() - 1) {
      state.closed = 1;
      return;
    }
    state.left[state.length++] = word;
    ngram = word == GrowingModel::kOther ? GrowingModel::kUnknown : model_.longer(ngram, word);
    // No context of the next word can have this word and one before the first.
    if (ngram == GrowingModel::kUnknown) state.closed = 1;
  }

  const GrowingModel& model_;
  const Forest& forest_;
  double weight_;
  IdRows<LocalRule, GrowingModel::Word> symbols_;  // words, and -1 - the index of nonterminals
  IdVector<LocalRule, double> estimates_;
  IdVector<LocalRule, Start> starts_;
  mutable KeyIndex steps_of_{4096};  // by context and word
  mutable IdVector<std::int32_t, GrowingModel::Step> steps_;
};

}  // namespace

std::size_t GrowingModelScorer::state_size() const { return sizeof(GrowingState); }

std::unique_ptr<SentenceScorer> GrowingModelScorer::begin(const Forest& forest,
                                                          const double* weights) const {
  return std::make_unique<GrowingSentence>(*model_, forest, weights[feature_]);
}

double GrowingModelScorer::sentence(std::span<const std::string> words) const {
  const std::vector<float> scores = model_->scores(words);
  return std::accumulate(scores.begin(), scores.end(), 0.0);
}

}  // namespace hopefear
