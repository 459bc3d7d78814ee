#include "metrics/shifted_edits.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <tuple>
#include <vector>

namespace hopefear {
namespace {

using Words = std::vector<std::uint32_t>;

constexpr std::size_t kLongestShift = 10, kFarthestShift = 50, kMostCandidates = 1000;
constexpr int kBeam = 25;
constexpr std::int32_t kUnreached = 1 << 30;

enum class Op : std::uint8_t { kNone, kKeep, kSubstitute, kDelete, kInsert };

// Edit distances of a hypothesis, and of others of its length, to a reference: row i is of the
// first i words, and only cells near the diagonal are looked at.
class EditTable {
 public:
  EditTable(std::span<const std::uint32_t> reference, std::size_t words)
      : reference_(reference),
        rows_(words),
        width_(reference.size() + 1),
        cost_((words + 1) * width_, kUnreached),
        op_(cost_.size(), Op::kNone) {
    for (std::size_t j = 0; j < width_; ++j) {
      cost_[j] = static_cast<std::int32_t>(j);
      op_[j] = Op::kInsert;
    }
  }

  // Fills in the rows behind `first`; those up to it are of the same words. Returns the distance.
  std::int32_t fill(const Words& words, std::size_t first) {
    const double ratio =
        words.empty() ? 1.0 : static_cast<double>(reference_.size()) / static_cast<double>(rows_);
    const int beam = kBeam < ratio / 2 ? static_cast<int>(std::ceil(ratio / 2 + kBeam)) : kBeam;
    for (std::size_t i = first + 1; i <= rows_; ++i) {
      const auto diagonal = static_cast<std::int64_t>(std::floor(static_cast<double>(i) * ratio));
      const auto begin = static_cast<std::size_t>(std::max<std::int64_t>(0, diagonal - beam));
      const std::size_t end =
          i == rows_ ? width_ : std::min(width_, static_cast<std::size_t>(diagonal + beam));
      if (begin < end)  // the other cells stay unreached
        std::fill_n(&cost_[i * width_ + begin], end - begin, kUnreached);
      for (std::size_t j = begin; j < end; ++j) fill_cell(words[i - 1], i, j);
    }
    return cost_.back();
  }

  // The operations from the beginning to the end.
  std::vector<Op> operations() const {
    std::vector<Op> found;
    for (std::size_t i = rows_, j = width_ - 1; i > 0 || j > 0;) {
      const Op op = op_[i * width_ + j];
      found.push_back(op);
      if (op != Op::kInsert) --i;
      if (op != Op::kDelete) --j;
    }
    std::ranges::reverse(found);
    return found;
  }

 private:
  void fill_cell(std::uint32_t word, std::size_t i, std::size_t j) {
    const std::size_t at = i * width_ + j, above = at - width_;
    if (j == 0) {
      set(at, cost_[above] + 1, Op::kDelete);
      return;
    }
    const bool same = word == reference_[j - 1];
    set(at, cost_[above - 1] + !same, same ? Op::kKeep : Op::kSubstitute);
    set(at, cost_[above] + 1, Op::kDelete);
    set(at, cost_[at - 1] + 1, Op::kInsert);
  }

  void set(std::size_t at, std::int32_t cost, Op op) {
    if (cost < cost_[at]) {
      cost_[at] = cost;
      op_[at] = op;
    }
  }

  std::span<const std::uint32_t> reference_;
  std::size_t rows_, width_;
  std::vector<std::int32_t> cost_;
  std::vector<Op> op_;
};

// Which words are wrong, and behind which word of the hypothesis (-1: none) each word of the
// reference stands.
struct Errors {
  std::vector<bool> hypothesis, reference;
  std::vector<std::ptrdiff_t> place;

