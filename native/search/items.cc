#include "search/items.h"

namespace hopefear {

void Items::finish_node() {
  const std::int32_t begin = ranked_.values.count();
  for (const ItemId item : ids(first_, items_.count()))
    ranked_.values.push_back({items_[item].score, item, items_[item].rest_cost});
  std::sort(ranked_.values.begin() + begin, ranked_.values.end(),
            [](const Ranked& a, const Ranked& b) {
              return a.score > b.score || (a.score == b.score && a.item < b.item);
            });
  ranked_.close();
}

IdVector<ItemId, bool> Items::find_useful() const {
  IdVector<ItemId, bool> useful(items_.count(), false);
  useful.back() = true;
  for (ItemId i = items_.count(); i-- > 0;) {
    if (!useful[i]) continue;
    for (AcceptedId p = items_[i].first; p >= 0; p = accepted_[p].next) {
      for (const ItemId tail : tails_of(accepted_[p])) useful[tail] = true;
    }
  }
  return useful;
}

void Items::write(Forest& out, std::span<Marks* const> marks) const {
  const IdVector<ItemId, bool> useful = find_useful();
  const std::size_t k = value_count_;
  std::vector<Marks> kept_marks(marks.size());
  IdVector<ItemId, NodeId> number(items_.count(), -1);
  for (const NodeId v : source_.category.ids()) {
    for (const Ranked& ranked : ranked_[v]) {
      const ItemId item = ranked.item;
      if (!useful[item]) continue;
      number[item] = out.nodes();
      for (AcceptedId p = items_[item].first; p >= 0; p = accepted_[p].next) {
        for (const ItemId tail : tails_of(accepted_[p])) out.tails.values.push_back(number[tail]);
        out.add_edge(accepted_[p].edge, accepted_[p].score);
        const float* const values = values_.data() + place_of(p) * k;
        out.scorer_values.insert(out.scorer_values.end(), values, values + k);
        for (std::size_t s = 0; s < marks.size(); ++s) kept_marks[s].add((*marks[s])[p]);
      }
      out.add_node(v);
    }
  }
  for (std::size_t s = 0; s < marks.size(); ++s) *marks[s] = std::move(kept_marks[s]);
}

}  // namespace hopefear
