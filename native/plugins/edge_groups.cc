#include "plugins/edge_groups.h"

#include <algorithm>

#include "base/key_index.h"

namespace hopefear {

EdgeGroups::EdgeGroups(const Forest& forest) {
  const EdgeId edges = std::max(forest.edges() - 1, 0);
  group.reserve(place_of(edges));
  for (GroupId g = 0; g + 1 < forest.groups.count(); ++g) {
    const EdgeId first = forest.groups[g], end = std::min(forest.groups[g + 1], edges);
    if (first >= end) continue;
    group.resize(place_of(end), count_of(category));
    const NodeId head = forest.head[first];
    category.push_back(forest.category[head]);
    span.push_back(forest.span[head]);
    for (const NodeId tail : forest.tails_of(first)) tail_spans.values.push_back(forest.span[tail]);
    tail_spans.close();
  }
}

EdgeUses::EdgeUses(std::span<const std::int32_t> attributes, std::span<const std::int64_t> group,
                   IdSpan<std::int64_t, const std::int32_t> numbers) {
  expect(attributes.size() == group.size(), "expected one group for each attribute");
  row.reserve(group.size());
  KeyIndex index(1024);
  std::int64_t last = 0;
  for (std::size_t e = 0; e < group.size(); ++e) {
    expect(numbers.has(group[e]), "expected one number for each group");
    const std::int32_t n = numbers[group[e]];
    const std::int64_t key = KeyIndex::pair(attributes[e], n);
    if (e > 0 && key == last) {  // as often in a group
      row.push_back(row.back());
      continue;
    }
    last = key;
    std::int32_t number_of_pair = index.find(key);
    if (number_of_pair == KeyIndex::kUnknown) {
      number_of_pair = index.insert(key);
      attribute.push_back(attributes[e]);
      number.push_back(n);
    }
    row.push_back(number_of_pair);
  }
}

SourceSteps::SourceSteps(IdSpan<GroupId, const SourceSpan> span,
                         IdSpan<GroupId, const std::int32_t> tail_indptr,
                         IdSpan<std::int32_t, const SourceSpan> tail_span) {
  expect(tail_indptr.size() == span.size() + 1 && tail_indptr.front() == 0 &&
             std::ranges::is_sorted(tail_indptr) && tail_indptr.back() == tail_span.count(),
         "expected the spans of each group's tails");
  indptr.reserve(tail_indptr.size());
  const auto add = [this](std::int32_t before, std::int32_t at) {
    previous.push_back(before);
    place.push_back(at);
  };
  for (const GroupId g : span.ids()) {
    const auto [begin, end] = span[g];
    const auto tails =
        tail_span.subspan(place_of(tail_indptr[g]), place_of(tail_indptr[g + 1] - tail_indptr[g]));
    const auto each_word = [&](auto&& visit) {  // those in front of, between and behind the tails
      std::int32_t at = begin;
      for (const SourceSpan tail : tails) {
        for (; at < tail.begin; ++at) visit(at);
        at = tail.end;
      }
      for (; at < end; ++at) visit(at);
    };
    each_word([&](std::int32_t at) { add(-1, at); });
    each_word([&](std::int32_t at) {
      if (at > begin) add(at - 1, at);
    });
    for (const SourceSpan tail : tails) {
      if (tail.begin > begin) add(tail.begin - 1, tail.end - 1);
    }
    indptr.push_back(place.count());
  }
}

}  // namespace hopefear
