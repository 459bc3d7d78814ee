#include "optimise/upper_envelope.h"

#include <random>

#include "optimise/forest_envelope.h"
#include "toy.h"

namespace {

double at(const Lines& lines, std::size_t i, double x) {
  return lines.intercept[i] + x * lines.slope[i];
}

double highest(const Lines& lines, double x) {
  double best = -kInfinity;
  for (std::size_t i = 0; i < lines.size(); ++i) best = std::max(best, at(lines, i, x));
  return best;
}

// A point inside each piece: half way between two boundaries, or 1 behind the last.
std::vector<double> points(const std::vector<double>& start) {
  std::vector<double> found;
  for (std::size_t p = 0; p < start.size(); ++p) {
    const double begin = p == 0 ? (start.size() > 1 ? start[1] - 2 : -1) : start[p];
    const double end = p + 1 < start.size() ? start[p + 1] : begin + 2;
    found.push_back((begin + end) / 2);
  }
  return found;
}

void check_envelope(const Lines& lines, const Envelope& envelope) {
  CHECK_EQUAL(envelope.line.size(), envelope.start.size());
  CHECK_EQUAL(envelope.start.front(), -kInfinity);
  CHECK(std::ranges::is_sorted(envelope.start, std::less_equal<>{}));
  const std::vector<double> inside = points(envelope.start);
  for (std::size_t p = 0; p < inside.size(); ++p) {
    CHECK_NEAR(at(lines, envelope.line[p], inside[p]), highest(lines, inside[p]), 1e-9);
  }
  for (double x = -30; x <= 30; x += 0.37) {
    const auto piece = std::ranges::upper_bound(envelope.start, x) - envelope.start.begin() - 1;
    const std::size_t line = envelope.line[piece];
    CHECK_NEAR(at(lines, line, x), highest(lines, x), 1e-9);
  }
}

struct Random {
  std::vector<double> slope, intercept;

  // Whole numbers make ties, and lines that meet in one point.
  Random(std::mt19937& random, std::size_t n, bool whole) {
    std::normal_distribution<double> normal;
    std::uniform_int_distribution<int> die(-4, 4);
    for (std::size_t i = 0; i < n; ++i) {
      slope.push_back(whole ? die(random) : normal(random));
      intercept.push_back(whole ? die(random) : normal(random));
    }
  }
  Lines lines() const { return {slope, intercept}; }
};

}  // namespace

TEST(the_envelope_is_the_maximum) {
  std::mt19937 random(1);
  EnvelopeFinder finder;
  Envelope envelope;
  for (int trial = 0; trial < 600; ++trial) {
    const Random drawn(random, 1 + random() % (trial % 20 == 0 ? 400 : 12), trial % 2 == 0);
    finder.find(drawn.lines(), envelope);
    check_envelope(drawn.lines(), envelope);
  }
}

TEST(of_equal_lines_the_first_is_on_top_and_lines_that_touch_have_no_piece) {
  const std::vector<double> slope{0, 1, -1, 1, 0}, intercept{0, 0, 0, 0, -3};
  Envelope envelope;
  EnvelopeFinder().find({slope, intercept}, envelope);
  CHECK(envelope.line == (std::vector<std::uint32_t>{2, 1}));
  CHECK(envelope.start == (std::vector<double>{-kInfinity, 0}));
  EnvelopeFinder().find({}, envelope);
  CHECK(envelope.line.empty());
}

TEST(lines_that_are_parallel_but_for_rounding_keep_the_highest) {
  std::vector<double> slope, intercept;
  for (int i = 0; i < 50; ++i) {
    slope.push_back(0.3 + (i % 3) * 1e-16);
    intercept.push_back(-0.01 * i);
  }
  intercept[17] = 1;
  Envelope envelope;
  EnvelopeFinder().find({slope, intercept}, envelope);
  const auto piece = std::ranges::upper_bound(envelope.start, 0.0) - envelope.start.begin() - 1;
  CHECK_EQUAL(envelope.line[piece], 17U);
}

TEST(lines_that_cross_at_infinity_only_keep_the_highest) {
  const std::vector<double> slope{0, 1e-310, 2e-310}, intercept{0, 5, 1};
  Envelope envelope;
  EnvelopeFinder().find({slope, intercept}, envelope);
  CHECK(envelope.line == (std::vector<std::uint32_t>{1}));
}

TEST(many_lines_on_top_are_all_found) {
  std::vector<double> slope, intercept;  // tangents of a parabola, ever closer
  for (int i = 0; i < 3000; ++i) {
    const double x = std::pow(0.99, i);
    slope.push_back(2 * x);
    intercept.push_back(-x * x);
  }
  Envelope envelope;
  EnvelopeFinder().find({slope, intercept}, envelope);
  CHECK(envelope.line.size() > 2900);
  CHECK(std::ranges::is_sorted(envelope.line, std::greater<>{}));
}

