#include "forest/continuations.h"

#include "forest/inside_outside.h"

namespace hopefear {
namespace {

constexpr double kScoreRounding = 1e-6;

void raise(double& score, double to) { score = std::max(score, to); }

void raise(auto& scores, const auto& key, double to) {
  raise(scores.try_emplace(key, to).first->second, to);
}

}  // namespace

Continuations::Continuations(std::shared_ptr<const Forest> forest, double least)
    : forest_(std::move(forest)),
      inside_(inside(*forest_, Semiring::kMax)),
      target_(*forest_, inside_),
      edge_score_(target_.of_node.values.count(), kNever),
      empty_(forest_->nodes(), kNever),
      least_(least - kScoreRounding) {
  IdVector<SuffixId, std::int32_t> place(target_.suffixes.count(), 0);
  for (const NodeId v : empty_.ids()) {
    for (const std::int32_t i : target_.of_node.places(v)) place[target_.of_node.values[i]] = i;
    for (const EdgeId e : forest_->edges_into(v)) {
      double score = forest_->score[e];
      SuffixId s = target_.of_edge[e];
      raise(edge_score_[place[s]], score);
      for (; !target_.suffixes[s].is_end(); s = target_.suffixes[s].next) {
        const TargetSuffixes::Suffix& suffix = target_.suffixes[s];
        score += suffix.symbol < 0 ? empty_[suffix.node()] : kNever;
      }
      raise(empty_[v], score);
    }
  }
  if (!forest_->empty()) predicted_[forest_->goal()] = 0;
  close();
}

Continuations::Following Continuations::following(BeginningId b) const {
  Following out;
  for (const Item& item : beginnings_[b].before_words) {
    const WordId word = target_.suffixes[item.suffix].symbol;
    if (out.words.empty() || out.words.back() != word) {
      out.words.push_back(word);
      out.scores.push_back(item.total);
    } else {
      raise(out.scores.back(), item.total);
    }
  }
  return out;
}

BeginningId Continuations::extended(BeginningId b, WordId word, double least) {
  least_ = least - kScoreRounding;
  for (const Item& item : waiting(beginnings_[b].before_words, word))
    add({item.head, item.origin, target_.suffixes[item.suffix].next, item.inside, item.total});
  return close();
}

// The items that wait for a symbol.
std::span<const Continuations::Item> Continuations::waiting(const std::vector<Item>& items,
                                                            std::int32_t symbol) const {
  const auto range = std::ranges::equal_range(
      items, symbol, {}, [&](const Item& item) { return target_.suffixes[item.suffix].symbol; });
  return {range.begin(), range.end()};
}

void Continuations::add(const Item& item) {
  if (item.total < least_) return;
  const TargetSuffixes::Suffix& suffix = target_.suffixes[item.suffix];
  const bool is_new = item.origin == beginnings_.count();  // nothing was yielded
  if (suffix.is_end()) {
    if (item.head == forest_->goal()) {
      raise(made_.whole, item.total);
    } else if (!is_new) {
      raise(completed_, std::pair(item.head, item.origin), item.inside);
    }
    return;
  }
  if (is_new) {
    push(item);
  } else {
    const auto [known, fresh] =
        items_.try_emplace(std::tuple(item.head, item.origin, item.suffix), item);
    if (!fresh) {
      if (known->second.inside >= item.inside) return;
      known->second = item;
    }
  }
  if (suffix.symbol < 0) {
    const NodeId v = suffix.node();
    add({item.head, item.origin, suffix.next, item.inside + empty_[v],
         item.total + empty_[v] - inside_[v]});
  }
}

// An item whose scores are final.
void Continuations::push(const Item& item) {
  const TargetSuffixes::Suffix& suffix = target_.suffixes[item.suffix];
  if (suffix.symbol < 0) {
    made_.before_nodes.push_back(item);
    raise(predicted_, suffix.node(), item.total - inside_[suffix.node()]);
  } else {
    made_.before_words.push_back(item);
  }
}

// Adds what follows from the items that have been added, and keeps them all.
BeginningId Continuations::close() {
  while (!completed_.empty()) {
    const auto [node, inside] = *completed_.begin();
    completed_.erase(completed_.begin());
    const auto [v, origin] = node;
    for (const Item& item : waiting(beginnings_[origin].before_nodes, ~v))
      add({item.head, item.origin, target_.suffixes[item.suffix].next, item.inside + inside,
           item.total + inside - inside_[v]});
  }
  for (const auto& [key, item] : items_) push(item);
  items_.clear();
  while (!predicted_.empty()) {
    const auto [v, outside] = *predicted_.begin();
    predicted_.erase(predicted_.begin());
    for (const std::int32_t i : target_.of_node.places(v)) {
      const SuffixId s = target_.of_node.values[i];
      add({v, beginnings_.count(), s, edge_score_[i],
           outside + edge_score_[i] + target_.suffixes[s].best});
    }
  }
  for (std::vector<Item>* const items : {&made_.before_words, &made_.before_nodes})
    std::ranges::stable_sort(
        *items, {}, [&](const Item& item) { return target_.suffixes[item.suffix].symbol; });
  return beginnings_.add(std::exchange(made_, {}));
}

}  // namespace hopefear
