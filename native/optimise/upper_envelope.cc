#include "optimise/upper_envelope.h"

#include <algorithm>
#include <cmath>

#include "base/id_vector.h"
#include "base/message.h"

namespace hopefear {
namespace {

// Where recursion stops, and sorting does the rest.
constexpr int kMaxDepth = 64;

double crossing(const Lines& lines, std::uint32_t left, std::uint32_t right) {
  return (lines.intercept[left] - lines.intercept[right]) /
         (lines.slope[right] - lines.slope[left]);
}

// How far line i is above another one at x; of differences, for crossings may be far away.
double above(const Lines& lines, std::uint32_t i, std::uint32_t other, double x) {
  return (lines.intercept[i] - lines.intercept[other]) + x * (lines.slope[i] - lines.slope[other]);
}

// Results by lane, since vector instructions need an order that can be changed.
constexpr std::size_t kLanes = 8;

template <class Value>
double maximum(std::size_t n, Value&& of) {
  double best[kLanes];
  std::fill_n(best, kLanes, -kInfinity);
  std::size_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    for (std::size_t l = 0; l < kLanes; ++l) {
      const double v = of(i + l);
      best[l] = v > best[l] ? v : best[l];
    }
  }
  for (; i < n; ++i) best[0] = std::max(best[0], of(i));
  return *std::max_element(best, best + kLanes);
}

bool finite(std::span<const double> values) {
  double rest[kLanes] = {};  // 0 · x is not 0 of infinity and NaN
  std::size_t i = 0;
  for (; i + kLanes <= values.size(); i += kLanes) {
    for (std::size_t l = 0; l < kLanes; ++l) rest[l] += 0 * values[i + l];
  }
  for (; i < values.size(); ++i) rest[0] += 0 * values[i];
  return std::all_of(rest, rest + kLanes, [](double r) { return r == 0; });
}

}  // namespace

void EnvelopeFinder::find(const Lines& lines, Envelope& out) {
  out.line.clear();
  out.start.clear();
  if (lines.size() == 0) return;
  find_candidates(lines);
  std::ranges::sort(candidates_, [&](std::uint32_t a, std::uint32_t b) {
    if (lines.slope[a] != lines.slope[b]) return lines.slope[a] < lines.slope[b];
    if (lines.intercept[a] != lines.intercept[b]) return lines.intercept[a] > lines.intercept[b];
    return a < b;
  });
  for (const std::uint32_t line : candidates_) {
    if (!out.line.empty() && lines.slope[line] == lines.slope[out.line.back()]) continue;
    double start = -kInfinity;
    while (!out.line.empty()) {
      start = crossing(lines, out.line.back(), line);
      if (start > out.start.back()) break;
      out.line.pop_back();
      out.start.pop_back();
      start = -kInfinity;
    }
    if (start == kInfinity) continue;  // too nearly parallel to be ever on top
    out.line.push_back(line);
    out.start.push_back(start);
  }
}

// Quickhull: a line that is below the crossing of two others, and has a slope between theirs, is on
// top nowhere; most lines go this way, and need no sorting.
void EnvelopeFinder::find_candidates(const Lines& lines) {
  const double *m = lines.slope.data(), *b = lines.intercept.data();
  const std::size_t n = lines.size();
  const double lowest = -maximum(n, [=](std::size_t i) { return -m[i]; });
  const double highest = maximum(n, [=](std::size_t i) { return m[i]; });
  std::size_t left = n, right = n;
  for (std::size_t i = 0; i < n; ++i) {
    if (m[i] == lowest && (left == n || b[i] > b[left])) left = i;
    if (m[i] == highest && (right == n || b[i] > b[right])) right = i;
  }
  const auto l = static_cast<std::uint32_t>(left), r = static_cast<std::uint32_t>(right);
  candidates_ = {l};
  if (lowest == highest) return;
  candidates_.push_back(r);

  const double x = crossing(lines, l, r);
  if (!std::isfinite(x)) {  // all are parallel, or nearly
    candidates_.resize(n);
    std::iota(candidates_.begin(), candidates_.end(), 0U);
    return;
  }
  std::uint32_t middle = l;
  double top = 0;
  for (std::uint32_t i = 0; i < n; ++i) {
    const double v = (b[i] - b[left]) + x * (m[i] - m[left]);
    if (v > top && i != r) {
      top = v;
      middle = i;
    }
  }
  if (middle == l) return;

  // As `halve` does, but for all lines at once.
  const double x1 = crossing(lines, l, middle), x2 = crossing(lines, middle, r);
  above_.resize(n);
  std::size_t kept = 0;
  const double bm = b[middle], mm = m[middle];
  for (std::uint32_t i = 0; i < n; ++i) {
    above_[kept] = i;
    kept += ((b[i] - bm) + x1 * (m[i] - mm) > 0) | ((b[i] - bm) + x2 * (m[i] - mm) > 0);
  }
  above_.resize(kept);
  halve(lines, 0, l, middle, r, 0);
}