TEST(a_sweep_adds_up_what_is_on_top) {
  std::mt19937 random(2);
  constexpr std::size_t kWidth = 3;
  for (int trial = 0; trial < 200; ++trial) {
    std::vector<std::int64_t> begin{0};
    for (int g = 0; g < 4; ++g) begin.push_back(begin.back() + random() % 7);  // empty ones too
    const auto n = static_cast<std::size_t>(begin.back());
    const Random drawn(random, n, trial % 2 == 0);
    std::vector<double> statistics(n * kWidth);
    for (double& s : statistics) s = static_cast<double>(random() % 3);
    const Sweep found = sweep(drawn.lines(), begin, statistics, kWidth);
    CHECK_EQUAL(found.sums.size(), (found.boundary.size() + 1) * kWidth);
    CHECK(std::ranges::is_sorted(found.boundary, std::less_equal<>{}));

    std::vector<double> start{-kInfinity};
    start.insert(start.end(), found.boundary.begin(), found.boundary.end());
    for (double x = -9.013; x <= 9; x += 0.217) {  // on no crossing of lines of whole numbers
      const auto piece = std::ranges::upper_bound(start, x) - start.begin() - 1;
      for (std::size_t k = 0; k < kWidth; ++k) {
        double expected = 0;
        for (std::size_t g = 0; g + 1 < begin.size(); ++g) {
          auto best = static_cast<std::size_t>(begin[g]);
          if (begin[g] == begin[g + 1]) continue;
          for (auto i = best; i < static_cast<std::size_t>(begin[g + 1]); ++i) {
            if (at(drawn.lines(), i, x) > at(drawn.lines(), best, x) + 1e-12) best = i;
          }
          expected += statistics[best * kWidth + k];
        }
        CHECK_EQUAL(found.sums[static_cast<std::size_t>(piece) * kWidth + k], expected);
      }
    }
    for (std::size_t p = 0; p < found.boundary.size(); ++p) {
      CHECK(!std::equal(&found.sums[p * kWidth], &found.sums[p * kWidth] + kWidth,
                        &found.sums[(p + 1) * kWidth]) ||
            trial % 2 == 0);
    }
  }
}

TEST(a_sweep_refuses_lines_that_are_not_finite) {
  const std::vector<double> slope{0, kInfinity}, intercept{0, 0}, statistics{1, 2};
  const std::vector<std::int64_t> begin{0, 2};
  CHECK_THROWS(sweep({slope, intercept}, begin, statistics, 1), std::invalid_argument);
  const std::vector<double> none{0, std::nan("")};
  CHECK_THROWS(sweep({intercept, none}, begin, statistics, 1), std::invalid_argument);
}

TEST(the_envelope_of_a_forest_is_that_of_its_derivations) {
  const Toy toy;
  std::mt19937 random(3);
  std::normal_distribution<double> normal;
  for (const char* text : {"a", "a b c", "a b c a", "c a b a c"}) {
    const auto forest = toy.parse(text);
    const std::vector<Derivation> all = all_derivations(*forest);
    for (int trial = 0; trial < 10; ++trial) {
      std::vector<double> weights(toy.weights->size()), direction(weights.size());
      for (double& w : weights) w = normal(random);
      for (double& d : direction) d = normal(random);
      std::vector<double> slope, intercept;
      for (const Derivation& derivation : all) {
        slope.push_back(0);
        intercept.push_back(0);
        for (const auto& [feature, value] : features(*forest, derivation)) {
          slope.back() += direction[feature] * value;
          intercept.back() += weights[feature] * value;
        }
      }
      const ForestEnvelope found = forest_envelope(*forest, weights, direction);
      CHECK(!found.start.empty());
      const std::vector<double> inside = points(found.start);
      for (std::size_t p = 0; p < inside.size(); ++p) {
        const auto place = std::ranges::find(all, found.derivation[p]) - all.begin();
        CHECK(place < std::ssize(all));
        const auto i = static_cast<std::size_t>(place);
        CHECK_NEAR(slope[i], found.slope[p], 1e-12);
        CHECK_NEAR(intercept[i], found.intercept[p], 1e-12);
        CHECK_NEAR(at({slope, intercept}, i, inside[p]), highest({slope, intercept}, inside[p]),
                   1e-9);
      }
    }
  }
}

TEST(an_edge_whose_score_is_not_finite_is_refused) {
  const Toy toy;
  const auto forest = toy.parse("a b");
  const std::vector<double> weights(toy.weights->size(), kInfinity), direction(weights.size(), 1);
  CHECK_THROWS(forest_envelope(*forest, weights, direction), std::invalid_argument);
}
