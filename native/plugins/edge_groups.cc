#include "plugins/edge_groups.h"

#include <algorithm>
#include <stdexcept>

#include "base/key_index.h"

namespace hopefear {

EdgeGroups::EdgeGroups(const Forest& forest) {
  const EdgeId edges = std::max(forest.edges() - 1, 0);
  group.reserve(static_cast<std::size_t>(edges));
  const auto append_span = [&forest](NodeId node, std::vector<std::int32_t>& out) {
    out.push_back(forest.span[2 * static_cast<std::size_t>(node)]);
    out.push_back(forest.span[2 * static_cast<std::size_t>(node) + 1]);
  };
  for (std::size_t g = 0; g + 1 < forest.groups.size(); ++g) {
    const EdgeId first = forest.groups[g], end = std::min(forest.groups[g + 1], edges);
    if (first >= end) continue;
    group.insert(group.end(), static_cast<std::size_t>(end - first),
                 static_cast<std::int64_t>(category.size()));
    const NodeId head = forest.head[static_cast<std::size_t>(first)];
    category.push_back(forest.category[static_cast<std::size_t>(head)]);
    append_span(head, span);
    for (const NodeId tail : forest.tails_of(first)) append_span(tail, tail_span);
    tail_indptr.push_back(static_cast<std::int32_t>(tail_span.size() / 2));
  }
}

EdgeUses::EdgeUses(std::span<const std::int32_t> attributes, std::span<const std::int64_t> group,
                   std::span<const std::int32_t> numbers) {
  if (attributes.size() != group.size())
    throw std::invalid_argument("expected one group for each attribute");
  row.reserve(group.size());
  KeyIndex index(1024);
  std::int64_t last = 0;
  for (std::size_t e = 0; e < group.size(); ++e) {
    if (group[e] < 0 || static_cast<std::size_t>(group[e]) >= numbers.size())
      throw std::invalid_argument("expected one number for each group");
    const std::int32_t n = numbers[static_cast<std::size_t>(group[e])];
    const std::int64_t key =
        static_cast<std::int64_t>(attributes[e]) << 32 | static_cast<std::uint32_t>(n);
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

SourceSteps::SourceSteps(std::span<const std::int32_t> span,
                         std::span<const std::int32_t> tail_indptr,
                         std::span<const std::int32_t> tail_span) {
  const std::size_t groups = span.size() / 2;
  if (tail_indptr.size() != groups + 1 || tail_indptr.front() != 0 ||
      !std::ranges::is_sorted(tail_indptr) ||
      2 * static_cast<std::size_t>(tail_indptr.back()) != tail_span.size())
    throw std::invalid_argument("expected the spans of each group's tails");
  indptr.reserve(groups + 1);
  const auto add = [this](std::int32_t before, std::int32_t at) {
    previous.push_back(before);
    place.push_back(at);
  };
  for (std::size_t g = 0; g < groups; ++g) {
    const std::int32_t begin = span[2 * g], end = span[2 * g + 1];
    const auto first = static_cast<std::size_t>(tail_indptr[g]);
    const auto last = static_cast<std::size_t>(tail_indptr[g + 1]);
    const auto each_word = [&](auto&& visit) {  // those in front of, between and behind the tails
      std::int32_t at = begin;
      for (std::size_t t = first; t < last; ++t) {
        for (; at < tail_span[2 * t]; ++at) visit(at);
        at = tail_span[2 * t + 1];
      }
      for (; at < end; ++at) visit(at);
    };
    each_word([&](std::int32_t at) { add(-1, at); });
    each_word([&](std::int32_t at) {
      if (at > begin) add(at - 1, at);
    });
    for (std::size_t t = first; t < last; ++t) {
      if (tail_span[2 * t] > begin) add(tail_span[2 * t] - 1, tail_span[2 * t + 1] - 1);
    }
    indptr.push_back(static_cast<std::int32_t>(place.size()));
  }
}

}  // namespace hopefear
