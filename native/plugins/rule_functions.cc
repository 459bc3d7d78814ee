#include "plugins/rule_functions.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace hopefear {
namespace {

constexpr double kPenalty = -1.0 / std::numbers::ln10;

class WordPenalty final : public RuleFunction {
 public:
  WordPenalty(FeatureId feature, bool of_source) : feature_(feature), of_source_(of_source) {}
  void fire(const Forest&, const Rule& rule, std::span<const Symbol> source,
            std::vector<FeatureId>& features, std::vector<double>& values) const override {
    const auto words =
        std::ranges::count_if(of_source_ ? source : rule.target, [](Symbol s) { return s > 0; });
    if (words == 0) return;
    features.push_back(feature_);
    values.push_back(kPenalty * static_cast<double>(words));
  }

 private:
  FeatureId feature_;
  bool of_source_;
};

class UnknownWords final : public RuleFunction {
 public:
  UnknownWords(std::shared_ptr<const LanguageModel> model, FeatureId feature)
      : model_(std::move(model)), feature_(feature) {}
  const WatchedFile* file() const override { return model_->file(); }
  void fire(const Forest& forest, const Rule& rule, std::span<const Symbol>,
            std::vector<FeatureId>& features, std::vector<double>& values) const override {
    const auto unknown = std::ranges::count_if(
        rule.target, [&](Symbol s) { return s > 0 && model_->is_unknown(s, *forest.vocabulary); });
    if (unknown == 0) return;
    features.push_back(feature_);
    values.push_back(static_cast<double>(unknown));
  }

 private:
  std::shared_ptr<const LanguageModel> model_;
  FeatureId feature_;
};

}  // namespace

std::shared_ptr<RuleFunction> make_rule_function(const std::string& name, Weights& weights) {
  if (name == "WordPenalty") return std::make_shared<WordPenalty>(weights.intern(name), false);
  if (name == "SourceWordPenalty") return std::make_shared<WordPenalty>(weights.intern(name), true);
  return nullptr;
}

std::shared_ptr<RuleFunction> make_unknown_words(std::shared_ptr<const LanguageModel> model,
                                                 FeatureId feature) {
  return std::make_shared<UnknownWords>(std::move(model), feature);
}

namespace {

FeatureLayer layer_of(const Forest& forest, std::span<const RuleFunction* const> functions) {
  FeatureLayer layer;
  layer.item = FeatureLayer::Item::kLocalRule;
  std::vector<Symbol> source;
  std::vector<FeatureId> features;
  std::vector<double> values;
  for (const std::uint32_t id : forest.rules) {
    const RuleSpace::Place place = forest.rule_space->find(id);
    const Rule rule = place.grammar->rule(place.rule);
    place.grammar->source(place.rule, source);
    features.clear();
    values.clear();
    // The goal's own edge is cdec's business, not a rule of the grammar.
    if (id != forest.goal_rule) {
      for (const RuleFunction* function : functions)
        function->fire(forest, rule, source, features, values);
    }
    layer.features.insert(layer.features.end(), features.begin(), features.end());
    layer.values.insert(layer.values.end(), values.begin(), values.end());
    layer.row.push_back(layer.close());
  }
  return layer;
}

}  // namespace

void add_rule_functions(Forest& forest, std::span<const RuleFunction* const> functions) {
  std::vector<const WatchedFile*> files;
  for (const RuleFunction* const function : functions) {
    if (function->file() != nullptr) files.push_back(function->file());
  }
  forest.layers.push_back(reading(files, [&] { return layer_of(forest, functions); }));
}

}  // namespace hopefear
