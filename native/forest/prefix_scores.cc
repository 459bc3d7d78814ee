#include "forest/prefix_scores.h"

#include <algorithm>

namespace hopefear {
namespace {

std::int32_t first_of(std::int64_t key) { return static_cast<std::int32_t>(key >> 32); }
std::int32_t second_of(std::int64_t key) { return static_cast<std::int32_t>(key); }

}  // namespace

PrefixScores::PrefixScores(const Forest& forest, const TargetSuffixes& target,
                           const PrefixTables& tables, const IdVector<NodeId, double>& inside)
    : forest_(forest), target_(target), tables_(tables), inside_(inside) {
  if (tables_.typed() > 0) find_live();
}

void PrefixScores::find_live() {
  const Place last = tables_.typed() - 1;
  for (const SuffixId s : tables_.reached(last)) {
    const TargetSuffixes::Suffix& suffix = target_.suffixes[s];
    if (!suffix.begins_with_word() && !suffix.is_end()) continue;
    const int left = tables_.fewest() - tables_.before(s, last);
    if (left == PrefixTables::kInsertion ||
        (!suffix.is_end() && left == tables_.cost(last, suffix.symbol)))
      live_.insert(KeyIndex::pair(s, last));
  }
  std::int32_t done = 0, nodes_done = 0;
  while (done < live_.size() || nodes_done < live_nodes_.size()) {
    if (done < live_.size()) {
      const std::int64_t key = live_.key(done++);
      add_live_before(first_of(key), second_of(key));
    } else {
      const std::int64_t key = live_nodes_.key(nodes_done++);
      const NodeId v = first_of(key);
      const Place k = second_of(key);
      const Edits edits = tables_.before_node(v, k);
      for (const SuffixId s : target_.beginning[v]) {
        if (tables_.before(s, k) == edits) live_.insert(KeyIndex::pair(s, k));
      }
    }
  }
}

// From what a suffix at a place can follow with the fewest edits.
void PrefixScores::add_live_before(SuffixId s, Place k) {
  const int edits = tables_.before(s, k);
  const auto try_before = [&](SuffixId other, Place place, int more) {
    if (place >= 0 && tables_.before(other, place) + more == edits)
      live_.insert(KeyIndex::pair(other, place));
  };
  for (const NodeId v : target_.heads[s]) {
    if (tables_.before_node(v, k) == edits) live_nodes_.insert(KeyIndex::pair(v, k));
  }
  const TargetSuffixes::Suffix& suffix = target_.suffixes[s];
  if (suffix.begins_with_word() || suffix.is_end()) try_before(s, k - 1, PrefixTables::kInsertion);
  for (const SuffixId longer : target_.extending[s]) {
    const std::int32_t symbol = target_.suffixes[longer].symbol;
    if (symbol >= 0) {
      if (k > 0) try_before(longer, k - 1, tables_.cost(k - 1, symbol));
      try_before(longer, k, PrefixTables::kOmission);
    } else {
      for (Place from = 0; from <= k; ++from)
        try_before(longer, from, tables_.inside(~symbol, from, k));
    }
  }
}

int PrefixScores::edits(NodeId v, Place from, Place to) const {
  if (to != kBoundary) return tables_.inside(v, from, to);
  return from == tables_.typed() ? 0 : tables_.fewest() - tables_.before_node(v, from);
}

double PrefixScores::node(NodeId v, Place from, Place to) {
  if (to == kBoundary && from == tables_.typed()) return inside_[v];
  const std::int32_t number =
      node_.insert(KeyIndex::pair(v, ends_.insert(KeyIndex::pair(from, to))));
  if (number == of_node_.count()) {
    of_node_.push_back(kNever);
    const int edits = this->edits(v, from, to);
    double best = kNever;
    for (const EdgeId e : forest_.edges_into(v))
      best = std::max(best, forest_.score[e] + suffix(target_.of_edge[e], from, to, edits));
    of_node_[number] = best;
  }
  return of_node_[number];
}

double PrefixScores::suffix(SuffixId s, Place from, Place to, int edits) {
  const TargetSuffixes::Suffix& suffix = target_.suffixes[s];
  if (edits < 0) return kNever;
  if (to == kBoundary) {
    if (from == tables_.typed()) return edits == 0 ? suffix.best : kNever;
    if (edits + tables_.before(s, from) != tables_.fewest() ||
        live_.find(KeyIndex::pair(s, from)) < 0)
      return kNever;
  } else {
    const int words = to - from;
    if (words == 0 && edits != tables_.omission(s)) return kNever;
    if (suffix.is_end()) return words == 0 ? 0 : kNever;
    if ((words - suffix.length.most) * PrefixTables::kInsertion > edits ||
        (suffix.length.least - words) * PrefixTables::kOmission > edits)
      return kNever;
  }
  const std::int32_t number = suffix_.insert(KeyIndex::pair(
      begins_.insert(KeyIndex::pair(s, from)), ends_.insert(KeyIndex::pair(to, edits))));
  if (number == of_suffix_.count()) {
    of_suffix_.push_back(kNever);
    const double best = best_of(s, from, to, edits);
    of_suffix_[number] = best;
  }
  return of_suffix_[number];
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
