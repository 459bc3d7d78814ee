#include "plugins/ngram_scorer.h"

#include <array>

namespace hopefear {
namespace {

constexpr int kMost = NgramTable::kMostUnits;
constexpr std::size_t kUsualSlots = 4096;  // for the n-grams of a sentence

// The ends of a string: as many units as the n-grams over its borders need. A string of fewer units
// is all there is on both ends.
struct NgramState {
  std::int32_t length;  // of either end
  std::array<std::int32_t, 2 * (kMost - 1)> ends;

  const std::int32_t* left() const { return ends.data(); }
  const std::int32_t* right() const { return ends.data() + length; }
};

std::size_t size_of_state(int order) {
  return sizeof(std::int32_t) * (1 + 2 * place_of(order - 1));
}

// An n-gram of this sentence.
struct Known {
  double score;
  std::int32_t row;  // in the table
};

// Reads a rule's string with the strings of its tails, and calls visit(n-gram) for each n-gram that
// lies neither within a tail nor within the rule.
class NgramReader {
 public:
  // At the goal there is no rule, only boundaries: nothing lies within it.
  NgramReader(int order, bool at_goal)
      : context_(order - 1), longest_run_(at_goal ? order : context_) {}

  template <class Visit>
  void unit(std::int32_t unit, Visit&& visit) {
    ++run_;
    push(unit, visit);
  }

  template <class Visit>
  void tail(const NgramState& tail, Visit&& visit) {
    run_ = 0;
    for (std::int32_t i = 0; i < tail.length; ++i) push(tail.left()[i], visit);
    if (tail.length == context_) {
      std::copy_n(tail.right(), context_, window_.begin());
      filled_ = context_;
    }
    run_ = 0;
  }

  // Unused units are 0, so that states compare as bytes.
  void write(NgramState& state) const {
    state.length = filled_;
    std::copy_n(left_.begin(), filled_, state.ends.begin());
    std::copy_n(window_.begin(), filled_, state.ends.begin() + filled_);
    std::fill_n(state.ends.begin() + 2 * filled_, 2 * (context_ - filled_), 0);
  }

 private:
  template <class Visit>
  void push(std::int32_t unit, Visit&& visit) {
    if (filled_ == context_) {
      window_[context_] = unit;
      if (run_ <= longest_run_) visit(Ngram(window_.data(), place_of(context_ + 1)));
      std::copy_n(window_.begin() + 1, context_, window_.begin());
    } else {
      left_[filled_] = unit;
      window_[filled_++] = unit;
    }
  }

  std::int32_t context_;
  std::int32_t longest_run_;  // of units whose n-grams the rule does not have
  std::int32_t filled_ = 0;   // units of left_ and window_
  std::int32_t run_ = 0;      // units since the last tail
  std::array<std::int32_t, kMost> left_, window_;
};

class NgramSentence final : public IntegerStateScorer {
 public:
  NgramSentence(NgramTable& table, const RuleStrings& strings, const Forest& forest,
                const double* weights)
      : IntegerStateScorer(size_of_state(table.options().order)),
        table_(table),
        strings_(strings),
        forest_(forest),
        weights_(weights),
        order_(table.options().order),
        numbers_(order_, kUsualSlots) {
    if (table.options().boundaries) {
      goal_.assign(place_of(table.options().leading()), table.begin_unit());
      goal_.insert(goal_.end(), {-1, table.end_unit()});
    } else {
      goal_ = {-1};
    }
  }

  // What a rule's own units bring is on the source forest.
  double estimate(std::int32_t) const override { return 0; }

  double score(const ScoredEdge& edge, MarkValues& marks) const override {
    const bool is_goal = forest_.head[edge.edge] == forest_.goal();
    double sum = 0;
    const auto visit = [&](Ngram ngram) {
      const std::int32_t known = look_up(ngram);
      marks.push_back(known);
      sum += known_[known].score;
    };
    NgramReader reader(order_, is_goal);
    for (const std::int32_t symbol :
         is_goal ? std::span<const std::int32_t>(goal_) : strings_[forest_.local_rule[edge.edge]]) {
      if (symbol >= 0) {
        reader.unit(symbol, visit);
      } else {
        reader.tail(*reinterpret_cast<const NgramState*>(edge.tails[-1 - symbol]), visit);
      }
    }
    reader.write(*reinterpret_cast<NgramState*>(edge.state));
    return sum;
  }

  void fire(const IdVector<EdgeId, EdgeId>& edges, const Marks& marks, Forest& out) const override {
    FeatureLayer layer;
    const auto lock = table_.lock();
    for (const EdgeId e : edges.ids()) {
      const std::int32_t before = layer.features.count();
      for (const std::int32_t number : marks[e]) table_.append(known_[number].row, layer.features);
      layer.row.push_back(layer.features.count() > before ? layer.close() : -1);
    }
    layer.values.assign(layer.features.count(), 1.0);
    out.layers.push_back(std::move(layer));
  }

 private:
  // The sentence's number of an n-gram.
  std::int32_t look_up(Ngram ngram) const {
    const std::int32_t number = numbers_.insert(ngram);
    if (number == known_.count()) {
      Known known{};
      known.row = table_.row(ngram, weights_, known.score);
      known_.push_back(known);
    }
    return number;
  }

  NgramTable& table_;
  const RuleStrings& strings_;
  const Forest& forest_;
  const double* weights_;
  int order_;
  std::vector<std::int32_t> goal_;  // the string of the edge into the goal

  // The n-grams of this sentence, in the order in which they were met.
  mutable NgramIndex numbers_;
  mutable IdVector<std::int32_t, Known> known_;
};

}  // namespace

RuleNgrams ngrams_in_rules(NgramTable& table, const RuleStrings& strings) {
  const std::size_t order = place_of(table.options().order);
  IdRows<std::int32_t, Ngram> ngrams;
  for (const std::int32_t r : strings.ids()) {
    const std::span<const std::int32_t> string = strings[r];
    for (std::size_t begin = 0; begin + order <= string.size(); ++begin) {
      const Ngram ngram = string.subspan(begin, order);
      if (std::ranges::all_of(ngram, [](std::int32_t symbol) { return symbol >= 0; }))
        ngrams.values.push_back(ngram);
    }
    ngrams.close();
  }
  const IdVector<std::int32_t, std::int32_t> rows = table.rows(ngrams.values);
  RuleNgrams found;
  const auto lock = table.lock();
  for (const std::int32_t r : ngrams.ids()) {
    for (const std::int32_t i : ngrams.places(r)) table.append(rows[i], found.values);
    found.close();
  }
  return found;
}

std::size_t NgramScorer::state_size() const { return size_of_state(table_->options().order); }

std::unique_ptr<SentenceScorer> NgramScorer::begin(const Forest& forest,
                                                   const double* weights) const {
  return std::make_unique<NgramSentence>(*table_, strings_, forest, weights);
}

}  // namespace hopefear