  explicit Errors(const std::vector<Op>& operations) {
    for (const Op op : operations) {
      if (op != Op::kInsert) hypothesis.push_back(op != Op::kKeep);
      if (op == Op::kDelete) continue;
      reference.push_back(op != Op::kKeep);
      place.push_back(static_cast<std::ptrdiff_t>(hypothesis.size()) - 1);
    }
  }
};

bool any(const std::vector<bool>& wrong, std::size_t begin, std::size_t length) {
  const auto first = wrong.begin() + static_cast<std::ptrdiff_t>(begin);
  return std::find(first, first + static_cast<std::ptrdiff_t>(length), true) !=
         first + static_cast<std::ptrdiff_t>(length);
}

// Moves a run of words to where `target` says, counted before the move.
Words moved(const Words& words, std::size_t begin, std::size_t length, std::size_t target) {
  Words out = words;
  const auto at = [&](std::size_t i) { return out.begin() + static_cast<std::ptrdiff_t>(i); };
  if (target < begin) {
    std::rotate(at(target), at(begin), at(begin + length));
  } else {
    const std::size_t end = target > begin + length ? target : length + target;
    std::rotate(at(begin), at(begin + length), at(std::min(end, words.size())));
  }
  return out;
}

// The shift that saves the most edits.
struct Shift {
  std::int32_t saved;
  std::size_t length, begin, target;
  Words words;

  // Of those that save as much: the longest, then the one from and to the first place.
  auto rank() const {
    const auto last = [](std::size_t place) { return -static_cast<std::ptrdiff_t>(place); };
    return std::tuple(saved, length, last(begin), last(target));
  }
};

class ShiftSearch {
 public:
  ShiftSearch(std::span<const std::uint32_t> hypothesis, std::span<const std::uint32_t> reference)
      : words_(hypothesis.begin(), hypothesis.end()),
        reference_(reference),
        present_(reference, hypothesis.size()),
        tried_(reference, hypothesis.size()) {}

  std::size_t edits() {
    std::size_t shifts = 0;
    distance_ = present_.fill(words_, 0);
    for (;;) {
      std::optional<Shift> best = find();
      if (candidates_ >= kMostCandidates || !best || best->saved <= 0) break;
      ++shifts;
      words_ = std::move(best->words);
      distance_ = present_.fill(words_, 0);
    }
    return shifts + static_cast<std::size_t>(distance_);
  }

 private:
  std::optional<Shift> find() {
    const Errors errors(present_.operations());
    std::optional<Shift> best;
    for (std::size_t h = 0; h < words_.size(); ++h) {
      const std::size_t end = std::min(reference_.size(), h + kFarthestShift + 1);
      for (std::size_t r = h - std::min(h, kFarthestShift); r < end; ++r) {
        for (std::size_t length = 1; length <= kLongestShift; ++length) {
          const std::size_t last = length - 1;
          if (h + last >= words_.size() || r + last >= reference_.size()) break;
          if (words_[h + last] != reference_[r + last]) break;
          try_run(errors, h, r, length, best);
          if (candidates_ >= kMostCandidates) return best;
        }
      }
    }
    return best;
  }

  void try_run(const Errors& errors, std::size_t h, std::size_t r, std::size_t length,
               std::optional<Shift>& best) {
    if (!any(errors.hypothesis, h, length) || !any(errors.reference, r, length)) return;
    const std::ptrdiff_t here = errors.place[r], begin = static_cast<std::ptrdiff_t>(h);
    if (begin <= here && here < begin + static_cast<std::ptrdiff_t>(length)) return;
    std::optional<std::size_t> before;
    for (std::size_t behind = r; behind <= r + length; ++behind) {  // a place of the reference
      if (behind > reference_.size()) break;
      const std::size_t target =
          behind == 0 ? 0 : static_cast<std::size_t>(errors.place[behind - 1] + 1);
      if (before == target) continue;
      before = target;
      Words words = moved(words_, h, length, target);
      Shift one{distance_ - distance_of(words), length, h, target, std::move(words)};
      ++candidates_;
      if (!best || one.rank() > best->rank()) best = std::move(one);
    }
  }

  // The distance of words that are as many: the rows up to the first other word are there.
  std::int32_t distance_of(const Words& words) {
    const auto known =
        static_cast<std::size_t>(std::ranges::mismatch(words, tried_words_).in1 - words.begin());
    tried_words_ = words;
    return tried_.fill(words, known);
  }

  Words words_, tried_words_;
  std::span<const std::uint32_t> reference_;
  EditTable present_, tried_;
  std::int32_t distance_ = 0;
  std::size_t candidates_ = 0;
};

}  // namespace

std::size_t shifted_edits(std::span<const std::uint32_t> hypothesis,
                          std::span<const std::uint32_t> reference) {
  if (reference.empty()) return hypothesis.size();
  return ShiftSearch(hypothesis, reference).edits();
}

}  // namespace hopefear
