#include "forest/derivation.h"

#include <algorithm>
#include <cmath>
#include <random>

#include "forest/inside_outside.h"

namespace hopefear {
namespace {

// Walks a derivation in the order of one side's symbols.
class Walk {
 public:
  Walk(const Forest& forest, const Derivation& derivation)
      : forest_(forest), derivation_(derivation) {
    // Where the subtree of each edge ends, from the back.
    end_.resize(derivation.size());
    std::vector<std::size_t> open;
    for (std::size_t k = derivation.size(); k-- > 0;) {
      std::size_t end = k + 1;
      for (std::size_t t = forest.tails_of(derivation[k]).size(); t > 0; --t) {
        end = end_[open.back()];
        open.pop_back();
      }
      end_[k] = end;
      open.push_back(k);
    }
  }

  void words(std::size_t k, std::vector<Symbol>& out) const {
    const auto children = children_of(k);
    for (const Symbol symbol : forest_.rule(derivation_[k]).target) {
      if (symbol > 0) {
        out.push_back(symbol);
      } else {
        words(children[-symbol], out);
      }
    }
  }

  void tree(std::size_t k, Side side, std::string& out) const {
    const EdgeId edge = derivation_[k];
    const auto children = children_of(k);
    // Below the goal there may be one more, see intersect.h.
    const bool is_goal = k == 0
                             ? forest_.head[edge] == forest_.goal()
                             : k == 1 && forest_.rule_id(edge) == forest_.rule_id(derivation_[0]);
    if (is_goal) {
      tree(children[0], side, out);
      return;
    }
    out += '(';
    out += forest_.vocabulary->categories->text(forest_.category[forest_.head[edge]]);
    std::vector<Symbol> symbols;
    if (side == Side::kSource) {
      const RuleSpace::Place place = forest_.rule_space->find(forest_.rule_id(edge));
      place.grammar->source(place.rule, symbols);
    } else {
      const std::span<const Symbol> target = forest_.rule(edge).target;
      symbols.assign(target.begin(), target.end());
    }
    std::int32_t next = 0;
    for (const Symbol symbol : symbols) {
      out += ' ';
      if (symbol > 0) {
        out += forest_.vocabulary->words->text(symbol);
      } else {
        tree(children[side == Side::kSource ? next++ : -symbol], side, out);
      }
    }
    out += ')';
  }

 private:
  // By the index of the rule's nonterminal.
  IdVector<std::int32_t, std::size_t> children_of(std::size_t k) const {
    IdVector<std::int32_t, std::size_t> children(forest_.tails_of(derivation_[k]).size());
    std::size_t next = k + 1;
    for (std::size_t& child : children) {
      child = next;
      next = end_[next];
    }
    return children;
  }

  const Forest& forest_;
  const Derivation& derivation_;
  std::vector<std::size_t> end_;
};

}  // namespace

void target_words(const Forest& forest, const Derivation& derivation, std::vector<Symbol>& words) {
  words.clear();
  if (!derivation.empty()) Walk(forest, derivation).words(0, words);
}

std::string to_text(const Vocabulary& vocabulary, const std::vector<Symbol>& words) {
  std::string text;
  for (const Symbol word : words) {
    if (!text.empty()) text += ' ';
    text += vocabulary.words->text(word);
  }
  return text;
}

std::string text_of(const Forest& forest, const Derivation& derivation) {
  std::vector<Symbol> words;
  target_words(forest, derivation, words);
  return to_text(*forest.vocabulary, words);
}

std::string tree(const Forest& forest, const Derivation& derivation, Side side) {
  std::string text;
  if (!derivation.empty()) Walk(forest, derivation).tree(0, side, text);
  return text;
}

std::vector<std::pair<FeatureId, double>> features(const Forest& forest,
                                                   const Derivation& derivation) {
  std::vector<std::pair<FeatureId, double>> all;
  for (const EdgeId edge : derivation) {
    forest.visit_features(
        edge, [&](FeatureId feature, double value) { all.emplace_back(feature, value); });
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::pair<FeatureId, double>> sums;
  for (const auto& [feature, value] : all) {
    if (sums.empty() || sums.back().first != feature) sums.emplace_back(feature, 0.0);
    sums.back().second += value;
  }
  std::erase_if(sums, [](const auto& entry) { return entry.second == 0.0; });
  return sums;
}

double score(const Forest& forest, const Derivation& derivation) {
  double sum = 0;
  for (const EdgeId edge : derivation) sum += forest.score[edge];
  return sum;
}

Derivation viterbi(const Forest& forest) {
  IdVector<NodeId, double> best(forest.nodes(), -std::numeric_limits<double>::infinity());
  IdVector<NodeId, EdgeId> best_edge(forest.nodes(), -1);
  for (const NodeId v : best.ids()) {
    for (const EdgeId e : forest.edges_into(v)) {
      const double sum = forest.with_tails(e, forest.score[e], best);
      if (best_edge[v] < 0 || sum > best[v]) {
        best[v] = sum;
        best_edge[v] = e;
      }
    }
  }
  Derivation derivation;
  if (forest.empty()) return derivation;
  std::vector<NodeId> open{forest.goal()};
  while (!open.empty()) {
    const EdgeId edge = best_edge[open.back()];
    open.pop_back();
    derivation.push_back(edge);
    const std::span<const NodeId> tails = forest.tails_of(edge);
    open.insert(open.end(), tails.rbegin(), tails.rend());
  }
  return derivation;
}

std::vector<Derivation> sample(const Forest& forest, std::size_t count, std::uint64_t seed,
                               double scale) {
  std::vector<Derivation> drawn;
  if (forest.empty()) return drawn;
  const IdVector<NodeId, double> in = inside(forest, Semiring::kLog, scale);
  std::mt19937_64 random(seed);
  std::vector<NodeId> open;
  while (drawn.size() < count) {
    Derivation derivation;
    open.push_back(forest.goal());
    while (!open.empty()) {
      const NodeId v = open.back();
      open.pop_back();
      double left = static_cast<double>(random() >> 11) * 0x1.0p-53;
      EdgeId chosen = forest.edges_begin[v];
      for (const EdgeId e : forest.edges_into(v)) {
        chosen = e;
        left -= std::exp(forest.with_tails(e, scale * forest.score[e] - in[v], in));
        if (left < 0) break;
      }
      derivation.push_back(chosen);
      const std::span<const NodeId> tails = forest.tails_of(chosen);
      open.insert(open.end(), tails.rbegin(), tails.rend());
    }
    drawn.push_back(std::move(derivation));
  }
  return drawn;
}

}  // namespace hopefear
