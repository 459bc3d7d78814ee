#include <algorithm>
#include <cstring>
#include <unordered_map>

#include "base/feature_name.h"
#include "base/line_reader.h"
#include "forest/cdec_archive.h"
#include "forest/cdec_archive_format.h"
#include "forest/score.h"

namespace hopefear {
namespace {

using namespace cdec_archive;

void expect_utf8(std::string_view text, std::size_t offset) {
  if (const std::size_t bad = find_bad_utf8(text); bad != std::string_view::npos)
    throw ArchiveError(offset + bad, "expected UTF-8, got another byte");
}

// The values of an archive one after the other.
class ArchiveReader {
 public:
  explicit ArchiveReader(std::string_view archive) : data_(archive) {}

  std::size_t offset() const { return at_; }
  std::size_t rest() const { return data_.size() - at_; }

  template <class T>
  T number() {
    expect_bytes(sizeof(T));
    T value;
    std::memcpy(&value, data_.data() + at_, sizeof(T));
    at_ += sizeof(T);
    return value;
  }

  // A number of items that take at least so many bytes each.
  template <class T>
  std::size_t count(const char* items, std::size_t least_bytes) {
    const std::size_t begin = at_;
    const T value = number<T>();
    if (value > rest() / least_bytes) {
      throw ArchiveError(begin, "expected at most ", rest() / least_bytes, " ", items,
                         " in the rest of the file, got ", value);
    }
    return static_cast<std::size_t>(value);
  }

  // A text of any bytes.
  std::string_view bytes() {
    const std::size_t size = count<std::uint64_t>("bytes of text", 1);
    const std::string_view value = data_.substr(at_, size);
    at_ += size;
    return value;
  }

  std::string_view text() {
    const std::string_view value = bytes();
    expect_utf8(value, at_ - value.size());
    return value;
  }

  // Reads a text if it is the next value.
  bool take(std::string_view expected) {
    const std::uint64_t size = expected.size();
    const std::string_view next = data_.substr(at_);
    if (next.size() < sizeof size + size || next.substr(sizeof size, size) != expected ||
        std::memcmp(next.data(), &size, sizeof size) != 0) {
      return false;
    }
    at_ += sizeof size + size;
    return true;
  }

  // Reads what stands before the first object of a class.
  void expect(const Class& expected, bool& known) {
    if (std::exchange(known, true)) return;
    const std::size_t begin = at_;
    const auto tracked = number<std::uint8_t>();
    const auto version = number<std::uint32_t>();
    if (tracked != (expected.tracked ? 1 : 0) || version != expected.version) {
      throw ArchiveError(begin, "expected version ", expected.version, " of a ", expected.name,
                         expected.tracked ? ", tracked" : ", not tracked", ", got version ",
                         version, tracked ? ", tracked" : ", not tracked");
    }
  }

  template <class T>
  void expect_number(T expected, const std::string& what) {
    const std::size_t begin = at_;
    if (const T value = number<T>(); value != expected) {
      throw ArchiveError(begin, "expected ", what, " ", expected, ", got ", value);
    }
  }

 private:
  void expect_bytes(std::size_t size) const {
    if (rest() < size) {
      throw ArchiveError(data_.size(), "expected ", size - rest(),
                         " more bytes, got the end of the file");
    }
  }

  std::string_view data_;
  std::size_t at_ = 0;
};

// Reads a forest into ForestParts.
class ForestReader {
 public:
  ForestReader(std::string_view archive, Weights& weights, std::string_view without)
      : in_(archive), weights_(weights), without_(without) {}

