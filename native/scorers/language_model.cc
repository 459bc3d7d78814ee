#include "scorers/language_model.h"

#include <cmath>
#include <mutex>
#include <unordered_map>

#include "base/feature_name.h"
#include "base/input_error.h"
#include "base/lazy_array.h"
#include "base/line_reader.h"
#include "lm/model.hh"
#include "scorers/model_file.h"
#include "scorers/pieces.h"
#include "scorers/rest_costs.h"
#include "util/exception.hh"

namespace hopefear {
namespace {

using lm::WordIndex;
using lm::ngram::ChartState;

constexpr WordIndex kUnk = 0;
constexpr float kMarkerPenalty = -100.0f;  // cdec's, for <s> and </s> in the wrong place

struct State {
  Piece piece;
  bool seen_begin, seen_end;  // only with explicit markers
};

// What a target word is to the model.
struct Word {
  WordIndex index;
  float emission;  // log10 p(word | class)
};

struct ClassMap {
  std::unordered_map<std::string, std::pair<std::string, float>> class_of;
};

ClassMap read_class_map(const std::string& path) {
  ClassMap map;
  map.class_of["<s>"] = {"<s>", 0.0f};
  map.class_of["</s>"] = {"</s>", 0.0f};
  LineReader reader(path);
  std::string_view line;
  while (reader.next(line)) {
    std::vector<std::string> fields;
    for (std::size_t i = 0; i < line.size();) {
      const std::size_t j = std::min(line.find_first_of(kBlank, i), line.size());
      if (j > i) fields.emplace_back(line.substr(i, j - i));
      i = j + 1;
    }
    char* end = nullptr;
    const float emission = fields.size() == 3 ? std::strtof(fields[2].c_str(), &end) : 0.0f;
    if (fields.size() != 3 || *end != '\0' || !std::isfinite(emission)) {
      throw InputError(path, reader.line_number(),
                       "expected 'CLASS WORD logp', got '" + std::string(line.substr(0, 80)) + "'");
    }
    if (!map.class_of.emplace(fields[1], std::pair{fields[0], emission}).second) {
      throw InputError(
          path, reader.line_number(),
          "expected one class for each word, got a second one for '" + fields[1] + "'");
    }
  }
  return map;
}

template <class Model>
class KenlmModel;

template <class Model>
class KenlmSentence final : public SentenceScorer {
 public:
  KenlmSentence(const KenlmModel<Model>& model, const Forest& forest, double weight)
      : model_(model),
        forest_(forest),
        weight_(weight),
        pieces_(model.model()),
        estimates_(forest.rules.count()),
        plans_(forest.rules.count()) {
    targets_.reserve(forest.rules.size());
    for (const std::uint32_t rule : forest.rules) {
      const RuleSpace::Place place = forest.rule_space->find(rule);
      targets_.push_back(place.grammar->target(place.rule));
    }
    const Interner& words = *forest.vocabulary->words;
    for (Symbol word = words.first(); word < words.end(); ++word) {
      own_words_.push_back(model.lookup(words.text(word)));
    }
    first_own_word_ = words.first();
    for (const LocalRule r : forest.rules.ids())
      estimates_[r] = weight * double{model.estimate(forest.rules[r], targets_[r], *this)};
  }

  double estimate(LocalRule rule) const override { return estimates_[rule]; }

  double score(const ScoredEdge& edge, MarkValues&) const override {
    State& out = *reinterpret_cast<State*>(edge.state);
    const EdgeId e = edge.edge;
    *edge.values = forest_.head[e] == forest_.goal()
                       ? finish(*reinterpret_cast<const State*>(edge.tails[0]), out)
                       : apply(forest_.local_rule[e], edge.tails, out);
    model_.expect_finite(*edge.values);
    return weight_ * double{*edge.values};
  }

  double rest_cost(const std::byte* state) const override {
    const std::int32_t left = reinterpret_cast<const State*>(state)->piece.left / 2;
    while (rest_costs_.count() <= left)
      rest_costs_.push_back(weight_ * model_.rest_cost(pieces_.left(rest_costs_.count())));
    return rest_costs_[left];
  }

  std::uint64_t hash(const std::byte* state) const override {
    const Piece piece = reinterpret_cast<const State*>(state)->piece;
    const std::uint64_t h =
        static_cast<std::uint64_t>(KeyIndex::pair(piece.left, piece.right)) * 0x9E3779B97F4A7C15ULL;
    return h ^ (h >> 29);
  }

