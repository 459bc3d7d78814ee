// The Python object that holds the plugins, hopefear.cdec.bridge.session.Session, as C++
// sees it.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "cdec.h"
#include "interpreter.h"
#include "parsed_ahead.h"

namespace hopefear {

// Every method takes the interpreter's lock; an exception stops the process.
class Session {
 public:
  // `arguments` is what stands behind the library's path in the cdec.ini.
  explicit Session(const std::string& arguments);
  ~Session();

  bool has_edge_features() const { return has_edge_features_; }
  // Whether there are plugins with states.
  bool has_states() const { return has_states_; }
  // Whether the bridge scores the features itself.
  bool is_live() const { return is_live_; }

  // Begins a sentence; gives the weights that changed since the last one, and what is known of the
  // sentence's edges.
  Features Begin(const SentenceMetadata& sentence, ParsedAhead& ahead);

  // A rule as the plugins have seen it, with the features that it fires wherever it is used.
  struct Rule {
    TRulePtr held;  // as long as this lives the rule's address is no other rule's
    int number;
    Object known;
    Features features;
  };
  Rule AddRule(const TRulePtr& rule);

  // What a rule fires on a span besides.
  Features OnSpan(const Rule& rule, NodeSpan span, const std::vector<NodeState>& tails);

  // What the plugins with states fire, and the number of the head's state.
  struct Joined {
    Features features;
    int state;
  };
  Joined Join(const Rule& rule, NodeSpan span, const std::vector<NodeState>& tails);
  // What they fire on the edge into the goal.
  Features Finish(NodeState tail);

 private:
  void Tell(WordID word, PyObject* texts);

  Object session_;
  std::vector<std::string> attributes_;  // of <seg> that are passed on
  bool has_edge_features_ = false, has_states_ = false, is_live_ = false;
  std::vector<bool> told_;  // by word: whether Python knows its text
  int rules_ = 0;
};

}  // namespace hopefear
