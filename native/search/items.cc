#include "search/items.h"

namespace hopefear {

void Items::finish_node() {
  const std::size_t begin = ranked_.size();
  for (auto item = static_cast<std::size_t>(first_); item < items_.size(); ++item) {
    ranked_.push_back({items_[item].score, static_cast<std::int32_t>(item)});
  }
  std::sort(ranked_.begin() + static_cast<std::ptrdiff_t>(begin), ranked_.end(),
            [](const Ranked& a, const Ranked& b) {
              return a.score > b.score || (a.score == b.score && a.item < b.item);
            });
  ranked_begin_.push_back(static_cast<std::int32_t>(ranked_.size()));
}

std::vector<bool> Items::find_useful() const {
  std::vector<bool> useful(items_.size(), false);
  useful.back() = true;
  for (std::size_t i = items_.size(); i-- > 0;) {
    if (!useful[i]) continue;
    for (std::int32_t p = items_[i].first; p >= 0;
         p = accepted_[static_cast<std::size_t>(p)].next) {
      for (const std::int32_t tail : tails_of(accepted_[static_cast<std::size_t>(p)])) {
        useful[static_cast<std::size_t>(tail)] = true;
      }
    }
  }
  return useful;
}

void Items::write(Forest& out, std::span<Marks* const> marks) const {
  const std::vector<bool> useful = find_useful();
  const std::size_t k = value_count_;
  std::vector<Marks> kept_marks(marks.size());
  std::vector<NodeId> number(items_.size(), -1);
  for (NodeId v = 0; v < source_.nodes(); ++v) {
    for (std::int32_t rank = 0; rank < count(v); ++rank) {
      const auto item = static_cast<std::size_t>(at(v, rank).item);
      if (!useful[item]) continue;
      number[item] = out.nodes();
      for (std::int32_t i = items_[item].first; i >= 0;
           i = accepted_[static_cast<std::size_t>(i)].next) {
        const auto p = static_cast<std::size_t>(i);
        out.local_rule.push_back(source_.local_rule[static_cast<std::size_t>(accepted_[p].edge)]);
        out.head.push_back(number[item]);
        for (const std::int32_t tail : tails_of(accepted_[p]))
          out.tails.push_back(number[static_cast<std::size_t>(tail)]);
        out.tails_begin.push_back(static_cast<std::int32_t>(out.tails.size()));
        out.score.push_back(accepted_[p].score);
        out.source_edge.push_back(accepted_[p].edge);
        const auto values = values_.begin() + static_cast<std::ptrdiff_t>(p * k);
        out.scorer_values.insert(out.scorer_values.end(), values,
                                 values + static_cast<std::ptrdiff_t>(k));
        for (std::size_t s = 0; s < marks.size(); ++s) {
          const std::span<const std::int32_t> of_accepted = marks[s]->of(p);
          kept_marks[s].values.insert(kept_marks[s].values.end(), of_accepted.begin(),
                                      of_accepted.end());
          kept_marks[s].close();
        }
      }
      out.category.push_back(source_.category[static_cast<std::size_t>(v)]);
      out.span.push_back(source_.span[2 * static_cast<std::size_t>(v)]);
      out.span.push_back(source_.span[2 * static_cast<std::size_t>(v) + 1]);
      out.edges_begin.push_back(out.edges());
    }
  }
  for (std::size_t s = 0; s < marks.size(); ++s) *marks[s] = std::move(kept_marks[s]);
}

}  // namespace hopefear