// above_[begin..] are the lines above the crossing of `left` and `right`.
void EnvelopeFinder::split(const Lines& lines, std::size_t begin, std::uint32_t left,
                           std::uint32_t right, int depth) {
  if (begin == above_.size()) return;
  if (depth == kMaxDepth) {
    const auto rest = std::span(above_).subspan(begin);
    candidates_.insert(candidates_.end(), rest.begin(), rest.end());
    return;
  }
  const double x = crossing(lines, left, right);
  std::uint32_t middle = above_[begin];
  for (std::size_t j = begin + 1; j < above_.size(); ++j) {
    if (above(lines, above_[j], middle, x) > 0) middle = above_[j];
  }
  halve(lines, begin, left, middle, right, depth + 1);
}

// Of above_[begin..], what is above the crossing of `middle` and `left`, or of it and `right`.
void EnvelopeFinder::halve(const Lines& lines, std::size_t begin, std::uint32_t left,
                           std::uint32_t middle, std::uint32_t right, int depth) {
  candidates_.push_back(middle);
  const std::size_t end = above_.size();
  for (const auto& [l, r] : {std::pair{left, middle}, std::pair{middle, right}}) {
    if (!(lines.slope[l] < lines.slope[r])) continue;
    const double x = crossing(lines, l, r);
    for (std::size_t j = begin; j < end; ++j) {
      const std::uint32_t i = above_[j];
      if (i != l && i != r && above(lines, i, middle, x) > 0) above_.push_back(i);
    }
    split(lines, end, l, r, depth);
    above_.resize(end);
  }
}

Sweep sweep(const Lines& lines, std::span<const std::int64_t> begin,
            std::span<const double> statistics, std::size_t width) {
  expect(finite(lines.slope) && finite(lines.intercept), "expected finite slopes and intercepts");
  struct Change {
    double x;
    std::size_t from, to;
  };
  std::vector<Change> changes;
  Sweep out{{}, std::vector<double>(width, 0.0)};
  const auto row = [&](std::size_t line) { return statistics.subspan(line * width, width); };
  EnvelopeFinder finder;
  Envelope envelope;
  for (std::size_t g = 0; g + 1 < begin.size(); ++g) {
    const std::size_t first = place_of(begin[g]), count = place_of(begin[g + 1]) - first;
    if (count == 0) continue;
    finder.find({lines.slope.subspan(first, count), lines.intercept.subspan(first, count)},
                envelope);
    std::size_t from = first + envelope.line[0];
    for (std::size_t k = 0; k < width; ++k) out.sums[k] += row(from)[k];
    for (std::size_t p = 1; p < envelope.line.size(); ++p) {
      const std::size_t to = first + envelope.line[p];
      if (std::ranges::equal(row(from), row(to))) continue;
      changes.push_back({envelope.start[p], from, to});
      from = to;
    }
  }
  std::ranges::stable_sort(changes, {}, &Change::x);
  out.boundary.reserve(changes.size());
  out.sums.reserve((changes.size() + 1) * width);
  for (const Change& change : changes) {
    if (out.boundary.empty() || change.x > out.boundary.back()) {
      out.boundary.push_back(change.x);
      const std::size_t last = out.sums.size() - width;
      for (std::size_t k = 0; k < width; ++k) out.sums.push_back(out.sums[last + k]);
    }
    double* const sum = &out.sums[out.sums.size() - width];
    for (std::size_t k = 0; k < width; ++k) sum[k] += row(change.to)[k] - row(change.from)[k];
  }
  return out;
}

}  // namespace hopefear