  std::shared_ptr<Forest> read(ForestGround ground) {
    read_header();
    in_.expect(kHypergraph, seen_.hypergraph);
    constexpr std::size_t kNodeBytes = 36, kEdgeBytes = 28;  // at least
    const std::size_t nodes = in_.count<std::uint32_t>("nodes", kNodeBytes);
    const std::size_t edges = in_.count<std::uint32_t>("edges", kEdgeBytes);
    while (node_offset_.size() < nodes) read_node(node_offset_.count());
    while (edges_.size() < edges) read_edge(edges_.count());
    in_.number<std::int32_t>();  // whether edges are sorted
    in_.number<std::int32_t>();  // whether the forest is a chain
    if (in_.rest() > 0) {
      throw ArchiveError(in_.offset(), "expected the end of the file, got ", in_.rest(),
                         " more bytes");
    }
    sort_edges();
    try {
      std::shared_ptr<Forest> forest = build_forest(std::move(parts_), std::move(ground));
      forest->reweight(weights_);
      return forest;
    } catch (const BadPart& bad) {
      refuse(bad);
    } catch (const std::invalid_argument& error) {
      throw ArchiveError(0, error.what());
    } catch (const ScoreError& error) {
      throw ArchiveError(0, error.what());
    }
  }

 private:
  struct Edge {
    std::size_t offset;
    NodeId head;
    LocalRule rule;
    std::int32_t begin, end;  // the span
  };

  void read_header() {
    if (!in_.take(kSignature))
      throw ArchiveError(0, "expected a binary archive of Boost.Serialization, got another file");
    const std::size_t begin = in_.offset();
    if (const auto version = in_.number<std::uint16_t>(); version < kOldestVersion) {
      throw ArchiveError(begin, "expected an archive of version ", kOldestVersion,
                         " or later, got ", version);
    }
    for (std::size_t k = 0; k < kSizes.size(); ++k)
      in_.expect_number(kSizes[k], std::string("a ") + kTypes[k] + " whose bytes are");
    in_.expect_number<std::int32_t>(1, "byte order");
  }

  void read_node(NodeId v) {
    in_.expect(kNode, seen_.node);
    node_offset_.push_back(in_.offset());
    in_.number<std::uint64_t>();  // a hash of the state of the search
    in_.expect_number(v, "the number of a node");
    parts_.category.emplace_back(in_.text());
    for (auto left = in_.count<std::uint64_t>("edges", 4); left > 0; --left)
      edges_into_.values.push_back(in_.number<std::int32_t>());
    edges_into_.close();
    for (auto left = in_.count<std::uint64_t>("edges", 4); left > 0; --left)
      in_.number<std::int32_t>();  // edges out of the node: their tails say the same
  }

  void read_edge(EdgeId e) {
    in_.expect(kEdge, seen_.edge);
    Edge edge{.offset = in_.offset(),
              .head = in_.number<std::int32_t>(),
              .rule = 0,
              .begin = 0,
              .end = 0};
    in_.expect(kTails, seen_.tails);
    for (auto left = in_.count<std::uint16_t>("tails", 4); left > 0; --left)
      tails_.values.push_back(in_.number<std::int32_t>());
    tails_.close();
    edge.rule = read_pointer();
    read_vector(entries_);
    keep_own(entries_, rule_entries_[edge.rule]);
    edge.begin = in_.number<std::int16_t>();
    edge.end = in_.number<std::int16_t>();
    in_.number<std::int16_t>();  // the span in the source, in synchronous parsing
    in_.number<std::int16_t>();
    in_.expect_number(e, "the number of an edge");
    edges_.push_back(edge);
  }

  LocalRule read_pointer() {
    in_.expect(kPointer, seen_.pointer);
    const std::size_t begin = in_.offset();
    const auto number = in_.number<std::int16_t>();
    if (number < 0) throw ArchiveError(begin, "expected an edge with a rule, got none");
    if (rule_class_ && number != *rule_class_) {
      throw ArchiveError(begin, "expected class ", *rule_class_, " of a rule, got class ", number);
    }
    rule_class_ = number;
    in_.expect(kRule, seen_.rule);
    const std::size_t at = in_.offset();
    const auto rule = in_.number<std::uint32_t>();
    if (rule > parts_.rules.size()) {
      throw ArchiveError(at, "expected a rule from 0 to ", parts_.rules.size(), ", got ", rule);
    }
    if (rule == parts_.rules.size()) read_rule();
    return static_cast<LocalRule>(rule);
  }

