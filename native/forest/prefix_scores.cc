#include "forest/prefix_scores.h"

namespace hopefear {
namespace {

std::int32_t first_of(std::int64_t key) { return static_cast<std::int32_t>(key >> 32); }
std::int32_t second_of(std::int64_t key) { return static_cast<std::int32_t>(key); }

}  // namespace

PrefixScores::PrefixScores(const Forest& forest, const TargetSuffixes& target,
                           const PrefixTables& tables, const IdVector<NodeId, double>& inside)
    : forest_(forest), target_(target), tables_(tables), inside_(inside) {}

void PrefixScores::keep(Place columns) {
  if (columns_.count() > columns) columns_.resize(columns);
}

void PrefixScores::begin() {
  live_ = Computed();
  live_nodes_ = Computed();
  columns_.resize(tables_.columns());
  if (tables_.typed() == 0) return;
  const Place last = tables_.typed() - 1;
  for (const SuffixId s : tables_.reached(last)) {
    const TargetSuffixes::Suffix& suffix = target_.suffixes[s];
    if (!suffix.begins_with_word() && !suffix.is_end()) continue;
    const int left = tables_.fewest() - tables_.before(s, last);
    if (left == PrefixTables::kInsertion ||
        (!suffix.is_end() && left == tables_.cost(last, suffix.symbol)))
      live_.keys.insert(KeyIndex::pair(s, last));
  }
  std::int32_t done = 0, nodes_done = 0;
  while (done < live_.keys.size() || nodes_done < live_nodes_.keys.size()) {
    if (done < live_.keys.size()) {
      const std::int64_t key = live_.keys.key(done++);
      add_live_before(first_of(key), second_of(key));
    } else {
      const std::int64_t key = live_nodes_.keys.key(nodes_done++);
      const NodeId v = first_of(key);
      const Place k = second_of(key);
      const Edits edits = tables_.before_node(v, k);
      for (const SuffixId s : target_.beginning[v]) {
        if (tables_.before(s, k) == edits) live_.keys.insert(KeyIndex::pair(s, k));
      }
    }
  }
}

// From what a suffix at a place can follow with the fewest edits.
void PrefixScores::add_live_before(SuffixId s, Place k) {
  const int edits = tables_.before(s, k);
  const auto try_before = [&](SuffixId other, Place place, int more) {
    if (place >= 0 && tables_.before(other, place) + more == edits)
      live_.keys.insert(KeyIndex::pair(other, place));
  };
  for (const NodeId v : target_.heads[s]) {
    if (tables_.before_node(v, k) == edits) live_nodes_.keys.insert(KeyIndex::pair(v, k));
  }
  const TargetSuffixes::Suffix& suffix = target_.suffixes[s];
  if (suffix.begins_with_word() || suffix.is_end()) try_before(s, k - 1, PrefixTables::kInsertion);
  for (const SuffixId longer : target_.extending[s]) {
    const std::int32_t symbol = target_.suffixes[longer].symbol;
    if (symbol >= 0) {
      if (k > 0) try_before(longer, k - 1, tables_.cost(k - 1, symbol));
      try_before(longer, k, PrefixTables::kOmission);
    } else {
      const auto [low, high] = tables_.beginnings(~symbol, k);
      for (Place from = low; from < high; ++from)
        try_before(longer, from, tables_.inside(~symbol, from, k));
      try_before(longer, k, tables_.node_omission(~symbol));
    }
  }
}

int PrefixScores::edits(NodeId v, Place from, Place to) const {
  if (to != kBoundary) return tables_.inside(v, from, to);
  return from == tables_.typed() ? 0 : tables_.fewest() - tables_.before_node(v, from);
}

double PrefixScores::node(NodeId v, Place from, Place to) {
  if (to == kBoundary && from == tables_.typed()) return inside_[v];
  const std::int64_t key = KeyIndex::pair(v, from);
  Computed& computed = to == kBoundary ? live_nodes_ : columns_[to].nodes;
  const std::int32_t number = to == kBoundary ? computed.keys.find(key) : computed.keys.insert(key);
  if (number < 0) return kNever;
  return computed.of(number, [&] {
    const int edits = this->edits(v, from, to);
    double best = kNever;
    for (const EdgeId e : forest_.edges_into(v))
      best = std::max(best, forest_.score[e] + suffix(target_.of_edge[e], from, to, edits));
    return best;
  });
}

double PrefixScores::suffix(SuffixId s, Place from, Place to, int edits) {
  const TargetSuffixes::Suffix& suffix = target_.suffixes[s];
  if (edits < 0) return kNever;
  if (to == kBoundary) {
    if (from == tables_.typed()) return edits == 0 ? suffix.best : kNever;
    if (edits + tables_.before(s, from) != tables_.fewest()) return kNever;
    const std::int32_t number = live_.keys.find(KeyIndex::pair(s, from));
    if (number < 0) return kNever;
    return live_.of(number, [&] { return best_of(s, from, to, edits); });
  }
  const int words = to - from;
  if (words == 0 && edits != tables_.omission(s)) return kNever;
  if (suffix.is_end()) return words == 0 ? 0 : kNever;
  if ((words - suffix.length.most) * PrefixTables::kInsertion > edits ||
      (suffix.length.least - words) * PrefixTables::kOmission > edits)
    return kNever;
  Computed& computed = columns_[to].suffixes;
  static_assert(std::int64_t{PrefixTables::kMostTyped} << 14 < std::int64_t{1} << 31);
  return computed.of(computed.keys.insert(KeyIndex::pair(s, from << 14 | edits)),
                     [&] { return best_of(s, from, to, edits); });
}

double PrefixScores::best_of(SuffixId s, Place from, Place to, int edits) {
  const TargetSuffixes::Suffix& suffix = target_.suffixes[s];
  double best = kNever;
  if (suffix.symbol >= 0) {
    after_word(s, from, to, edits, [&](SuffixId next, Place place, int left) {
      best = std::max(best, this->suffix(next, place, to, left));
    });
  } else {
    after_node(s, from, to, edits, [&](Place inner, SuffixId next, Place place, int left) {
      const double rest =
          place == kBoundary ? target_.suffixes[next].best : this->suffix(next, place, to, left);
      if (rest > kNever) best = std::max(best, node(suffix.node(), from, inner) + rest);
    });
  }
  return best;
}

}  // namespace hopefear
