// The words that may follow the beginnings of a forest's translations, with the best scores of the
// derivations that go on so.
//
// Each beginning has the items of Earley's parser (1970): edges that have yielded its words, and
// wait for a word or for a node. An item has the best score of what it has yielded, and the best
// score of all derivations of the sentence that go through it: the look-ahead is exact. A node is
// completed before the nodes above it, and predicted after them, so that no score changes once it
// was used. Beginnings share the items of the shorter ones that they begin with.
#pragma once

#include <map>
#include <tuple>

#include "forest/target_suffixes.h"

namespace hopefear {

using BeginningId = std::int32_t;  // no words at all: 0

class Continuations {
 public:
  static constexpr double kNever = -std::numeric_limits<double>::infinity();

  // Derivations whose scores are below `least` need not be found.
  Continuations(std::shared_ptr<const Forest> forest, double least);
  Continuations& operator=(Continuations&&) = delete;

  // The distinct words of the forest, by number.
  const std::vector<std::string>& words() const { return target_.words; }

  // The words that may follow a beginning, and the best scores with each of them.
  struct Following {
    std::vector<WordId> words;
    std::vector<double> scores;
  };
  Following following(BeginningId b) const;
  // The best score of a derivation that ends here.
  double whole(BeginningId b) const { return beginnings_[b].whole; }
  // A beginning with one of these words more.
  BeginningId extended(BeginningId b, WordId word, double least);

 private:
  struct Item {
    NodeId head;
    BeginningId origin;  // where the edge begins
    SuffixId suffix;     // of the edge
    double inside;       // of what the edge has before the suffix
    double total;        // of the sentence
  };
  struct Beginning {
    std::vector<Item> before_words, before_nodes;  // by word, and by node
    double whole = kNever;
  };

  void add(const Item& item);
  void push(const Item& item);
  BeginningId close();
  std::span<const Item> waiting(const std::vector<Item>& items, std::int32_t symbol) const;

  std::shared_ptr<const Forest> forest_;
  IdVector<NodeId, double> inside_;  // best score
  TargetSuffixes target_;
  IdVector<std::int32_t, double> edge_score_;  // the best one, by place in `of_node`
  IdVector<NodeId, double> empty_;             // the best score without words
  IdVector<BeginningId, Beginning> beginnings_;

  // the beginning at work
  double least_;
  Beginning made_;
  std::map<std::tuple<NodeId, BeginningId, SuffixId>, Item> items_;
  std::map<std::pair<NodeId, BeginningId>, double> completed_;
  std::map<NodeId, double, std::greater<>> predicted_;  // the best scores outside of nodes
};

}  // namespace hopefear
