#include "forest/kbest.h"

#include <algorithm>
#include <limits>

namespace hopefear {
namespace {

// Derivations that need no larger table.
constexpr std::size_t kUsualTexts = 4096;

}  // namespace

KBest::KBest(const Forest& forest, bool unique)
    : forest_(forest),
      unique_(unique),
      best_(forest.nodes(), -std::numeric_limits<double>::infinity()),
      lists_(forest.nodes()),
      slots_(unique ? kUsualTexts : 0) {
  for (const EdgeId e : forest.score.ids()) {
    double& best = best_[forest.head[e]];
    best = std::max(best, forest.with_tails(e, forest.score[e], best_));
  }
}

bool KBest::derivation(std::int32_t k, Derivation& out) {
  out.clear();
  if (forest_.empty() || !find(forest_.goal(), k)) return false;
  append(forest_.goal(), k, out);
  return true;
}

bool KBest::find(NodeId node, std::int32_t k) {
  NodeLists& lists = lists_[node];
  if (!lists.started) start(node);
  while (lists.derivations.count() <= k) {
    if (lists.has_pending) {
      lists.has_pending = false;
      push_neighbours(node, lists.derivations.back());
    }
    if (lists.heap.empty()) return false;
    std::pop_heap(lists.heap.begin(), lists.heap.end(), Better{});
    Candidate candidate = lists.heap.back();
    lists.heap.pop_back();
    if (unique_ && !is_new(node, candidate)) {
      push_neighbours(node, candidate);
      continue;
    }
    lists.derivations.push_back(candidate);
    lists.has_pending = true;
  }
  return true;
}

void KBest::start(NodeId node) {
  NodeLists& lists = lists_[node];
  lists.started = true;
  for (const EdgeId e : forest_.edges_into(node)) {
    const double score = forest_.with_tails(e, forest_.score[e], best_);
    if (score == -std::numeric_limits<double>::infinity()) continue;
    lists.heap.push_back({score, e, ranks_.count(), 0, -1});
    ranks_.insert(ranks_.end(), forest_.tails_of(e).size(), 0);
  }
  std::make_heap(lists.heap.begin(), lists.heap.end(), Better{});
}

void KBest::push_neighbours(NodeId node, const Candidate& of) {
  const Candidate candidate = of;  // a copy: lists grow below
  const auto tails = forest_.tails_of(candidate.edge);
  for (std::int32_t t = candidate.last; t < tails.count(); ++t) {
    const std::int32_t place = candidate.ranks, rank = ranks_[place + t];
    if (!find(tails[t], rank + 1)) continue;
    const auto next = ranks_.count();
    for (const std::int32_t i : tails.ids()) ranks_.push_back(ranks_[place + i] + (i == t ? 1 : 0));
    NodeLists& lists = lists_[node];
    lists.heap.push_back({candidate.score - score_of(tails[t], rank) + score_of(tails[t], rank + 1),
                          candidate.edge, next, t, -1});
    std::push_heap(lists.heap.begin(), lists.heap.end(), Better{});
  }
}

bool KBest::is_new(NodeId node, Candidate& candidate) {
  const auto tails = forest_.tails_of(candidate.edge);
  for (const std::int32_t t : tails.ids()) find(tails[t], rank_of(candidate, t));  // grows texts_
  const std::int32_t begin = symbols_.count();
  const RuleSpace::Place rule = forest_.rule_space->find(forest_.rule_id(candidate.edge));
  for (const Symbol symbol : rule.grammar->target(rule.rule)) {
    if (symbol > 0) {
      symbols_.push_back(symbol);
      continue;
    }
    const std::int32_t t = -symbol;
    const Text& tail = texts_[lists_[tails[t]].derivations[rank_of(candidate, t)].text];
    for (const std::int32_t i : ids(tail.begin, tail.begin + tail.length)) {
      const Symbol word = symbols_[i];
      symbols_.push_back(word);
    }
  }
  Text text{static_cast<std::uint64_t>(node), node, begin, symbols_.count() - begin};
  for (const Symbol word : words_of(text))
    text.hash = spread(text.hash ^ static_cast<std::uint32_t>(word));
  const auto slot_hash = [](const Text& of) { return static_cast<std::uint32_t>(of.hash >> 32); };
  std::int32_t& slot = slots_.find(slot_hash(text), [&](std::int32_t number) {
    const Text& other = texts_[number - 1];  // the hash may lie: look
    return other.hash == text.hash && other.node == node &&
           std::ranges::equal(words_of(other), words_of(text));
  });
  if (!is_free(slot)) {
    symbols_.resize(begin);
    return false;
  }
  candidate.text = texts_.add(text);
  slot = texts_.count();
  slots_.added([&](std::int32_t number) { return slot_hash(texts_[number - 1]); });
  return true;
}

void KBest::append(NodeId node, std::int32_t k, Derivation& out) {
  find(node, k);
  const Candidate candidate = lists_[node].derivations[k];
  out.push_back(candidate.edge);
  const auto tails = forest_.tails_of(candidate.edge);
  for (const std::int32_t t : tails.ids()) append(tails[t], rank_of(candidate, t), out);
}

}  // namespace hopefear
