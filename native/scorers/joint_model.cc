#include "scorers/joint_model.h"

#include <array>
#include <limits>
#include <optional>

#include "base/input_error.h"

namespace hopefear {
namespace {

using JointWord = JointNetwork::Word;

// A source position of an edge: so far from one end of its head or of a tail.
struct SourceAnchor {
  std::int32_t tail = kHead;
  bool at_end = false;
  std::int32_t offset = 0;
  static constexpr std::int32_t kHead = -1;

  SourceAnchor moved(std::int32_t by) const { return {tail, at_end, offset + by}; }
};

constexpr SourceAnchor kFirstOfHead{SourceAnchor::kHead, false, 0};
constexpr SourceAnchor kLastOfHead{SourceAnchor::kHead, true, -1};

// What the model reads of a rule.
struct JointRule {
  struct TargetWord {
    JointWord word;     // or kTail
    std::int32_t tail;  // if there is no word
    SourceAnchor affiliation;
    static constexpr JointWord kTail = std::numeric_limits<JointWord>::min();
    bool is_word() const { return word != kTail; }
  };
  struct SourceWord {
    Symbol word;
    SourceAnchor place;
  };
  std::vector<TargetWord> target;
  std::vector<SourceWord> source;
  SourceAnchor end = kFirstOfHead;  // of the source side
};

// The source words are at the places of their symbols: the first one is where the head or the tail
// before it says.
std::vector<SourceAnchor> places_of(std::span<const Symbol> source, SourceAnchor& end) {
  std::vector<SourceAnchor> places;
  std::int32_t tails = 0;
  for (const Symbol symbol : source) {
    places.push_back(end);
    end = symbol > 0 ? end.moved(1) : SourceAnchor{tails++, true, 0};
  }
  return places;
}

// The affiliations of a rule's target words by its links (Devlin et al. 2014, sections 2.1 and
// 4.1). One of several linked source words is that in the middle, rounded down. A word without a
// link has the affiliation of the closest symbol that has one, of two the right one; a nonterminal
// has that of its first source word from the left and of its last from the right. Where there is
// none up to the right end of the rule, it is the last word of the rule's span; up to the left end,
// the first one.
void affiliate(const Rule& rule, std::span<const Symbol> source,
               std::span<const SourceAnchor> places, std::vector<JointRule::TargetWord>& target) {
  const std::size_t size = target.size();
  // Of each symbol, as it is seen from the left and from the right.
  std::vector<std::optional<SourceAnchor>> from_left(size), from_right(size);
  for (std::size_t i = 0; i < size; ++i) {
    if (!target[i].is_word()) {
      from_left[i] = SourceAnchor{target[i].tail, false, 0};
      from_right[i] = SourceAnchor{target[i].tail, true, -1};
      continue;
    }
    std::vector<std::size_t> linked;
    for (const AlignmentPoint point : rule.alignment) {
      if (point.target == i && point.source < source.size() && source[point.source] > 0)
        linked.push_back(point.source);
    }
    if (linked.empty()) continue;
    std::ranges::sort(linked);
    from_left[i] = from_right[i] = places[linked[(linked.size() - 1) / 2]];
  }
  for (std::size_t i = 0; i < size; ++i) {
    if (!target[i].is_word()) continue;
    std::size_t right = i, left = i + 1;
    while (right < size && !from_left[right]) ++right;
    while (left > 0 && !from_right[left - 1]) --left;
    if (right == size) {
      target[i].affiliation = kLastOfHead;
    } else if (right == i) {
      target[i].affiliation = *from_left[i];
    } else if (left == 0) {
      target[i].affiliation = kFirstOfHead;
    } else {
      const bool is_right = right - i <= i - (left - 1);
      target[i].affiliation = is_right ? *from_left[right] : *from_right[left - 1];
    }
  }
}

// A state is a row of integers: the number of words, at most `history`; the first words and their
// affiliations, whose probabilities wait for words before them; the last words, by the numbers of
// the network. First and last are in the order in which the model reads.
class JointState {
 public:
  static std::size_t size(std::int32_t history) { return 1 + 3 * place_of(history); }

  JointState(std::byte* memory, std::int32_t history)
      : begin_(reinterpret_cast<std::int32_t*>(memory)), history_(place_of(history)) {}

  std::int32_t& count() { return *begin_; }
  std::int32_t* words() { return begin_ + 1; }
  std::int32_t* affiliations() { return words() + history_; }
  JointWord* last() { return affiliations() + history_; }  // the last one at the end

 private:
  std::int32_t* begin_;
  std::size_t history_;
};

// The logarithm of a probability by the network, and what a cache adds to it.
struct JointScore {
  float log = 0, gain = 0;

