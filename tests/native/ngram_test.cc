#include <map>

#include "plugins/ngram_scorer.h"
#include "toy.h"

// Weights of n-grams: from the letters of their names.
static double weight_of(const std::string& name) {
  return std::accumulate(name.begin(), name.end(), 0) % 7 / 4.0 - 0.75;
}

// n-grams of target words, with weights of their own.
class NgramModel {
 public:
  NgramModel(int order, bool boundaries, std::vector<std::string> prefixes = {}, int begins = 1)
      : table_(std::make_shared<NgramTable>(
            NgramOptions{order, boundaries, "n:", {}, "_", prefixes, begins}, 1,
            [this](const std::vector<std::string>& names) {
              std::vector<FeatureId> ids;
              for (const std::string& name : names) {
                ids.push_back(toy.weights->intern(name));
                toy.weights->data()[ids.back()] = weight_of(name);
              }
              return ids;
            })),
        strings_(toy.engine.base().lasting_size()),
        features_(toy.engine.base().lasting_size()),
        order_(static_cast<std::size_t>(order)),
        boundaries_(boundaries),
        prefixes_(std::move(prefixes)),
        begins_(begins) {}

  // Adds the n-grams within rules; gives the scorer of the others.
  NgramScorer begin(Forest& forest) {
    const std::vector<std::int32_t> missing = strings_.missing(forest);
    RuleStrings answer;
    for (const std::int32_t local : missing) {
      std::vector<std::int32_t> string;
      for (const Symbol s : forest.rule_space->rule(forest.rules[local]).target) {
        const std::string_view text = s > 0 ? forest.vocabulary->words->text(s) : "";
        string.push_back(s > 0 ? table_->unit({&text, 1}) : s - 1);
      }
      answer.add(string);
    }
    const RuleNgrams found = ngrams_in_rules(*table_, answer);
    std::vector<std::int32_t> columns(found.values.size());
    std::iota(columns.begin(), columns.end(), 0);
    const std::vector<double> ones(columns.size(), 1.0);
    const FeatureRows rows{found.values, found.begin, columns, ones, {}};
    features_.attach(forest, missing, {&rows, 1});
    forest.reweight(*toy.weights);
    return {table_, strings_.attach(forest, missing, answer)};
  }

  // What should fire on a translation.
  std::map<std::string, double> count(const std::string& text) const {
    const auto words = words_of(boundaries_ ? "<s> " + text + " </s>" : text);
    std::map<std::string, double> counts;
    if (!prefixes_.empty()) {
      // All k-grams that end at each word, or at the n-th and later ones of a string as it is.
      const std::size_t words_before = boundaries_ ? 1 : order_ - 1;
      for (std::size_t end = words_before; end < words.size(); ++end) {
        for (std::size_t k = 1; k <= order_ && k <= end + 1; ++k) {
          if (boundaries_ && k == end + 1 && begins_ == 0) continue;  // with <s>
          std::string name = words[end];
          for (std::size_t i = 1; i < k; ++i) name.insert(0, words[end - i] + "_");
          ++counts["n:" + prefixes_[k - 1] + name];
        }
      }
      return counts;
    }
    for (std::size_t i = 0; i + order_ <= words.size(); ++i) {
      std::string name = "n:" + words[i];
      for (std::size_t k = 1; k < order_; ++k) name += "_" + words[i + k];
      ++counts[name];
    }
    return counts;
  }

  void check(const Forest& forest, const Derivation& d) const {
    std::map<std::string, double> fired;
    for (const auto& [feature, value] : features(forest, d)) {
      const std::string name = toy.weights->name(feature);
      if (name.starts_with("n:")) fired[name] = value;
    }
    CHECK(fired == count(text_of(forest, d)));
    CHECK_NEAR(toy.weighted(forest, d), score(forest, d), 1e-5);
  }

  Toy toy;

 private:
  std::shared_ptr<NgramTable> table_;
  RuleStringCache strings_;
  RuleFeatureCache features_;
  std::size_t order_;
  bool boundaries_;
  std::vector<std::string> prefixes_;
  int begins_;
};

// Scores as another scorer does, but in batches, and leaves numbers of edges as marks.
class InBatches final : public StatefulScorer {
 public:
  explicit InBatches(const NgramScorer& inner) : inner_(inner) {}

  std::size_t state_size() const override { return inner_.state_size(); }
  bool leaves_marks() const override { return true; }
  bool wants_batches() const override { return true; }
  std::unique_ptr<SentenceScorer> begin(const Forest& forest,
                                        const double* weights) const override {
    return std::make_unique<Sentence>(inner_.begin(forest, weights));
  }
  static inline std::size_t largest = 0;