  bool equal(const std::byte* a, const std::byte* b) const override {
    const State& x = *reinterpret_cast<const State*>(a);
    const State& y = *reinterpret_cast<const State*>(b);
    return x.piece == y.piece && x.seen_begin == y.seen_begin && x.seen_end == y.seen_end;
  }

  // The words from target[i] on, without what is around them; i goes behind the last one, and
  // their emissions are added to `emissions`.
  float score_run(std::span<const Symbol> target, std::size_t& i, ChartState& chart,
                  float& emissions) const {
    lm::ngram::RuleScore<Model> run(model_.model(), chart);
    for (; i < target.size() && target[i] > 0; ++i) {
      run.Terminal(word(target[i]).index);
      emissions += word(target[i]).emission;
    }
    return run.Finish();
  }

 private:
  const Word& word(Symbol symbol) const {
    return symbol >= first_own_word_ ? own_words_[symbol - first_own_word_]
                                     : model_.known_words()[symbol];
  }

  // A rule's target side, ready to be scored: runs of words, and tails.
  struct Part {
    Piece piece;        // of a run
    std::int32_t tail;  // kRun for a run
    static constexpr std::int32_t kRun = -1;
  };
  struct Plan {
    std::int32_t begin = 0, end = 0;  // of its parts; none before it is made
    float probability = 0;            // of its runs, each without what is around it
  };

  using Tails = decltype(ScoredEdge::tails);

  float apply(LocalRule r, Tails tails, State& out) const {
    if (model_.explicit_markers()) return apply_with_markers(targets_[r], tails, out);
    Plan& plan = plans_[r];
    if (plan.begin == plan.end) make_plan(targets_[r], plan);
    const Part* part = parts_.data() + plan.begin;
    const Part* const end = parts_.data() + plan.end;
    const auto piece_of = [tails](const Part& of) {
      return of.tail == Part::kRun ? of.piece
                                   : reinterpret_cast<const State*>(tails[of.tail])->piece;
    };
    Piece piece = piece_of(*part);
    float sum = plan.probability;
    while (++part != end) sum += pieces_.join(piece, piece_of(*part));
    out = {piece, false, false};
    return sum;
  }

  void make_plan(std::span<const Symbol> target, Plan& plan) const {
    plan.begin = count_of(parts_);
    for (std::size_t i = 0; i < target.size() || i == 0;) {
      if (i < target.size() && target[i] <= 0) {
        parts_.push_back({{}, -target[i++]});
        continue;
      }
      ChartState chart;
      const float probability = score_run(target, i, chart, plan.probability);
      plan.probability += probability;
      parts_.push_back({pieces_.number(chart), Part::kRun});
      if (target.empty()) break;
    }
    plan.end = count_of(parts_);
  }

  // Word by word, for rules that may carry <s> and </s>.
  float apply_with_markers(std::span<const Symbol> target, Tails tails, State& out) const {
    ChartState chart;
    lm::ngram::RuleScore<Model> rule(model_.model(), chart);
    out.seen_begin = out.seen_end = false;
    float other = 0;
    for (std::size_t i = 0; i < target.size(); ++i) {
      if (out.seen_end) other += kMarkerPenalty;
      if (target[i] <= 0) {
        const State& tail = *reinterpret_cast<const State*>(tails[-target[i]]);
        if (i == 0) {
          rule.BeginNonTerminal(pieces_.chart(tail.piece));
        } else {
          rule.NonTerminal(pieces_.chart(tail.piece));
          if (tail.seen_begin) other += kMarkerPenalty;
        }
        out.seen_begin |= tail.seen_begin;
        out.seen_end |= tail.seen_end;
        continue;
      }
      const Word& w = word(target[i]);
      if (i == 0 && w.index == model_.begin_sentence()) {
        rule.BeginSentence();
        out.seen_begin = true;
        continue;
      }
      rule.Terminal(w.index);
      other += w.emission;
      out.seen_end |= w.index == model_.end_sentence();
    }
    const float sum = rule.Finish() + other;
    out.piece = pieces_.number(chart);
    return sum;
  }

