#include "forest/target_suffixes.h"

#include "base/key_index.h"

namespace hopefear {
namespace {

// The numbers of the pairs' first elements, by the second ones.
template <std::signed_integral Key, std::signed_integral Value>
IdRows<Key, Value> by_second(Key keys, const IdVector<std::int32_t, std::pair<Value, Key>>& pairs) {
  const auto sorted = sorted_by(keys, pairs, [](const auto& pair) { return pair.second; });
  IdRows<Key, Value> rows;
  rows.begin = sorted.begin;
  for (const std::int32_t i : sorted.values) rows.values.push_back(pairs[i].first);
  return rows;
}

}  // namespace

TargetSuffixes::TargetSuffixes(const Forest& forest, const IdVector<NodeId, double>& inside) {
  IdRows<LocalRule, std::int32_t> symbols;  // words, and ~t for tail t
  for (const std::uint32_t rule : forest.rules) {
    for (const Symbol symbol : forest.rule_space->rule(rule).target) {
      if (symbol <= 0) {
        symbols.values.push_back(~-symbol);
        continue;
      }
      const std::string text(forest.vocabulary->words->text(symbol));
      const auto [entry, fresh] = word_number.try_emplace(text, words.count());
      if (fresh) words.push_back(text);
      symbols.values.push_back(entry->second);
    }
    symbols.close();
  }
  suffixes.assign(2, {0, -1, {0, 0}, 0});
  KeyIndex found;  // suffixes behind the two ends, by symbol and what follows
  node_length.assign(forest.nodes(), {Length::kMany, 0});
  IdVector<SuffixId, NodeId> seen(2, -1);  // the last node with an edge of these symbols
  IdVector<std::int32_t, std::pair<NodeId, SuffixId>> heads_of_wholes;
  for (const NodeId v : node_length.ids()) {
    for (const EdgeId e : forest.edges_into(v)) {
      SuffixId s = v == forest.goal() ? kEndOfSentence : kEnd;
      const auto of_rule = symbols[forest.local_rule[e]];
      for (std::int32_t t = of_rule.count(); t-- > 0;) {
        const std::int32_t symbol = of_rule[t] < 0 ? ~forest.tails_of(e)[~of_rule[t]] : of_rule[t];
        const SuffixId longer = 2 + found.insert(KeyIndex::pair(s, symbol));
        if (longer == suffixes.count()) {
          Suffix suffix = suffixes[s];
          suffix.symbol = symbol;
          suffix.next = s;
          suffix.length += length_of(symbol);
          if (symbol < 0) suffix.best += inside[~symbol];
          suffixes.push_back(suffix);
          seen.push_back(-1);
        }
        s = longer;
      }
      of_edge.push_back(s);
      node_length[v].widen(suffixes[s].length);
      if (seen[s] == v) continue;
      seen[s] = v;
      of_node.values.push_back(s);
      heads_of_wholes.push_back({v, s});
    }
    of_node.close();
  }
  heads = by_second<SuffixId>(suffixes.count(), heads_of_wholes);
  IdVector<std::int32_t, std::pair<SuffixId, NodeId>> by_node;
  IdVector<std::int32_t, std::pair<SuffixId, SuffixId>> by_next;
  for (const SuffixId s : suffixes.ids()) {
    const Suffix& suffix = suffixes[s];
    if (suffix.is_end()) continue;
    if (suffix.symbol < 0) by_node.push_back({s, suffix.node()});
    by_next.push_back({s, suffix.next});
  }
  beginning = by_second<NodeId>(forest.nodes(), by_node);
  extending = by_second<SuffixId>(suffixes.count(), by_next);
}

}  // namespace hopefear