  void read_rule() {
    rule_offset_.push_back(in_.offset());
    RuleParts rule;
    rule.lhs = in_.text();
    std::uint64_t nonterminals = 0;
    int arity = 0;
    for (auto left = read_symbols(nonterminals); left > 0; --left, nonterminals >>= 1) {
      rule.source.emplace_back(in_.text(), (nonterminals & 1) != 0);
      arity += (nonterminals & 1) != 0;
    }
    for (auto left = read_symbols(nonterminals); left > 0; --left, nonterminals >>= 1) {
      if ((nonterminals & 1) == 0) {
        rule.target.emplace_back(in_.text(), 0);
        continue;
      }
      const std::size_t begin = in_.offset();
      const auto index = in_.number<std::int32_t>();  // 0, -1, ...
      if (index > 0 || index <= -kMostSymbols) {
        throw ArchiveError(begin, "expected a nonterminal from 0 down to ", 1 - kMostSymbols,
                           ", got ", index);
      }
      rule.target.emplace_back("", 1 - index);
    }
    in_.expect_number(static_cast<std::int8_t>(arity), "the arity of a rule");
    const std::size_t begin = in_.offset();
    read_vector(entries_);
    for (const auto& [feature, value] : entries_) {
      // Checked here: a wrong value of a rule would show in all its edges, too.
      if (!std::isfinite(static_cast<float>(value)))
        throw ArchiveError(begin, "expected feature values of single precision, got ", value);
      rule.features.push_back(feature);
      rule.values.push_back(value);
    }
    rule_entries_.push_back(entries_);
    parts_.rules.push_back(std::move(rule));
  }

  std::size_t read_symbols(std::uint64_t& nonterminals) {
    const std::size_t begin = in_.offset();
    const auto size = in_.number<std::uint32_t>();
    if (std::cmp_greater(size, kMostSymbols)) {
      throw ArchiveError(begin, "expected at most ", kMostSymbols,
                         " symbols on a side of a rule, got ", size);
    }
    nonterminals = in_.number<std::uint64_t>();
    return size;
  }

  void read_vector(Entries& entries) {
    in_.expect(kVector, seen_.vector);
    entries.clear();
    const std::size_t begin = in_.offset();
    for (auto left = in_.count<std::uint32_t>("features", 16); left > 0; --left) {
      in_.expect(kPair, seen_.pair);
      const std::size_t at = in_.offset();
      const std::string_view name = in_.bytes();
      const auto value = in_.number<double>();
      if (name.empty() || name != without_) entries.emplace_back(feature_of(name, at), value);
    }
    std::sort(entries.begin(), entries.end(), by_feature);
    const auto twice =
        std::adjacent_find(entries.begin(), entries.end(),
                           [](const auto& a, const auto& b) { return a.first == b.first; });
    if (twice != entries.end())
      throw ArchiveError(
          begin, "expected each feature once, got " + weights_.name(twice->first) + " twice");
  }

  FeatureId feature_of(std::string_view name, std::size_t offset) {
    const auto [entry, fresh] = feature_ids_.try_emplace(name, 0);
    if (fresh) {
      expect_utf8(name, offset + sizeof(std::uint64_t));
      try {
        entry->second = weights_.intern(name);
      } catch (const NameError& error) {
        throw ArchiveError(offset, error.what());
      }
    }
    return entry->second;
  }

  // Keeps what an edge has beside the features of its rule.
  void keep_own(const Entries& of_edge, const Entries& of_rule) {
    auto rule = of_rule.begin();
    const auto keep = [&](FeatureId feature, double value) {
      if (value == 0.0) return;
      own_.values.emplace_back(feature, value);
    };
    const auto written = [](double value) { return double{static_cast<float>(value)}; };
    const auto without_edge = [&](FeatureId end) {
      for (; rule != of_rule.end() && rule->first < end; ++rule)
        keep(rule->first, -written(rule->second));
    };
    for (const auto& [feature, value] : of_edge) {
      without_edge(feature);
      if (rule == of_rule.end() || rule->first != feature) {
        keep(feature, value);
        continue;
      }
      if (value != rule->second) keep(feature, value - written(rule->second));
      ++rule;
    }
    without_edge(std::numeric_limits<FeatureId>::max());
    own_.close();
  }