  JointScore& operator+=(JointScore other) {
    log += other.log;
    gain += other.gain;
    return *this;
  }
  JointScore& operator-=(JointScore other) {
    log -= other.log;
    gain -= other.gain;
    return *this;
  }
};

class JointModel final : public StatefulScorer {
 public:
  JointModel(const std::string& path, FeatureId feature, const Vocabulary& vocabulary)
      : network_(std::make_shared<const JointNetwork>(path)), feature_(feature) {
    const Interner& words = *vocabulary.words;
    target_words_.resize(words.end(), JointNetwork::kUnknown);
    for (Symbol word = words.first(); word < words.end(); ++word)
      target_words_[word] = network_->target_word(words.text(word));
  }

  std::size_t state_size() const override {
    return JointState::size(network_->history()) * sizeof(std::int32_t);
  }
  std::span<const FeatureId> features() const override { return {&feature_, 1}; }
  std::unique_ptr<SentenceScorer> begin(const Forest& forest, const double* weights) const override;

  const WatchedFile* file() const override { return &network_->file(); }

  const std::shared_ptr<const JointNetwork>& network() const { return network_; }
  FeatureId feature() const { return feature_; }
  JointWord target_word(Symbol word, const Vocabulary& vocabulary) const {
    return target_words_.has(word) ? target_words_[word]
                                   : network_->target_word(vocabulary.words->text(word));
  }

 private:
  std::shared_ptr<const JointNetwork> network_;
  FeatureId feature_;
  IdVector<Symbol, JointWord> target_words_;  // of the decoder's vocabulary
};

class JointSentence final : public IntegerStateScorer {
 public:
  // The weights of both features; without a cache, there is only the first one.
  JointSentence(const JointModel& model, const Forest& forest, double weight,
                const JointCache* cache = nullptr, double gain_weight = 0)
      : IntegerStateScorer(model.state_size()),
        network_(*model.network()),
        forest_(forest),
        weight_(weight),
        cache_(cache),
        gain_weight_(gain_weight),
        history_(network_.history()),
        estimates_(forest.rules.count()),
        key_size_(place_of(history_) + 2),
        tail_words_(2 * place_of(history_), JointNetwork::kNone) {
    const Interner& words = *forest.vocabulary->words;
    target_words_.resize(words.end(), JointNetwork::kUnknown);
    std::vector<bool> used(forest.rules.size());
    rules_.resize(forest.rules.count());
    for (const EdgeId e : ids(0, forest.edges())) {
      const LocalRule r = forest.local_rule[e];
      if (used[place_of(r)] || forest.head[e] == forest.goal()) continue;
      used[place_of(r)] = true;
      for (const Symbol word : forest.rule(e).target) {
        if (word <= 0) continue;
        target_words_[word] = model.target_word(word, *forest.vocabulary);
        if (cache != nullptr && target_words_[word] == JointNetwork::kUnknown)
          target_words_[word] = cache->word(words.text(word));
      }
      rules_[r] = read_rule(r);
    }
    read_source();
    // What a rule's words are worth differs with its place: an estimate is that of one of them.
    std::vector<std::byte> memory(model.state_size());
    JointState state(memory.data(), history_);
    for (const EdgeId e : ids(0, forest.edges())) {
      const LocalRule r = forest.local_rule[e];
      if (!used[place_of(r)]) continue;
      used[place_of(r)] = false;
      clear(state, JointNetwork::kNone);
      JointScore sum;
      for (const JointRule::TargetWord& each : rules_[r].target) {
        if (each.is_word()) {
          sum += read(state, each.word, position(e, each.affiliation));
        } else {
          clear(state, JointNetwork::kNone);
        }
      }
      estimates_[r] = weighted(sum);
    }
  }

  double estimate(LocalRule rule) const override { return estimates_[rule]; }
  double score(const ScoredEdge& edge, MarkValues&) const override {
    const EdgeId e = edge.edge;
    JointState out(edge.state, history_);
    const auto tail = [&](std::int32_t i) {
      return JointState(const_cast<std::byte*>(edge.tails[i]), history_);
    };
    JointScore sum;
    if (forest_.head[e] == forest_.goal()) {
      clear(out, JointNetwork::kBegin);
      out.count() = history_;
      const std::int32_t end = network_.end_position(forest_.source_length);
      sum = read_tail(out, tail(0));
      sum += read(out, JointNetwork::kEnd, end);
      std::fill_n(reinterpret_cast<std::int32_t*>(edge.state), JointState::size(history_), 0);
    } else {
      clear(out, JointNetwork::kNone);
      for (const JointRule::TargetWord& each : rules_[forest_.local_rule[e]].target) {
        sum += each.is_word() ? read(out, each.word, position(e, each.affiliation))
                              : read_tail(out, tail(each.tail));
      }
    }
    edge.values[0] = sum.log;
    if (cache_ != nullptr) edge.values[1] = sum.gain;
    return weighted(sum);
  }

