// The feature function that cdec loads: feature_function=External libhopefear_bridge.so --config
// plugins.ini
#include <cstring>
#include <iterator>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "cdec.h"
#include "session.h"

namespace hopefear {
namespace {

// Fires what the plugins fire: what is known of the edges before the search, or else what they
// answer. Answers are kept: a rule's for as long as its grammar lives, those on spans and with
// states for the sentence. Of these one edge comes many times, since cube pruning scores it with
// each derivation below.
class Bridge : public FeatureFunction {
 public:
  explicit Bridge(const std::string& arguments)
      : session_(arguments), score_feature_(FD::Convert("HopefearPlugins")) {
    if (session_.has_states()) {
      SetStateSize(sizeof(NodeState));
    } else if (session_.has_edge_features()) {
      SetStateSize(sizeof(NodeSpan));
    }
  }

  ~Bridge() override {
    const PythonLock lock;
    rules_.clear();
  }

  void PrepareForInput(const SentenceMetadata& sentence) override {
    on_span_.clear();
    joined_.clear();
    finished_.clear();
    ForgetRules();
    for (const auto& [feature, weight] : session_.Begin(sentence, ahead_)) {
      if (weights_.size() <= static_cast<std::size_t>(feature)) weights_.resize(2 * feature + 1);
      weights_[feature] = weight;
    }
  }

  void FinalTraversalFeatures(const void* state, SparseVector<double>* features) const override {
    if (!session_.has_states()) return;
    NodeState tail;
    std::memcpy(&tail, state, sizeof tail);
    const auto [place, is_new] = finished_.try_emplace(tail.number);
    if (is_new) place->second = session_.Finish(tail);
    Add(place->second, features);
  }

 protected:
  void TraversalFeaturesImpl(const SentenceMetadata&, const HG::Edge& edge,
                             const std::vector<const void*>& tail_states,
                             SparseVector<double>* features, SparseVector<double>*,
                             void* state) const override {
    if (StateSize() == 0) {
      const ParsedAhead::Fired* const fired = ahead_.Find(*edge.rule_);
      fired != nullptr ? Add(*fired, features) : Add(Known(edge.rule_).features, features);
      return;
    }
    NodeState head{{edge.i_, edge.j_}, 0};
    std::vector<NodeState>& tails = tails_;
    tails.assign(tail_states.size(), {});  // without numbers if there are no states
    for (std::size_t k = 0; k < tails.size(); ++k)
      std::memcpy(&tails[k], tail_states[k], static_cast<std::size_t>(StateSize()));
    if (const ParsedAhead::Fired* const fired = ahead_.Find(*edge.rule_, head.span, tails)) {
      Add(*fired, features);
    } else {
      const Session::Rule& rule = Known(edge.rule_);
      Add(rule.features, features);
      if (session_.has_edge_features()) Add(OnSpan(rule, head.span, tails), features);
      if (session_.has_states()) {
        const Session::Joined& joined = Join(rule, head.span, tails);
        Add(joined.features, features);
        head.number = joined.state;
      }
    }
    std::memcpy(state, &head, static_cast<std::size_t>(StateSize()));
  }

 private:
  template <class Fired>
  void Add(const Fired& fired, SparseVector<double>* features) const {
    double score = 0;
    for (const auto& [feature, value] : fired) {
      features->add_value(feature, value);
      if (static_cast<std::size_t>(feature) < weights_.size()) score += value * weights_[feature];
    }
    if (session_.is_live() && score != 0) features->add_value(score_feature_, score);
  }

  const Session::Rule& Known(const TRulePtr& rule) const {
    const auto found = rules_.find(rule.get());
    return found != rules_.end() ? found->second
                                 : rules_.emplace(rule.get(), session_.AddRule(rule)).first->second;
  }

  const Features& OnSpan(const Session::Rule& rule, NodeSpan span,
                         const std::vector<NodeState>& tails) const {
    std::string key = Key(rule, span);
    for (const NodeState& tail : tails) Append(tail.span, key);
    const auto [place, is_new] = on_span_.try_emplace(std::move(key));
    if (is_new) place->second = session_.OnSpan(rule, span, tails);
    return place->second;
  }

  const Session::Joined& Join(const Session::Rule& rule, NodeSpan span,
                              const std::vector<NodeState>& tails) const {
    std::string key = Key(rule, span);
    for (const NodeState& tail : tails) Append(tail, key);
    const auto [place, is_new] = joined_.try_emplace(std::move(key));
    if (is_new) place->second = session_.Join(rule, span, tails);
    return place->second;
  }

  static std::string Key(const Session::Rule& rule, NodeSpan span) {
    std::string key;
    Append(rule.number, key);
    Append(span, key);
    return key;
  }

  // Drops the rules that are in no grammar any more, such as those of the last sentence's own
  // grammar.
  void ForgetRules() {
    const PythonLock lock;
    for (auto place = rules_.begin(); place != rules_.end();) {
      place = place->second.held.use_count() > 1 ? std::next(place) : rules_.erase(place);
    }
  }

  mutable Session session_;
  ParsedAhead ahead_;
  mutable std::unordered_map<const TRule*, Session::Rule> rules_;
  mutable std::unordered_map<std::string, Features> on_span_;
  mutable std::unordered_map<std::string, Session::Joined> joined_;
  mutable std::unordered_map<int, Features> finished_;  // by number of the state
  mutable std::vector<NodeState> tails_;                // of the edge that is scored
  const int score_feature_;
  std::vector<double> weights_;  // live, by cdec's feature number
};

}  // namespace
}  // namespace hopefear

extern "C" FeatureFunction* create_ff(const std::string& arguments) {
  return new hopefear::Bridge(arguments);
}
