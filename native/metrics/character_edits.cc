#include "metrics/character_edits.h"

#include <algorithm>
#include <string>

#include "base/edit_distance.h"

namespace hopefear {
namespace {

using Texts = std::vector<std::u32string_view>;
using Words = std::vector<std::uint32_t>;

// More than any sentence needs whose words are not all of a few kinds.
constexpr std::size_t kMostOrders = 100'000;

Texts split(std::u32string_view sentence) {
  Texts words;
  while (!sentence.empty()) {
    const std::size_t end = std::min(sentence.find(U' '), sentence.size());
    words.push_back(sentence.substr(0, end));
    sentence.remove_prefix(std::min(end + 1, sentence.size()));
  }
  return words;
}

// Words as numbers, in the order of their texts.
class Numbering {
 public:
  explicit Numbering(Texts words) : words_(std::move(words)) {
    std::ranges::sort(words_);
    words_.erase(std::ranges::unique(words_).begin(), words_.end());
  }

  Words operator()(const Texts& words) const {
    Words numbers;
    for (const std::u32string_view word : words) {
      const auto place = std::ranges::lower_bound(words_, word) - words_.begin();
      numbers.push_back(static_cast<std::uint32_t>(place));
    }
    return numbers;
  }

  std::u32string_view text(std::uint32_t number) const { return words_[number]; }

 private:
  Texts words_;
};

// How many words from these places on are the same.
std::size_t run(const Words& left, std::size_t i, const Words& right, std::size_t j) {
  const std::size_t most = std::min(left.size() - i, right.size() - j);
  std::size_t length = 0;
  while (length < most && left[i + length] == right[j + length]) ++length;
  return length;
}

// Moves a run of words behind the first `target` of the others.
Words reordered(Words words, std::size_t begin, std::size_t length, std::size_t target) {
  const auto at = [&](std::size_t i) { return words.begin() + static_cast<std::ptrdiff_t>(i); };
  if (target < begin) {
    std::rotate(at(target), at(begin), at(begin + length));
  } else {
    std::rotate(at(begin), at(begin + length), at(std::min(target + length, words.size())));
  }
  return words;
}

// The words in the order after all shifts.
Words shifted(Words words, const Words& reference) {
  const EditDistance distance(reference);
  for (std::size_t orders = 0;;) {
    std::vector<EditDistance::Row> rows{distance.first()};  // of all beginnings
    for (const std::uint32_t word : words) {
      rows.push_back(rows.back());
      distance.extend(rows.back(), word);
    }
    std::size_t fewest = rows.back().distance;
    Words best;  // of orders with as few edits, the last in the order of the texts
    for (std::size_t h = 0; h < words.size(); ++h) {
      for (std::size_t r = 0; r < reference.size(); ++r) {
        if (h == r || words[h] != reference[r]) continue;
        if (++orders > kMostOrders) return words;
        const std::size_t length = run(words, h, reference, r);
        Words order = reordered(words, h, length, r);
        const std::size_t same = std::min({h, r, words.size() - length});
        EditDistance::Row row = rows[same];
        for (const std::uint32_t word : std::span(order).subspan(same)) distance.extend(row, word);
        const bool as_good = row.distance == fewest && !best.empty() && best < order;
        if (row.distance >= fewest && !as_good) continue;
        fewest = row.distance;
        best = std::move(order);
      }
    }
    if (best.empty()) return words;
    words = std::move(best);
  }
}

// What it costs that runs of words have moved to the right.
double shift_costs(const Words& words, const Words& order, const Numbering& numbering) {
  double costs = 0;
  for (std::size_t i = 0; i < words.size();) {
    const auto place =
        std::find(order.begin() + static_cast<std::ptrdiff_t>(i), order.end(), words[i]);
    const auto j = static_cast<std::size_t>(place - order.begin());
    if (j == i || j == order.size()) {
      ++i;
      continue;
    }
    const std::size_t length = run(words, i, order, j);
    std::size_t characters = 0;
    for (const std::uint32_t word : std::span(words).subspan(i, length)) {
      characters += numbering.text(word).size();
    }
    costs += static_cast<double>(characters) / static_cast<double>(length);
    i += length;
  }
  return costs;
}

std::vector<std::uint32_t> characters(std::u32string_view text) {
  return {text.begin(), text.end()};
}

}  // namespace

double character_edits(std::u32string_view hypothesis, std::u32string_view reference) {
  const Texts own = split(hypothesis), others = split(reference);
  Texts all = own;
  all.insert(all.end(), others.begin(), others.end());
  const Numbering numbering(std::move(all));
  const Words words = numbering(own);
  const Words order = shifted(words, numbering(others));
  std::u32string text;
  for (const std::uint32_t word : order) (text += numbering.text(word)) += U' ';
  if (!text.empty()) text.pop_back();
  const EditDistance distance(characters(reference));
  return static_cast<double>(distance(characters(text))) + shift_costs(words, order, numbering);
}

}  // namespace hopefear
