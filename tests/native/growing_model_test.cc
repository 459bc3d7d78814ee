#include "scorers/growing_model.h"

#include <random>

#include "toy.h"

static void add_line(GrowingModel& model, const std::string& text) {
  const std::vector<std::string> words = words_of(text);
  model.add(words, std::vector<double>(words.size() + 1, -1.5));
}

// Word by word, without a forest.
static double score_of_text(const GrowingModel& model, const std::string& text) {
  double sum = 0;
  GrowingModel::Context context = model.begin();
  for (const std::string& word : words_of(text)) {
    const GrowingModel::Step step = model.step(context, model.find(word));
    sum += double{step.score};
    context = step.next;
  }
  return sum + double{model.step(context, model.end()).score};
}

TEST(every_derivation_has_the_score_of_its_text_by_a_growing_model) {
  for (int order = 1; order <= GrowingModelOptions::kMostOrder; ++order) {
    Toy toy;
    const FeatureId feature = toy.weights->intern("Growing");
    toy.weights->data()[feature] = 0.8;
    const auto model = std::make_shared<GrowingModel>(GrowingModelOptions{order, 0.75, order != 2});
    const GrowingModelScorer scorer(model, feature);
    for (const char* line : {"u w v u", "v w w", "", "w u u w v w u", "w", "u w v w"}) {
      add_line(*model, line);
      for_each_rescored(toy, scorer, {"a", "a b c", "c b a b", "a b c b a c"},
                        [&](const Forest& forest, const Derivation& d) {
                          CHECK_NEAR(value_of(forest, d, feature),
                                     score_of_text(*model, text_of(forest, d)), 1e-4);
                        });
    }
  }
}

TEST(a_growing_model_without_its_sentences_scores_nothing) {
  std::mt19937 draw(1);
  for (int order = 1; order <= GrowingModelOptions::kMostOrder; ++order) {
    GrowingModel model({order, 0.5, true});
    std::vector<std::string> lines;
    for (int i = 0; i < 50; ++i) {
      std::string line;
      for (unsigned k = draw() % 6; k > 0; --k) line += std::string(1, "uvwx"[draw() % 4]) + " ";
      add_line(model, line);
      lines.push_back(line);
    }
    CHECK(std::abs(score_of_text(model, "u v w")) > 0.01);
    for (const std::string& line : lines) model.remove(words_of(line));
    CHECK_NEAR(score_of_text(model, "u v w"), 0, 1e-9);
  }
}