  float finish(const State& tail, State& out) const {
    out = State{};
    if (model_.explicit_markers()) {
      return (tail.seen_begin ? 0 : kMarkerPenalty) + (tail.seen_end ? 0 : kMarkerPenalty);
    }
    ChartState chart;
    lm::ngram::RuleScore<Model> rule(model_.model(), chart);
    rule.BeginSentence();
    rule.NonTerminal(pieces_.chart(tail.piece));
    rule.Terminal(model_.end_sentence());
    return rule.Finish();
  }

  const KenlmModel<Model>& model_;
  const Forest& forest_;
  double weight_;
  mutable Pieces<Model> pieces_;
  mutable IdVector<std::int32_t, double> rest_costs_{0.0};  // by left border; the goal has none
  IdVector<LocalRule, double> estimates_;
  IdVector<LocalRule, std::span<const Symbol>> targets_;
  mutable std::vector<Part> parts_;  // of the rules that were scored
  mutable IdVector<LocalRule, Plan> plans_;
  IdVector<Symbol, Word> own_words_;  // words of this sentence only
  Symbol first_own_word_ = 0;
};

template <class Model>
class KenlmModel final : public LanguageModel {
 public:
  // `file` is the options' path, or a plain copy for KenLM.
  KenlmModel(const LanguageModelOptions& options, const std::string& file, FeatureId feature,
             const Vocabulary& vocabulary, std::uint32_t base_rules,
             std::unique_ptr<const WatchedFile> binary)
      : file_(std::move(binary)),
        feature_(feature),
        explicit_markers_(options.explicit_markers),
        has_classes_(!options.class_map.empty()),
        path_(options.path),
        model_(file.c_str(), config()),
        estimates_(base_rules) {
    if (has_classes_) classes_ = read_class_map(options.class_map);
    const Interner& words = *vocabulary.words;
    known_words_.resize(words.end(), Word{kUnk, 0.0f});
    for (Symbol word = words.first(); word < words.end(); ++word) {
      known_words_[word] = lookup(words.text(word));
    }
    if (!file_) {
      rest_costs_ = RestCosts(path_, model_.Order(), [this](std::string_view word) {
        return model_.GetVocabulary().Index(StringPiece(word.data(), word.size()));
      });
    }
  }

  std::size_t state_size() const override { return sizeof(State); }
  std::span<const FeatureId> features() const override { return {&feature_, 1}; }
  std::unique_ptr<SentenceScorer> begin(const Forest& forest,
                                        const double* weights) const override {
    return std::make_unique<KenlmSentence<Model>>(*this, forest, weights[feature_]);
  }
  const WatchedFile* file() const override { return file_.get(); }
  unsigned order() const override { return model_.Order(); }
  std::size_t rounded() const override { return rest_costs_.rounded(); }
  float after(std::span<const std::string_view> context, std::string_view word) const override {
    lm::ngram::State before = model_.NullContextState(), behind;
    for (const std::string_view each : context) {
      if (each == "<s>") {
        before = model_.BeginSentenceState();
      } else {
        model_.FullScore(before, lookup(each).index, behind);
        before = behind;
      }
    }
    const Word known = lookup(word);
    return model_.FullScore(before, known.index, behind).prob + known.emission;
  }
  bool is_unknown(Symbol word, const Vocabulary& vocabulary) const override {
    return known_words_.has(word) ? known_words_[word].index == kUnk
                                  : lookup(vocabulary.words->text(word)).index == kUnk;
  }

  Word lookup(std::string_view word) const {
    const auto index = [this](std::string_view text) {
      return model_.GetVocabulary().Index(StringPiece(text.data(), text.size()));
    };
    if (!has_classes_) return {index(word), 0.0f};
    const auto found = classes_.class_of.find(std::string(word));
    if (found == classes_.class_of.end()) return {kUnk, 0.0f};
    return {index(found->second.first), found->second.second};
  }

  // log10 probability of the runs of words of a rule, each with its rest cost instead of what is
  // around it.
  float estimate(std::uint32_t rule, std::span<const Symbol> target,
                 const KenlmSentence<Model>& sentence) const {
    const bool keep = rule < estimates_.count();
    if (keep) {
      const float known = std::atomic_ref(estimates_[rule]).load(std::memory_order_relaxed);
      if (known != kNotYet) return known;
    }
    float sum = 0;
    ChartState chart;
    for (std::size_t i = 0; i < target.size();) {
      if (target[i] <= 0) {
        ++i;
        continue;
      }
      const float probability = sentence.score_run(target, i, chart, sum);
      sum += probability + rest_costs_.of(chart.left);
    }
    expect_finite(sum);
    if (keep) std::atomic_ref(estimates_[rule]).store(sum, std::memory_order_relaxed);
    return sum;
  }

