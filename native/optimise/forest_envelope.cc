#include "optimise/forest_envelope.h"

#include <algorithm>
#include <cmath>

#include "optimise/upper_envelope.h"

namespace hopefear {
namespace {

// Lines, each a derivation of a node: an edge, and for each of its tails a piece of that node.
struct Derivations {
  std::vector<double> slope, intercept;
  std::vector<EdgeId> edge;
  std::vector<std::uint32_t> tail_pieces;  // where the back-pointers begin

  void add(double m, double b, EdgeId e, std::uint32_t pieces) {
    slope.push_back(m);
    intercept.push_back(b);
    edge.push_back(e);
    tail_pieces.push_back(pieces);
  }
  void clear() {
    slope.clear();
    intercept.clear();
    edge.clear();
    tail_pieces.clear();
  }
};

struct Node {
  Derivations lines;
  std::vector<double> start;
};

using Numbers = IdSpan<FeatureId, const double>;

class Search {
 public:
  Search(const Forest& forest, Numbers weights, Numbers direction)
      : forest_(forest), weights_(weights), direction_(direction) {}

  ForestEnvelope run() {
    ForestEnvelope out;
    if (forest_.empty()) return out;
    nodes_.resize(forest_.nodes());
    for (const NodeId v : nodes_.ids()) visit(v);
    const Node& goal = nodes_.back();
    out.start = goal.start;
    out.slope = goal.lines.slope;
    out.intercept = goal.lines.intercept;
    out.derivation.resize(goal.start.size());
    for (std::size_t p = 0; p < goal.start.size(); ++p)
      append(forest_.goal(), p, out.derivation[p]);
    return out;
  }

 private:
  // The maximum over a node's edges: the envelope of all their lines.
  void visit(NodeId v) {
    lines_.clear();
    pieces_.clear();
    for (const EdgeId e : forest_.edges_into(v)) add_sum(e);
    finder_.find({lines_.slope, lines_.intercept}, envelope_);
    Node& node = nodes_[v];
    node.start = envelope_.start;
    for (const std::uint32_t l : envelope_.line) {
      node.lines.add(lines_.slope[l], lines_.intercept[l], lines_.edge[l],
                     count_of<std::uint32_t>(back_));
      const auto pieces = pieces_.begin() + lines_.tail_pieces[l];
      back_.insert(back_.end(), pieces, pieces + forest_.tails_of(lines_.edge[l]).count());
    }
  }

  // The sum of the tails' envelopes, and the edge's own line: a piece between any two boundaries.
  void add_sum(EdgeId e) {
    double own_slope = 0, own_intercept = 0;
    forest_.visit_features(e, [&](FeatureId feature, double value) {
      if (direction_.has(feature)) own_slope += direction_[feature] * value;
      if (weights_.has(feature)) own_intercept += weights_[feature] * value;
    });
    expect(std::isfinite(own_slope) && std::isfinite(own_intercept),
           "expected a finite score of each edge: a weight or a feature value is infinite or not "
           "a number");
    const std::span<const NodeId> tails = forest_.tails_of(e);
    piece_.assign(tails.size(), 0);
    for (double next = 0; next < kInfinity;) {
      double slope = own_slope, intercept = own_intercept;
      next = kInfinity;
      for (std::size_t t = 0; t < tails.size(); ++t) {
        const Node& tail = nodes_[tails[t]];
        slope += tail.lines.slope[piece_[t]];
        intercept += tail.lines.intercept[piece_[t]];
        if (piece_[t] + 1 < tail.start.size()) next = std::min(next, tail.start[piece_[t] + 1]);
      }
      lines_.add(slope, intercept, e, count_of<std::uint32_t>(pieces_));
      pieces_.insert(pieces_.end(), piece_.begin(), piece_.end());
      for (std::size_t t = 0; t < tails.size(); ++t) {
        const Node& tail = nodes_[tails[t]];
        piece_[t] += piece_[t] + 1 < tail.start.size() && tail.start[piece_[t] + 1] == next;
      }
    }
  }

  void append(NodeId v, std::size_t piece, Derivation& out) const {
    const Derivations& lines = nodes_[v].lines;
    const EdgeId e = lines.edge[piece];
    out.push_back(e);
    std::size_t place = lines.tail_pieces[piece];
    for (const NodeId tail : forest_.tails_of(e)) append(tail, back_[place++], out);
  }

  const Forest& forest_;
  Numbers weights_, direction_;
  IdVector<NodeId, Node> nodes_;
  std::vector<std::uint32_t> back_;
  // of the node under way
  Derivations lines_;
  std::vector<std::uint32_t> pieces_;  // back-pointers of lines_
  std::vector<std::uint32_t> piece_;   // of each tail
  EnvelopeFinder finder_;
  Envelope envelope_;
};

}  // namespace

ForestEnvelope forest_envelope(const Forest& forest, Numbers weights, Numbers direction) {
  return Search(forest, weights, direction).run();
}

}  // namespace hopefear
