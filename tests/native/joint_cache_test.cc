

#include "scorers/joint_model.h"
#include "trigram_network.h"

namespace {

using LessonWords = std::vector<std::string>;

struct Lesson {
  LessonWords source, target;
  std::vector<std::int32_t> affiliations;
};

// The network lacks p and q, and all source words.
Lesson random_lesson(std::mt19937& draw) {
  Lesson lesson;
  const auto fill = [&](LessonWords& words, const std::string& letters) {
    for (std::size_t n = 1 + draw() % 4; n > 0; --n)
      words.emplace_back(1, letters[draw() % letters.size()]);
  };
  fill(lesson.source, "abc");
  fill(lesson.target, "uvwpq");
  for (std::size_t i = 0; i < lesson.target.size(); ++i)
    lesson.affiliations.push_back(static_cast<std::int32_t>(draw() % lesson.source.size()));
  return lesson;
}

void add(JointCache& cache, std::int32_t number, const Lesson& lesson) {
  cache.add(number, lesson.source, lesson.target, lesson.affiliations);
}
std::vector<float> gains(const JointCache& cache, const Lesson& lesson) {
  return cache.gains(lesson.source, lesson.target, lesson.affiliations);
}

// The definition. The last layer is 1 for each of the two words before, so that the cosine of two
// layers is half the number of words that are the same.
class CacheByHand {
 public:
  CacheByHand(const TrigramNetwork& network, bool right_to_left, JointCacheOptions options)
      : network_(network), right_to_left_(right_to_left), options_(options) {}

  void add(const Lesson& lesson) {
    for (const Entry& entry : entries_of(lesson)) entries_.push_back(entry);
  }

  std::vector<double> gains(const Lesson& lesson) const {
    std::vector<double> found;
    for (const Entry& asked : entries_of(lesson)) {
      std::vector<Entry> alike;
      for (const Entry& entry : entries_)
        if (entry.source == asked.source) alike.push_back(entry);
      if (alike.size() > options_.most)
        alike.erase(alike.begin(), alike.end() - static_cast<std::ptrdiff_t>(options_.most));
      const double log = network_.log_probability(asked.before, asked.last, number(asked.word));
      double own = options_.prior * std::exp(log), all = options_.prior;
      for (const Entry& entry : alike) {
        const int same = (entry.before == asked.before) + (entry.last == asked.last);
        const double count = std::exp(options_.sharpness * (same / 2.0 - 1));
        all += count;
        if (entry.word == asked.word) own += count;
      }
      found.push_back(std::log(own / all) - log);
    }
    return found;
  }

 private:
  struct Entry {
    std::string source, word;
    int before, last;
  };

  static int number(const std::string& word) {
    return word == "</s>" ? 2 : TrigramNetwork::number(word);
  }
  std::vector<Entry> entries_of(const Lesson& lesson) const {
    LessonWords target = lesson.target, sources;
    for (const std::int32_t at : lesson.affiliations)
      sources.push_back(lesson.source[static_cast<std::size_t>(at)]);
    if (right_to_left_) {
      std::ranges::reverse(target);
      std::ranges::reverse(sources);
    }
    target.emplace_back("</s>");
    sources.emplace_back(right_to_left_ ? "<s>" : "</s>");
    std::vector<Entry> entries;
    int before = 1, last = 1;
    for (std::size_t i = 0; i < target.size(); ++i) {
      entries.push_back({sources[i], target[i], before, last});
      before = std::exchange(last, number(target[i]));
    }
    return entries;
  }

  const TrigramNetwork& network_;
  bool right_to_left_;
  JointCacheOptions options_;
  std::vector<Entry> entries_;
};

struct Model {
  TrigramNetwork numbers;
  TemporaryFile file;
  std::shared_ptr<const JointNetwork> network;
  explicit Model(unsigned seed, bool right_to_left = false)
      : numbers(seed, right_to_left),
        file(numbers.file()),
        network(std::make_shared<const JointNetwork>(file.path())) {}
};

}  // namespace