 private:
  JointRule read_rule(LocalRule r) const {
    const RuleSpace::Place place = forest_.rule_space->find(forest_.rules[r]);
    const Rule rule = place.grammar->rule(place.rule);
    std::vector<Symbol> source;
    place.grammar->source(place.rule, source);
    JointRule read;
    const std::vector<SourceAnchor> places = places_of(source, read.end);
    for (std::size_t i = 0; i < source.size(); ++i) {
      if (source[i] > 0) read.source.push_back({source[i], places[i]});
    }
    for (const Symbol symbol : rule.target) {
      if (symbol > 0) {
        read.target.push_back({target_words_[symbol], 0, {}});
      } else {
        read.target.push_back({JointRule::TargetWord::kTail, -symbol, {}});
      }
    }
    affiliate(rule, source, places, read.target);
    if (network_.right_to_left()) std::ranges::reverse(read.target);
    return read;
  }
  // Finds the words of the sentence, and what the first layer gets of them.
  void read_source() {
    constexpr Symbol kNoWord = 0;
    std::vector<Symbol> words(static_cast<std::size_t>(forest_.source_length), kNoWord);
    for (const EdgeId e : ids(0, forest_.edges())) {
      if (forest_.head[e] == forest_.goal()) continue;
      const JointRule& rule = rules_[forest_.local_rule[e]];
      bool fits = position(e, rule.end) == forest_.span[forest_.head[e]].end;
      for (const JointRule::SourceWord& each : rule.source) {
        const std::int32_t at = position(e, each.place);
        if (!fits || at < 0 || at >= forest_.source_length) {
          fits = false;
          break;
        }
        Symbol& word = words[place_of(at)];
        fits = word == kNoWord || word == each.word;
        word = each.word;
      }
      if (!fits)
        throw InputError("", 0, "JointModel: expected a sentence, got a lattice with several ways");
    }
    std::vector<JointWord> numbers;
    for (const Symbol word : words) {
      numbers.push_back(word == kNoWord
                            ? JointNetwork::kUnknown
                            : network_.source_word(forest_.vocabulary->words->text(word)));
    }
    windows_ = network_.windows(numbers);
    if (cache_ == nullptr) return;
    std::vector<std::string_view> texts;
    for (const Symbol word : words)
      texts.push_back(word == kNoWord ? "" : forest_.vocabulary->words->text(word));
    for (const std::int32_t at : ids(JointNetwork::kBeforeSource, forest_.source_length + 1))
      entries_.push_back(cache_->entries(texts, at));
  }
  std::int32_t position(EdgeId e, SourceAnchor anchor) const {
    const NodeId node =
        anchor.tail == SourceAnchor::kHead ? forest_.head[e] : forest_.tails_of(e)[anchor.tail];
    const SourceSpan span = forest_.span[node];
    return (anchor.at_end ? span.end : span.begin) + anchor.offset;
  }

