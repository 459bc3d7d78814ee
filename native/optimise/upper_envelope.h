// The upper envelope of lines, and the sum of many envelopes from left to right: the basis of an
// exact line search (Och 2003; Macherey, Och, Thayer & Uszkoreit 2008).
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace hopefear {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Line i is intercept[i] + x * slope[i]; all values must be finite.
struct Lines {
  std::span<const double> slope, intercept;

  std::size_t size() const { return slope.size(); }
};

// Pieces from left to right: the line on top and the beginning of its piece; the first begins at
// -infinity.
struct Envelope {
  std::vector<std::uint32_t> line;
  std::vector<double> start;
};

// Finds envelopes; keeps its memory from one to the next.
class EnvelopeFinder {
 public:
  // Of equal lines the first is on top; lines that only touch the envelope have no piece.
  void find(const Lines& lines, Envelope& out);

 private:
  void find_candidates(const Lines& lines);
  void split(const Lines& lines, std::size_t begin, std::uint32_t left, std::uint32_t right,
             int depth);
  void halve(const Lines& lines, std::size_t begin, std::uint32_t left, std::uint32_t middle,
             std::uint32_t right, int depth);

  std::vector<std::uint32_t> candidates_, above_;
};

// The sums of the statistics of the lines on top of many envelopes. `sums` has a row for each
// interval: before the first boundary, between two boundaries, and after the last.
struct Sweep {
  std::vector<double> boundary;  // ascending, all different
  std::vector<double> sums;      // (boundaries + 1) × width
};

// The lines of group g are begin[g]..begin[g + 1]; each line has `width` statistics. Boundaries
// where no statistic changes are left out.
Sweep sweep(const Lines& lines, std::span<const std::int64_t> begin,
            std::span<const double> statistics, std::size_t width);

}  // namespace hopefear
