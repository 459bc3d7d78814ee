#include "forest/kbest.h"

#include <algorithm>
#include <limits>

namespace hopefear {

KBest::KBest(const Forest& forest, bool unique)
    : forest_(forest),
      unique_(unique),
      best_(forest.nodes(), -std::numeric_limits<double>::infinity()),
      lists_(forest.nodes()) {
  for (const EdgeId e : forest.score.ids()) {
    double score = forest.score[e];
    for (const NodeId tail : forest.tails_of(e)) score += best_[tail];
    double& best = best_[forest.head[e]];
    best = std::max(best, score);
  }
}

bool KBest::derivation(std::int32_t k, Derivation& out) {
  out.clear();
  if (forest_.empty() || !find(forest_.goal(), k)) return false;
  append(forest_.goal(), k, out);
  return true;
}

// Makes the k-th best derivation of a node known; false when there are fewer.
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
    const Candidate candidate = lists.heap.back();
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
    double score = forest_.score[e];
    for (const NodeId tail : forest_.tails_of(e)) score += best_[tail];
    if (score == -std::numeric_limits<double>::infinity()) continue;
    lists.heap.push_back({score, e, ranks_.count(), 0});
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
                          candidate.edge, next, t});
    std::push_heap(lists.heap.begin(), lists.heap.end(), Better{});
  }
}

bool KBest::is_new(NodeId node, const Candidate& candidate) {
  std::vector<Symbol> words;
  const auto tails = forest_.tails_of(candidate.edge);
  for (const Symbol symbol : forest_.rule(candidate.edge).target) {
    if (symbol > 0) {
      words.push_back(symbol);
      continue;
    }
    const std::int32_t t = -symbol, rank = rank_of(candidate, t);
    find(tails[t], rank);
    const auto& tail = lists_[tails[t]].words[rank];
    words.insert(words.end(), tail.begin(), tail.end());
  }
  std::uint64_t hash = words.size();
  for (const Symbol word : words) {
    hash = (hash ^ static_cast<std::uint32_t>(word)) * 0x9E3779B97F4A7C15ULL;
    hash ^= hash >> 32;
  }
  NodeLists& lists = lists_[node];
  if (!lists.seen.insert(hash).second) {
    // The hash may lie: look.
    if (std::ranges::find(lists.words, words) != lists.words.end()) return false;
  }
  lists.words.push_back(std::move(words));
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
