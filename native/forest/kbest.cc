#include "forest/kbest.h"

#include <algorithm>
#include <limits>

namespace hopefear {

KBest::KBest(const Forest& forest, bool unique)
    : forest_(forest),
      unique_(unique),
      best_(forest.category.size(), -std::numeric_limits<double>::infinity()),
      lists_(forest.category.size()) {
  for (EdgeId e = 0; e < forest.edges(); ++e) {
    double score = forest.score[static_cast<std::size_t>(e)];
    for (const NodeId tail : forest.tails_of(e)) score += best_[static_cast<std::size_t>(tail)];
    double& best = best_[static_cast<std::size_t>(forest.head[static_cast<std::size_t>(e)])];
    best = std::max(best, score);
  }
}

bool KBest::derivation(std::size_t k, Derivation& out) {
  out.clear();
  if (forest_.empty() || !find(forest_.goal(), k)) return false;
  append(forest_.goal(), k, out);
  return true;
}

// Makes the k-th best derivation of a node known; false when there are fewer.
bool KBest::find(NodeId node, std::size_t k) {
  NodeLists& lists = lists_[static_cast<std::size_t>(node)];
  if (!lists.started) start(node);
  while (lists.derivations.size() <= k) {
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
  NodeLists& lists = lists_[static_cast<std::size_t>(node)];
  lists.started = true;
  for (EdgeId e = forest_.edges_begin[static_cast<std::size_t>(node)];
       e < forest_.edges_begin[static_cast<std::size_t>(node) + 1]; ++e) {
    double score = forest_.score[static_cast<std::size_t>(e)];
    for (const NodeId tail : forest_.tails_of(e)) score += best_[static_cast<std::size_t>(tail)];
    if (score == -std::numeric_limits<double>::infinity()) continue;
    lists.heap.push_back({score, e, static_cast<std::int32_t>(ranks_.size()), 0});
    ranks_.insert(ranks_.end(), forest_.tails_of(e).size(), 0);
  }
  std::make_heap(lists.heap.begin(), lists.heap.end(), Better{});
}

void KBest::push_neighbours(NodeId node, const Candidate& of) {
  const Candidate candidate = of;  // a copy: lists grow below
  const std::span<const NodeId> tails = forest_.tails_of(candidate.edge);
  for (auto t = static_cast<std::size_t>(candidate.last); t < tails.size(); ++t) {
    const auto place = static_cast<std::size_t>(candidate.ranks);
    const auto rank = static_cast<std::size_t>(ranks_[place + t]);
    if (!find(tails[t], rank + 1)) continue;
    const auto next = static_cast<std::int32_t>(ranks_.size());
    for (std::size_t i = 0; i < tails.size(); ++i)
      ranks_.push_back(ranks_[place + i] + (i == t ? 1 : 0));
    NodeLists& lists = lists_[static_cast<std::size_t>(node)];
    lists.heap.push_back({candidate.score - score_of(tails[t], rank) + score_of(tails[t], rank + 1),
                          candidate.edge, next, static_cast<std::int32_t>(t)});
    std::push_heap(lists.heap.begin(), lists.heap.end(), Better{});
  }
}

bool KBest::is_new(NodeId node, const Candidate& candidate) {
  std::vector<Symbol> words;
  const std::span<const NodeId> tails = forest_.tails_of(candidate.edge);
  for (const Symbol symbol : forest_.rule(candidate.edge).target) {
    if (symbol > 0) {
      words.push_back(symbol);
      continue;
    }
    const auto t = static_cast<std::size_t>(-symbol);
    const std::size_t rank = rank_of(candidate, t);
    find(tails[t], rank);
    const auto& tail = lists_[static_cast<std::size_t>(tails[t])].words[rank];
    words.insert(words.end(), tail.begin(), tail.end());
  }
  std::uint64_t hash = words.size();
  for (const Symbol word : words) {
    hash = (hash ^ static_cast<std::uint32_t>(word)) * 0x9E3779B97F4A7C15ULL;
    hash ^= hash >> 32;
  }
  NodeLists& lists = lists_[static_cast<std::size_t>(node)];
  if (!lists.seen.insert(hash).second) {
    // The hash may lie: look.
    if (std::ranges::find(lists.words, words) != lists.words.end()) return false;
  }
  lists.words.push_back(std::move(words));
  return true;
}

void KBest::append(NodeId node, std::size_t k, Derivation& out) {
  find(node, k);
  const Candidate candidate = lists_[static_cast<std::size_t>(node)].derivations[k];
  out.push_back(candidate.edge);
  const std::span<const NodeId> tails = forest_.tails_of(candidate.edge);
  for (std::size_t t = 0; t < tails.size(); ++t) append(tails[t], rank_of(candidate, t), out);
}

}  // namespace hopefear