  // The score of a word after the words in `before`, kNone where there is none yet.
  JointScore score_word(const JointWord* before, JointWord word, std::int32_t affiliation) const {
    const std::size_t size = key_size_;
    const auto hash_of = [size](const std::int32_t* key) {
      std::uint64_t h = 0;
      for (std::size_t i = 0; i < size; ++i) h = spread(h ^ static_cast<std::uint32_t>(key[i]));
      return probing_hash(h);
    };
    const std::size_t begin = keys_.size();
    keys_.insert(keys_.end(), before, before + history_);
    keys_.push_back(affiliation);
    keys_.push_back(word);
    const std::int32_t* const key = keys_.data() + begin;
    const auto key_of = [this](std::int32_t slot) {
      return keys_.data() + (place_of(slot) - 1) * key_size_;
    };
    std::int32_t& slot = slots_.find(
        hash_of(key), [&](std::int32_t slot) { return std::equal(key, key + size, key_of(slot)); });
    if (!is_free(slot)) {
      keys_.resize(begin);
      return known_[place_of(slot) - 1];
    }
    layer_ = windows_[place_of(affiliation - JointNetwork::kBeforeSource)];
    network_.add_history(layer_, before);
    network_.finish(layer_);
    JointScore found{network_.log_probability(layer_, JointCache::network_word(word)), 0};
    if (cache_ != nullptr) {
      const auto* const entries = entries_[place_of(affiliation - JointNetwork::kBeforeSource)];
      if (entries != nullptr) found.gain = cache_->gain(*entries, layer_, word, found.log);
    }
    known_.push_back(found);
    slot = count_of(known_);
    slots_.added([&](std::int32_t slot) { return hash_of(key_of(slot)); });
    return found;
  }
  // Reads a word of a yield: the words before it become those before the next one.
  JointScore read(JointState& state, JointWord word, std::int32_t affiliation) const {
    JointWord* const last = state.last();
    const JointScore found = score_word(last, word, affiliation);
    if (state.count() < history_) {
      const std::size_t i = place_of(state.count()++);
      state.words()[i] = word;
      state.affiliations()[i] = affiliation;
    }
    if (history_ > 0) {
      std::copy(last + 1, last + history_, last);
      last[history_ - 1] = JointCache::network_word(word);
    }
    return found;
  }
  // The words of the tail that waited are scored anew; what they were worth before is taken back.
  JointScore read_tail(JointState& state, JointState tail) const {
    if (state.count() == 0) {  // nothing stands before it
      std::copy_n(&tail.count(), JointState::size(history_), &state.count());
      return {};
    }
    std::transform(tail.words(), tail.words() + tail.count(), tail_words_.begin() + history_,
                   JointCache::network_word);
    JointScore more;
    for (const std::int32_t i : ids(0, tail.count())) {
      const JointWord word = tail.words()[i];
      const std::int32_t affiliation = tail.affiliations()[i];
      more -= score_word(tail_words_.data() + i, word, affiliation);
      more += read(state, word, affiliation);
    }
    if (tail.count() == history_) std::copy_n(tail.last(), history_, state.last());
    return more;
  }
  double weighted(JointScore score) const {
    return weight_ * double{score.log} + gain_weight_ * double{score.gain};
  }
  void clear(JointState& state, JointWord before) const {
    std::fill_n(&state.count(), JointState::size(history_), 0);
    std::fill_n(state.last(), history_, before);
  }

  const JointNetwork& network_;
  const Forest& forest_;
  double weight_;
  const JointCache* cache_;
  double gain_weight_;
  std::int32_t history_;
  IdVector<Symbol, JointWord> target_words_;
  IdVector<LocalRule, JointRule> rules_;
  IdVector<LocalRule, double> estimates_;
  std::vector<std::vector<float>> windows_;          // by affiliation, from kBeforeSource on
  std::vector<const JointCache::Entries*> entries_;  // of the cache, as windows_
  // The scores that were computed: of key i are the numbers from i * key_size_ on.
  std::size_t key_size_;
  mutable std::vector<std::int32_t> keys_;
  mutable std::vector<JointScore> known_;
  mutable ProbingSlots<std::int32_t> slots_{1 << 12};
  mutable std::vector<float> layer_;
  // The words of a tail that wait, and before them as many that are not known.
  mutable std::vector<JointWord> tail_words_;
};

std::unique_ptr<SentenceScorer> JointModel::begin(const Forest& forest,
                                                  const double* weights) const {
  return std::make_unique<JointSentence>(*this, forest, weights[feature_]);
}

class CachedJointModel final : public StatefulScorer {
 public:
  CachedJointModel(std::shared_ptr<const JointModel> model, std::shared_ptr<const JointCache> cache,
                   FeatureId feature)
      : model_(std::move(model)), cache_(std::move(cache)), features_{model_->feature(), feature} {}

  std::size_t state_size() const override { return model_->state_size(); }
  std::span<const FeatureId> features() const override { return features_; }
  const WatchedFile* file() const override { return model_->file(); }
  std::unique_ptr<SentenceScorer> begin(const Forest& forest,
                                        const double* weights) const override {
    return std::make_unique<JointSentence>(*model_, forest, weights[features_[0]], cache_.get(),
                                           weights[features_[1]]);
  }

 private:
  std::shared_ptr<const JointModel> model_;
  std::shared_ptr<const JointCache> cache_;
  std::array<FeatureId, 2> features_;
};

}  // namespace

std::shared_ptr<StatefulScorer> load_joint_model(const std::string& path, FeatureId feature,
                                                 const Vocabulary& vocabulary) {
  return std::make_shared<JointModel>(path, feature, vocabulary);
}

std::shared_ptr<const JointNetwork> network_of(const StatefulScorer& scorer) {
  const auto* const model = dynamic_cast<const JointModel*>(&scorer);
  return model == nullptr ? nullptr : model->network();
}

std::shared_ptr<StatefulScorer> cached_joint_model(
    const std::shared_ptr<const StatefulScorer>& model, std::shared_ptr<const JointCache> cache,
    FeatureId feature) {
  auto joint = std::dynamic_pointer_cast<const JointModel>(model);
  expect(joint != nullptr, "expected a joint model");
  return std::make_shared<CachedJointModel>(std::move(joint), std::move(cache), feature);
}

}  // namespace hopefear