TEST(a_joint_cache_adds_what_its_definition_says) {
  for (unsigned seed = 0; seed < 6; ++seed) {
    const bool right_to_left = seed % 2 == 1;
    const Model model(seed, right_to_left);
    const JointCacheOptions options{0.3f, seed < 2 ? 30.0f : 3.0f, seed < 4 ? 30u : 3u};
    JointCache cache(model.network, options), never(model.network, options);
    CacheByHand by_hand(model.numbers, right_to_left, options);
    std::mt19937 draw(seed);
    std::vector<Lesson> lessons;
    for (std::int32_t i = 0; i < 30; ++i) {
      lessons.push_back(random_lesson(draw));
      add(cache, i, lessons.back());
      if (i % 3 == 0) continue;
      add(never, i, lessons.back());
      by_hand.add(lessons.back());
    }
    for (std::int32_t i = 0; i < 30; i += 3) cache.remove(i);
    for (int i = 0; i < 10; ++i) lessons.push_back(random_lesson(draw));
    for (const Lesson& lesson : lessons) {
      const std::vector<float> found = gains(cache, lesson);
      CHECK(found == gains(never, lesson));
      const std::vector<double> expected = by_hand.gains(lesson);
      CHECK_EQUAL(found.size(), expected.size());
      for (std::size_t i = 0; i < expected.size(); ++i) CHECK_NEAR(found[i], expected[i], 1e-4);
    }
  }
}

TEST(words_that_the_network_lacks_have_numbers_while_a_joint_cache_has_them) {
  const Model model(1);
  JointCache cache(model.network, {});
  const JointCache::Word unknown = JointNetwork::kUnknown;
  CHECK_EQUAL(cache.word("p"), unknown);
  CHECK_EQUAL(cache.word("u"), TrigramNetwork::number("u"));
  const LessonWords source{"a"}, p{"p"}, pq{"p", "q"};
  cache.add(1, source, p, std::vector{0});
  cache.add(2, source, pq, std::vector{0, 0});
  const JointCache::Word first = cache.word("p"), second = cache.word("q");
  CHECK(first < unknown && second < unknown && first != second);
  CHECK_EQUAL(JointCache::network_word(first), unknown);
  CHECK_EQUAL(JointCache::network_word(cache.word("u")), TrigramNetwork::number("u"));
  CHECK_EQUAL(cache.word("r"), unknown);
  cache.remove(2);
  CHECK_EQUAL(cache.word("p"), first);
  CHECK_EQUAL(cache.word("q"), unknown);
  cache.remove(1);
  CHECK_EQUAL(cache.word("p"), unknown);
}

// All source words are the same, so that affiliations do not matter.
TEST(every_derivation_has_what_a_joint_cache_adds_to_its_text) {
  const std::string grammar =
      "[X] ||| a ||| u ||| f=0.5\n"
      "[X] ||| a ||| q ||| f=-0.25\n"
      "[X] ||| a a ||| p q ||| f=0.25\n"
      "[X] ||| a a ||| w p ||| f=-1\n"
      "[X] ||| a [X,1] ||| [1] p ||| f=0.75\n"
      "[X] ||| [X,1] a [X,2] ||| [2] r [1] ||| f=0.125\n";
  for (unsigned seed = 0; seed < 4; ++seed) {
    Toy toy({}, grammar);
    const FeatureId feature = toy.weights->intern("JointModel");
    const FeatureId cached = toy.weights->intern("PostEditJointModel");
    toy.weights->data()[feature] = 0.8;
    toy.weights->data()[cached] = 0.5;
    const Model model(seed, seed % 2 == 1);
    const auto plain = load_joint_model(model.file.path(), feature, toy.engine.vocabulary());
    const auto cache = std::make_shared<JointCache>(network_of(*plain), JointCacheOptions{});
    const auto scorer = cached_joint_model(plain, cache, cached);
    std::mt19937 draw(seed);
    for (std::int32_t i = 0; i < 20; ++i) add(*cache, i, random_lesson(draw));
    for (const char* text : {"a", "a a a", "a a a a a"}) {
      for_each_rescored(toy, *scorer, {text}, [&](const Forest& forest, const Derivation& d) {
        const std::string target = text_of(forest, d);
        Lesson read{words_of(text), words_of(target), {}};
        read.affiliations.assign(read.target.size(), 0);
        const std::vector<float> expected = gains(*cache, read);
        CHECK_NEAR(value_of(forest, d, cached),
                   std::accumulate(expected.begin(), expected.end(), 0.0), 1e-4);
        CHECK_NEAR(value_of(forest, d, feature), model.numbers.log_probability(target), 1e-4);
      });
    }
  }
}

TEST(a_joint_cache_refuses_what_it_cannot_use) {
  const Model model(1);
  for (const JointCacheOptions wrong :
       {JointCacheOptions{0, 30, 30}, JointCacheOptions{0.3f, -1, 30},
        JointCacheOptions{0.3f, 30, 0}})
    CHECK_THROWS(JointCache(model.network, wrong), std::invalid_argument);
  JointCache cache(model.network, {});
  const LessonWords source{"a"}, target{"u", "v"};
  for (const std::vector<std::int32_t>& wrong :
       {std::vector{0}, std::vector{0, 1}, std::vector{-1, 0}})
    CHECK_THROWS(cache.add(1, source, target, wrong), std::invalid_argument);
}