  // Log probabilities in an ARPA file may be -inf, or too low to be added up.
  void expect_finite(float log_probability) const {
    if (!std::isfinite(log_probability)) [[unlikely]]
      throw InputError(path_, 0,
                       "expected finite log probabilities, got -inf or a sum that is not finite");
  }

  double rest_cost(const lm::ngram::Left& left) const { return double{rest_costs_.of(left)}; }
  const Model& model() const { return model_; }
  const IdVector<Symbol, Word>& known_words() const { return known_words_; }
  bool explicit_markers() const { return explicit_markers_; }
  WordIndex begin_sentence() const { return model_.GetVocabulary().BeginSentence(); }
  WordIndex end_sentence() const { return model_.GetVocabulary().EndSentence(); }

 private:
  static lm::ngram::Config config() {
    lm::ngram::Config config;
    config.show_progress = false;
    config.messages = nullptr;
    config.arpa_complain = lm::ngram::Config::NONE;
    config.unknown_missing = lm::SILENT;
    config.positive_log_probability = lm::SILENT;
    return config;
  }

  std::unique_ptr<const WatchedFile> file_;  // of a KenLM binary
  FeatureId feature_;
  bool explicit_markers_, has_classes_;
  std::string path_;
  Model model_;
  ClassMap classes_;
  RestCosts rest_costs_;                // of an ARPA file
  IdVector<Symbol, Word> known_words_;  // of the decoder's vocabulary
  // By rule. A rule without words has the estimate 0, and there is nothing to keep.
  static constexpr float kNotYet = 0;
  LazyArray<std::uint32_t, float> estimates_;
};

}  // namespace

double LanguageModel::sentence(std::span<const std::string> words) const {
  std::vector<std::string_view> text{"<s>"};
  text.insert(text.end(), words.begin(), words.end());
  text.push_back("</s>");
  return reading(file(), [&] {
    float sum = 0;
    for (std::size_t i = 1; i < text.size(); ++i) {
      const std::size_t known = std::min<std::size_t>(i, order() - 1);
      sum += after(std::span(text).subspan(i - known, known), text[i]);
    }
    return sum;
  });
}

std::shared_ptr<LanguageModel> load_language_model(const LanguageModelOptions& options,
                                                   FeatureId feature, const Vocabulary& vocabulary,
                                                   std::uint32_t base_rules) {
  using namespace lm::ngram;
  const PlainFile file(options.path);
  auto binary = is_model_binary(file.path()) ? std::make_unique<const WatchedFile>(file.path())
                                             : std::unique_ptr<const WatchedFile>();
  const auto make = [&]<class Model>() -> std::shared_ptr<LanguageModel> {
    return std::make_shared<KenlmModel<Model>>(options, file.path(), feature, vocabulary,
                                               base_rules, std::move(binary));
  };
  const auto load = [&]() -> std::shared_ptr<LanguageModel> {
    check_model_file(file.path());
    ModelType type = PROBING;  // what an ARPA file becomes
    RecognizeBinary(file.path().c_str(), type);
    switch (type) {
      case PROBING:
        return make.template operator()<ProbingModel>();
      case REST_PROBING:
        return make.template operator()<RestProbingModel>();
      case TRIE:
        return make.template operator()<TrieModel>();
      case QUANT_TRIE:
        return make.template operator()<QuantTrieModel>();
      case ARRAY_TRIE:
        return make.template operator()<ArrayTrieModel>();
      case QUANT_ARRAY_TRIE:
        return make.template operator()<QuantArrayTrieModel>();
    }
    throw InputError(options.path, 0, "expected a KenLM model of a known kind");
  };
  try {
    return reading(binary.get(), load);
  } catch (const util::Exception& error) {
    const InputError found = model_file_error(file.path(), error.what());
    throw InputError(options.path, found.line(), found.what());
  } catch (const InputError& error) {
    if (error.path() != file.path()) throw;
    throw InputError(options.path, error.line(), error.what());
  }
}

}  // namespace hopefear
