// cdec's stateless feature functions of a rule.
#pragma once

#include "scorers/language_model.h"

namespace hopefear {

class RuleFunction {
 public:
  virtual ~RuleFunction() = default;
  // What it reads through memory, inside reading().
  virtual const WatchedFile* file() const { return nullptr; }
  // Fills features and values of one rule; both come empty.
  virtual void fire(const Forest& forest, const Rule& rule, std::span<const Symbol> source,
                    std::vector<FeatureId>& features, std::vector<double>& values) const = 0;
};

// "WordPenalty" or "SourceWordPenalty"; nullptr for any other name.
std::shared_ptr<RuleFunction> make_rule_function(const std::string& name, Weights& weights);

// Counts the target words that a model does not know.
std::shared_ptr<RuleFunction> make_unknown_words(std::shared_ptr<const LanguageModel> model,
                                                 FeatureId feature);

// Adds one layer for all functions to a translation forest.
void add_rule_functions(Forest& forest, std::span<const RuleFunction* const> functions);

}  // namespace hopefear