 private:
  class Sentence final : public SentenceScorer {
   public:
    explicit Sentence(std::unique_ptr<SentenceScorer> inner) : inner_(std::move(inner)) {}
    double estimate(LocalRule rule) const override { return inner_->estimate(rule); }
    double score(const ScoredEdge& edge, MarkValues& marks) const override {
      MarkValues of_inner;
      const double sum = inner_->score(edge, of_inner);
      marks.push_back(of_inner_.add(of_inner));
      return sum;
    }
    void score_batch(std::span<const ScoredEdge> edges, std::span<double> scores,
                     MarkValues& marks) const override {
      largest = std::max(largest, edges.size());
      SentenceScorer::score_batch(edges, scores, marks);
    }
    std::uint64_t hash(const std::byte* state) const override { return inner_->hash(state); }
    bool equal(const std::byte* a, const std::byte* b) const override {
      return inner_->equal(a, b);
    }
    void fire(const IdVector<EdgeId, EdgeId>& edges, const Marks& marks,
              Forest& out) const override {
      Marks of_inner;
      for (const EdgeId e : edges.ids()) {
        CHECK_EQUAL(marks[e].size(), 1u);
        of_inner.add(of_inner_[marks[e][0]]);
      }
      inner_->fire(edges, of_inner, out);
    }

   private:
    std::unique_ptr<SentenceScorer> inner_;
    mutable IdVector<std::int32_t, MarkValues> of_inner_;
  };

  const NgramScorer& inner_;
};

TEST(every_derivation_has_its_ngrams) {
  for (const int order : {1, 2, 3, 5}) {
    for (const bool boundaries : {false, true}) {
      NgramModel f(order, boundaries);
      for (const char* text : {"a", "a b c", "c b a b", "a b c b a c", "a"}) {
        const std::shared_ptr<Forest> source = f.toy.parse(text);
        const NgramScorer scorer = f.begin(*source);
        const InBatches batched(scorer);
        for (const StatefulScorer* way : {static_cast<const StatefulScorer*>(&scorer),
                                          static_cast<const StatefulScorer*>(&batched)}) {
          const auto rescored = f.toy.rescored(source, *way);
          CHECK_EQUAL(rescored->paths(), source->paths());
          for (const Derivation& d : all_derivations(*rescored)) f.check(*rescored, d);
        }
      }
    }
  }
  CHECK(InBatches::largest > 10);
}

TEST(shorter_ngrams_end_where_ngrams_end) {
  for (const int order : {1, 2, 3, 4}) {
    for (const auto& [boundaries, begins] : {std::pair(true, 1), {true, 0}, {false, 0}}) {
      const std::vector<std::string> prefixes{"U:", "B:", "T:", "4:"};
      NgramModel f(order, boundaries, {prefixes.begin(), prefixes.begin() + order}, begins);
      for (const char* text : {"a", "a b c", "a b c b a c"}) {
        const std::shared_ptr<Forest> source = f.toy.parse(text);
        const auto rescored = f.toy.rescored(source, f.begin(*source));
        for (const Derivation& d : all_derivations(*rescored)) f.check(*rescored, d);
      }
    }
  }
}

TEST(a_limited_search_in_batches_is_about_as_good) {
  NgramModel f(2, true);
  const std::shared_ptr<Forest> source = f.toy.parse("a b c b a c b a");
  const NgramScorer scorer = f.begin(*source);
  const InBatches batched(scorer);
  const auto exact = f.toy.rescored(source, scorer);
  for (const auto& limited :
       {f.toy.rescored(source, scorer, 100), f.toy.rescored(source, batched, 100)}) {
    CHECK_NEAR(score(*limited, viterbi(*limited)), score(*exact, viterbi(*exact)), 0.5);
    f.check(*limited, viterbi(*limited));
  }
}

TEST(wrong_orders_patterns_and_units) {
  const auto numbering = [](const std::vector<std::string>& names) {
    return std::vector<FeatureId>(names.size());
  };
  const auto make = [&](int order, std::vector<std::vector<int>> patterns) {
    return NgramTable(NgramOptions{order, false, "", std::move(patterns)}, 2, numbering);
  };
  CHECK_THROWS(make(0, {}), std::invalid_argument);
  CHECK_THROWS(make(6, {}), std::invalid_argument);
  CHECK_THROWS(make(2, {{0}}), std::invalid_argument);
  CHECK_THROWS(make(2, {{0, 2}}), std::invalid_argument);
  const NgramOptions one_prefix{2, false, "", {}, "_", {"U:"}, 1};
  CHECK_THROWS(NgramTable(one_prefix, 2, numbering), std::invalid_argument);
  const std::string_view one[] = {"a"}, empty[] = {"a", ""}, spaced[] = {"a b", "c"};
  NgramTable table(NgramOptions{2, false, "", {{0, 1}}}, 2, numbering);
  CHECK_THROWS(table.unit(one), std::invalid_argument);
  CHECK_THROWS(table.unit(empty), std::invalid_argument);
  CHECK_THROWS(table.unit(spaced), std::invalid_argument);
}
