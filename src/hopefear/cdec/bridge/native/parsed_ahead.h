// The edges of a sentence that hopefear's engine made before cdec makes them, and what the plugins
// fire on them: hopefear.cdec.bridge.ahead.Parsed, as C++ sees it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "cdec.h"
#include "interpreter.h"

namespace hopefear {

// cdec's feature numbers with values.
using Features = std::vector<std::pair<int, double>>;

// Where a node of the forest lies. As the state of a feature function it never splits a node, since
// all edges into a node of the translation forest have one span.
struct NodeSpan {
  short begin, end;
};

// The same, and the number of the plugins' states, which splits nodes.
struct NodeState {
  NodeSpan span;
  int number;
};

// Appends a value to the key of a table.
template <class T>
void Append(const T& value, std::string& key) {
  key.append(reinterpret_cast<const char*>(&value), sizeof value);
}

class ParsedAhead {
 public:
  // Takes over the edges of a sentence, or none if `parsed` is None. Called under Python's lock.
  void Take(const Object& parsed);

  // Some of the features that all edges fire.
  struct Fired {
    const std::pair<int, double>* begin_;
    const std::pair<int, double>* end_;
    const std::pair<int, double>* begin() const { return begin_; }
    const std::pair<int, double>* end() const { return end_; }
  };
  // What an edge fires; null if the engine did not make it, or cannot tell it from others.
  const Fired* Find(const TRule& rule, NodeSpan span, const std::vector<NodeState>& tails) const;
  // What a rule fires on any edge, if all plugins are rule plugins; null as above.
  const Fired* Find(const TRule& rule) const;

 private:
  static constexpr int kNone = -1;

  void TakeRules(const Object& rules);
  void TakeFeatures(const Object& numbers, const Object& names);
  void TakeEdges(const Object& edges, const Object& fired);
  int NumberOf(const TRule& rule) const;

  std::unordered_map<int, WordID> words_;       // of cdec, by symbol of the engine
  std::unordered_map<std::string, int> rules_;  // by their symbols; kNone if several have them
  mutable std::unordered_map<const TRule*, int> number_of_;
  mutable std::string key_;  // of an edge; kept, so that to look for one takes no memory
  std::unordered_map<std::string, Fired> edges_;  // by rule and spans
  std::vector<const Fired*> edge_of_;             // by rule
  std::vector<int> features_;                     // of cdec, by number of the engine's
  Features fired_;
};

}  // namespace hopefear