  // Gives the edges to parts_, those into a node one after the other.
  void sort_edges() {
    IdVector<EdgeId, bool> seen(edges_.count(), false);
    for (const NodeId v : edges_into_.ids()) {
      for (const EdgeId e : edges_into_[v]) {
        if (!edges_.has(e)) {
          refuse_node(v, "expected edges from 0 to ", edges_.count() - 1, ", got ", e);
        }
        if (seen[e]) refuse_node(v, "expected each edge once, got edge ", e);
        seen[e] = true;
        if (edges_[e].head != v)
          refuse_node(v, "expected edges into this node, got edge ", e, " into node ",
                      edges_[e].head);
        if (parts_.span.count() == 2 * v) {  // as cdec, which keeps no span of a node
          parts_.span.push_back(edges_[e].begin);
          parts_.span.push_back(edges_[e].end);
        }
        add_edge(e);
      }
      if (parts_.span.count() == 2 * v) refuse_node(v, "expected an edge into this node, got none");
    }
    for (const EdgeId e : seen.ids()) {
      if (!seen[e]) refuse_edge(e, "expected a node with this edge, got none");
    }
    for (const NodeId v : edges_into_.ids())
      parts_.source_length = std::max(parts_.source_length, parts_.span[2 * v + 1]);
    parts_.tails_begin.push_back(parts_.tails.count());
    parts_.features_begin.push_back(parts_.features.count());
  }

  void add_edge(EdgeId e) {
    parts_.head.push_back(edges_[e].head);
    parts_.rule.push_back(edges_[e].rule);
    parts_.score.push_back(0.0);
    parts_.tails_begin.push_back(parts_.tails.count());
    parts_.tails.insert(parts_.tails.end(), tails_[e].begin(), tails_[e].end());
    parts_.features_begin.push_back(parts_.features.count());
    for (const auto& [feature, value] : own_[e]) {
      parts_.features.push_back(feature);
      parts_.values.push_back(value);
    }
  }

  // Says where in the file the part is that is wrong, under its number in the file.
  [[noreturn]] void refuse(const BadPart& bad) const {
    if (bad.kind == BadPart::kNode) refuse_node(bad.number, bad.message);
    if (bad.kind == BadPart::kRule) {
      throw ArchiveError(rule_offset_[bad.number], "rule ", bad.number, ": ", bad.message);
    }
    refuse_edge(edges_into_.values[bad.number], bad.message);
  }

  [[noreturn]] void refuse_node(NodeId v, const auto&... message) const {
    throw ArchiveError(node_offset_[v], "node ", v, ": ", message...);
  }
  [[noreturn]] void refuse_edge(EdgeId e, const auto&... message) const {
    throw ArchiveError(edges_[e].offset, "edge ", e, ": ", message...);
  }

  ArchiveReader in_;
  Weights& weights_;
  std::string_view without_;
  SeenClasses seen_;
  std::optional<std::int16_t> rule_class_;
  IdVector<NodeId, std::size_t> node_offset_;
  IdVector<LocalRule, std::size_t> rule_offset_;
  IdRows<NodeId, EdgeId> edges_into_;
  IdVector<EdgeId, Edge> edges_;
  IdRows<EdgeId, NodeId> tails_;
  IdRows<EdgeId, Entries::value_type> own_;  // what an edge has beside the features of its rule
  IdVector<LocalRule, Entries> rule_entries_;
  std::unordered_map<std::string_view, FeatureId> feature_ids_;
  Entries entries_;
  ForestParts parts_;
};

}  // namespace

std::shared_ptr<Forest> read_cdec_forest(std::string_view archive, Weights& weights,
                                         std::string_view without, ForestGround ground) {
  return ForestReader(archive, weights, without).read(std::move(ground));
}

}  // namespace hopefear
