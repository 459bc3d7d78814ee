#include "forest/cdec_archive.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/feature_name.h"
#include "base/line_reader.h"
#include "forest/forest_builder.h"

namespace hopefear {
namespace {

static_assert(std::endian::native == std::endian::little, "archives are little-endian");

constexpr std::string_view kSignature = "serialization::archive";
// Versions of Boost.Serialization, not of Boost. Before 8, sizes and versions of classes have fewer
// bytes. cdec's newest forests have 18.
constexpr std::uint16_t kOldestVersion = 8, kWrittenVersion = 18;
constexpr std::array<const char*, 4> kTypes{"int", "long", "float", "double"};
constexpr std::array<std::uint8_t, 4> kSizes{4, 8, 4, 8};

// What stands before the first object of a class.
struct Class {
  const char* name;
  bool tracked;
  std::uint32_t version;
};
constexpr Class kHypergraph{"hypergraph", false, 0}, kNode{"node", false, 0},
    kEdge{"edge", false, 0}, kTails{"tails", false, 0}, kPointer{"pointer to a rule", false, 1},
    kRule{"rule", true, 0}, kVector{"feature vector", false, 0}, kPair{"feature", false, 0};
constexpr std::int16_t kRuleClass = 6;    // cdec numbers its classes in the order of first use
constexpr std::size_t kMostSymbols = 64;  // on one side of a rule: a mask marks the nonterminals

using Entries = std::vector<std::pair<FeatureId, double>>;

bool by_feature(const Entries::value_type& a, const Entries::value_type& b) {
  return a.first < b.first;
}

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
      throw ArchiveError(begin, "expected at most " + std::to_string(rest() / least_bytes) + " " +
                                    items + " in the rest of the file, got " +
                                    std::to_string(value));
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
      throw ArchiveError(begin, std::string("expected version ") +
                                    std::to_string(expected.version) + " of a " + expected.name +
                                    (expected.tracked ? ", tracked" : ", not tracked") +
                                    ", got version " + std::to_string(version) +
                                    (tracked ? ", tracked" : ", not tracked"));
    }
  }

  template <class T>
  void expect_number(T expected, const std::string& what) {
    const std::size_t begin = at_;
    if (const T value = number<T>(); value != expected) {
      throw ArchiveError(begin, "expected " + what + " " + std::to_string(expected) + ", got " +
                                    std::to_string(value));
    }
  }

 private:
  void expect_bytes(std::size_t size) const {
    if (rest() < size) {
      throw ArchiveError(data_.size(), "expected " + std::to_string(size - rest()) +
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
    bool known = false;
    in_.expect(kHypergraph, known);
    constexpr std::size_t kNodeBytes = 36, kEdgeBytes = 28;  // at least
    const std::size_t nodes = in_.count<std::uint32_t>("nodes", kNodeBytes);
    const std::size_t edges = in_.count<std::uint32_t>("edges", kEdgeBytes);
    for (std::size_t v = 0; v < nodes; ++v) read_node(v);
    for (std::size_t e = 0; e < edges; ++e) read_edge(e);
    in_.number<std::int32_t>();  // whether edges are sorted
    in_.number<std::int32_t>();  // whether the forest is a chain
    if (in_.rest() > 0) {
      throw ArchiveError(in_.offset(), "expected the end of the file, got " +
                                           std::to_string(in_.rest()) + " more bytes");
    }
    sort_edges();
    try {
      std::shared_ptr<Forest> forest = build_forest(std::move(parts_), std::move(ground));
      forest->reweight(weights_.data());
      return forest;
    } catch (const BadPart& bad) {
      refuse(bad);
    } catch (const std::invalid_argument& error) {
      throw ArchiveError(0, error.what());
    }
  }

 private:
  struct Edge {
    std::size_t offset;
    NodeId head;
    std::int32_t rule;
    std::int32_t begin, end;      // the span
    std::int32_t tails_begin;     // in tails_
    std::int32_t features_begin;  // in features_ and values_
  };

  void read_header() {
    if (!in_.take(kSignature))
      throw ArchiveError(0, "expected a binary archive of Boost.Serialization, got another file");
    const std::size_t begin = in_.offset();
    if (const auto version = in_.number<std::uint16_t>(); version < kOldestVersion) {
      throw ArchiveError(begin, "expected an archive of version " + std::to_string(kOldestVersion) +
                                    " or later, got " + std::to_string(version));
    }
    for (std::size_t k = 0; k < kSizes.size(); ++k)
      in_.expect_number(kSizes[k], std::string("a ") + kTypes[k] + " whose bytes are");
    in_.expect_number<std::int32_t>(1, "byte order");
  }

  void read_node(std::size_t v) {
    in_.expect(kNode, node_known_);
    node_offset_.push_back(in_.offset());
    in_.number<std::uint64_t>();  // a hash of the state of the search
    in_.expect_number(static_cast<std::int32_t>(v), "the number of a node");
    parts_.category.emplace_back(in_.text());
    for (auto left = in_.count<std::uint64_t>("edges", 4); left > 0; --left)
      order_.push_back(in_.number<std::int32_t>());
    in_edges_end_.push_back(order_.size());
    for (auto left = in_.count<std::uint64_t>("edges", 4); left > 0; --left)
      in_.number<std::int32_t>();  // edges out of the node: their tails say the same
  }

  void read_edge(std::size_t e) {
    in_.expect(kEdge, edge_known_);
    Edge edge{.offset = in_.offset(),
              .head = in_.number<std::int32_t>(),
              .rule = 0,
              .begin = 0,
              .end = 0,
              .tails_begin = size_of(tails_),
              .features_begin = size_of(features_)};
    in_.expect(kTails, tails_known_);
    for (auto left = in_.count<std::uint16_t>("tails", 4); left > 0; --left)
      tails_.push_back(in_.number<std::int32_t>());
    edge.rule = read_pointer();
    read_vector(entries_);
    keep_own(entries_, rule_entries_[static_cast<std::size_t>(edge.rule)]);
    edge.begin = in_.number<std::int16_t>();
    edge.end = in_.number<std::int16_t>();
    in_.number<std::int16_t>();  // the span in the source, in synchronous parsing
    in_.number<std::int16_t>();
    in_.expect_number(static_cast<std::int32_t>(e), "the number of an edge");
    edges_.push_back(edge);
  }

  std::int32_t read_pointer() {
    in_.expect(kPointer, pointer_known_);
    const std::size_t begin = in_.offset();
    const auto number = in_.number<std::int16_t>();
    if (number < 0) throw ArchiveError(begin, "expected an edge with a rule, got none");
    if (rule_class_ && number != *rule_class_) {
      throw ArchiveError(begin, "expected class " + std::to_string(*rule_class_) +
                                    " of a rule, got class " + std::to_string(number));
    }
    rule_class_ = number;
    in_.expect(kRule, rule_known_);
    const std::size_t at = in_.offset();
    const auto rule = in_.number<std::uint32_t>();
    if (rule > parts_.rules.size()) {
      throw ArchiveError(at, "expected a rule from 0 to " + std::to_string(parts_.rules.size()) +
                                 ", got " + std::to_string(rule));
    }
    if (rule == parts_.rules.size()) read_rule();
    return static_cast<std::int32_t>(rule);
  }

  void read_rule() {
    rule_offset_.push_back(in_.offset());
    RuleParts rule;
    rule.lhs = in_.text();
    std::uint64_t nonterminals = 0;
    std::size_t arity = 0;
    for (auto left = read_symbols(nonterminals); left > 0; --left, nonterminals >>= 1) {
      rule.source.emplace_back(in_.text(), (nonterminals & 1) != 0);
      arity += nonterminals & 1;
    }
    for (auto left = read_symbols(nonterminals); left > 0; --left, nonterminals >>= 1) {
      if ((nonterminals & 1) == 0) {
        rule.target.emplace_back(in_.text(), 0);
        continue;
      }
      const std::size_t begin = in_.offset();
      const auto index = in_.number<std::int32_t>();  // 0, -1, ...
      if (index > 0 || index <= -static_cast<std::int32_t>(kMostSymbols)) {
        throw ArchiveError(begin, "expected a nonterminal from 0 down to " +
                                      std::to_string(1 - static_cast<int>(kMostSymbols)) +
                                      ", got " + std::to_string(index));
      }
      rule.target.emplace_back("", 1 - index);
    }
    in_.expect_number(static_cast<std::int8_t>(arity), "the arity of a rule");
    const std::size_t begin = in_.offset();
    read_vector(entries_);
    for (const auto& [feature, value] : entries_) {
      // Checked here: a wrong value of a rule would show in all its edges, too.
      if (!std::isfinite(static_cast<float>(value)))
        throw ArchiveError(
            begin, "expected feature values of single precision, got " + std::to_string(value));
      rule.features.push_back(feature);
      rule.values.push_back(value);
    }
    rule_entries_.push_back(entries_);
    parts_.rules.push_back(std::move(rule));
  }

  std::size_t read_symbols(std::uint64_t& nonterminals) {
    const std::size_t begin = in_.offset();
    const auto size = in_.number<std::uint32_t>();
    if (size > kMostSymbols) {
      throw ArchiveError(begin, "expected at most " + std::to_string(kMostSymbols) +
                                    " symbols on a side of a rule, got " + std::to_string(size));
    }
    nonterminals = in_.number<std::uint64_t>();
    return size;
  }

  void read_vector(Entries& entries) {
    in_.expect(kVector, vector_known_);
    entries.clear();
    const std::size_t begin = in_.offset();
    for (auto left = in_.count<std::uint32_t>("features", 16); left > 0; --left) {
      in_.expect(kPair, pair_known_);
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
      features_.push_back(feature);
      values_.push_back(value);
    };
    const auto without_edge = [&](FeatureId end) {
      for (; rule != of_rule.end() && rule->first < end; ++rule)
        keep(rule->first, -static_cast<double>(static_cast<float>(rule->second)));
    };
    for (const auto& [feature, value] : of_edge) {
      without_edge(feature);
      if (rule == of_rule.end() || rule->first != feature) {
        keep(feature, value);
        continue;
      }
      if (value != rule->second)
        keep(feature, value - static_cast<double>(static_cast<float>(rule->second)));
      ++rule;
    }
    without_edge(std::numeric_limits<FeatureId>::max());
  }

  // Gives the edges to parts_, those into a node one after the other.
  void sort_edges() {
    std::vector<bool> seen(edges_.size(), false);
    std::size_t next = 0;
    for (std::size_t v = 0; v < node_offset_.size(); ++v) {
      for (std::size_t first = next; next < in_edges_end_[v]; ++next) {
        const std::int32_t e = order_[next];
        if (e < 0 || static_cast<std::size_t>(e) >= edges_.size()) {
          refuse_node(v, "expected edges from 0 to " +
                             std::to_string(static_cast<std::int64_t>(edges_.size()) - 1) +
                             ", got " + std::to_string(e));
        }
        const auto i = static_cast<std::size_t>(e);
        if (seen[i]) refuse_node(v, "expected each edge once, got edge " + std::to_string(e));
        seen[i] = true;
        if (edges_[i].head != static_cast<NodeId>(v))
          refuse_node(v, "expected edges into this node, got edge " + std::to_string(e) +
                             " into node " + std::to_string(edges_[i].head));
        if (next == first) {  // as cdec, which keeps no span of a node
          parts_.span.push_back(edges_[i].begin);
          parts_.span.push_back(edges_[i].end);
        }
        add_edge(i);
      }
      if (parts_.span.size() == 2 * v) refuse_node(v, "expected an edge into this node, got none");
    }
    if (const auto lost = std::find(seen.begin(), seen.end(), false); lost != seen.end()) {
      const auto e = static_cast<std::size_t>(lost - seen.begin());
      throw ArchiveError(edges_[e].offset, "edge " + std::to_string(e) +
                                               ": expected a node with this edge, got none");
    }
    for (std::size_t k = 1; k < parts_.span.size(); k += 2)
      parts_.source_length = std::max(parts_.source_length, parts_.span[k]);
    parts_.tails_begin.push_back(size_of(parts_.tails));
    parts_.features_begin.push_back(size_of(parts_.features));
  }

  void add_edge(std::size_t e) {
    const Edge& edge = edges_[e];
    parts_.head.push_back(edge.head);
    parts_.rule.push_back(edge.rule);
    parts_.score.push_back(0.0);
    const bool last = e + 1 == edges_.size();
    const auto copy = [](const auto& from, auto& to, std::int32_t begin, std::int32_t end) {
      to.insert(to.end(), from.begin() + begin, from.begin() + end);
    };
    parts_.tails_begin.push_back(size_of(parts_.tails));
    copy(tails_, parts_.tails, edge.tails_begin,
         last ? size_of(tails_) : edges_[e + 1].tails_begin);
    const std::int32_t end = last ? size_of(features_) : edges_[e + 1].features_begin;
    parts_.features_begin.push_back(size_of(parts_.features));
    copy(features_, parts_.features, edge.features_begin, end);
    copy(values_, parts_.values, edge.features_begin, end);
  }

  // Says where in the file the part is that is wrong, under its number in the file.
  [[noreturn]] void refuse(const BadPart& bad) const {
    if (bad.kind == BadPart::kNode) refuse_node(bad.number, bad.message);
    if (bad.kind == BadPart::kRule) {
      throw ArchiveError(rule_offset_[bad.number],
                         "rule " + std::to_string(bad.number) + ": " + bad.message);
    }
    const auto e = static_cast<std::size_t>(order_[bad.number]);
    throw ArchiveError(edges_[e].offset, "edge " + std::to_string(e) + ": " + bad.message);
  }

  [[noreturn]] void refuse_node(std::size_t v, const std::string& message) const {
    throw ArchiveError(node_offset_[v], "node " + std::to_string(v) + ": " + message);
  }

  template <class T>
  static std::int32_t size_of(const std::vector<T>& values) {
    return static_cast<std::int32_t>(values.size());
  }

  ArchiveReader in_;
  Weights& weights_;
  std::string_view without_;
  bool node_known_ = false, edge_known_ = false, tails_known_ = false, pointer_known_ = false,
       rule_known_ = false, vector_known_ = false, pair_known_ = false;
  std::optional<std::int16_t> rule_class_;
  std::vector<std::size_t> node_offset_, rule_offset_;
  std::vector<std::int32_t> order_;        // the edges into each node
  std::vector<std::size_t> in_edges_end_;  // N: in order_
  std::vector<Edge> edges_;
  std::vector<NodeId> tails_;
  std::vector<FeatureId> features_;
  std::vector<double> values_;
  std::vector<Entries> rule_entries_;
  std::unordered_map<std::string_view, FeatureId> feature_ids_;
  Entries entries_;
  ForestParts parts_;
};

class ForestWriter {
 public:
  ForestWriter(const Forest& forest, const Weights& weights) : forest_(forest), weights_(weights) {}

  std::string write() {
    if (forest_.empty()) throw std::invalid_argument("expected a forest with nodes, got none");
    text(kSignature);
    number(kWrittenVersion);
    for (const std::uint8_t size : kSizes) number(size);
    number<std::int32_t>(1);
    bool known = false;
    begin(kHypergraph, known);
    number(static_cast<std::uint32_t>(forest_.nodes()));
    number(static_cast<std::uint32_t>(forest_.edges()));
    find_edges_out();
    for (NodeId v = 0; v < forest_.nodes(); ++v) write_node(v);
    for (EdgeId e = 0; e < forest_.edges(); ++e) write_edge(e);
    number<std::int32_t>(1);  // edges are sorted
    number<std::int32_t>(0);  // the forest is no chain
    return std::move(out_);
  }

 private:
  template <class T>
  void number(T value) {
    char bytes[sizeof(T)];
    std::memcpy(bytes, &value, sizeof(T));
    out_.append(bytes, sizeof(T));
  }
  void text(std::string_view value) {
    number<std::uint64_t>(value.size());
    out_.append(value);
  }
  void begin(const Class& of, bool& known) {
    if (std::exchange(known, true)) return;
    number<std::uint8_t>(of.tracked);
    number(of.version);
  }

  void find_edges_out() {
    edges_out_.resize(static_cast<std::size_t>(forest_.nodes()));
    for (EdgeId e = 0; e < forest_.edges(); ++e) {
      for (const NodeId tail : forest_.tails_of(e))
        edges_out_[static_cast<std::size_t>(tail)].push_back(e);
    }
  }

  void write_node(NodeId v) {
    const auto i = static_cast<std::size_t>(v);
    begin(kNode, node_known_);
    number(hash_of(v));
    number(v);
    text(forest_.vocabulary->categories->text(forest_.category[i]));
    const EdgeId first = forest_.edges_begin[i], end = forest_.edges_begin[i + 1];
    number(static_cast<std::uint64_t>(end - first));
    for (EdgeId e = first; e < end; ++e) number(e);
    number(static_cast<std::uint64_t>(edges_out_[i].size()));
    for (const EdgeId e : edges_out_[i]) number(e);
  }

  // cdec takes nodes with the same hash for the same node when it joins forests of one sentence:
  // the hash is that of all derivations of the node.
  std::uint64_t hash_of(NodeId v) {
    const auto i = static_cast<std::size_t>(v);
    std::uint64_t hash = 0xcbf29ce484222325ULL;
    const auto mix = [&](std::uint64_t value) {
      hash = (hash ^ value) * 0x9E3779B97F4A7C15ULL;
      hash ^= hash >> 29;
    };
    const auto mix_text = [&](std::string_view value) {
      mix(value.size());
      for (const char c : value) mix(static_cast<unsigned char>(c));
    };
    mix_text(forest_.vocabulary->categories->text(forest_.category[i]));
    mix(static_cast<std::uint64_t>(forest_.span[2 * i]));
    mix(static_cast<std::uint64_t>(forest_.span[2 * i + 1]));
    for (EdgeId e = forest_.edges_begin[i]; e < forest_.edges_begin[i + 1]; ++e) {
      for (const NodeId tail : forest_.tails_of(e)) mix(hashes_[static_cast<std::size_t>(tail)]);
      const RuleSpace::Place place = forest_.rule_space->find(forest_.rule_id(e));
      place.grammar->source(place.rule, source_);
      for (const Symbol symbol : source_) {
        if (symbol > 0) mix_text(forest_.vocabulary->words->text(symbol));
      }
      for (const Symbol symbol : place.grammar->target(place.rule)) {
        if (symbol > 0) {
          mix_text(forest_.vocabulary->words->text(symbol));
        } else {
          mix(static_cast<std::uint64_t>(symbol));
        }
      }
    }
    hashes_.push_back(hash);
    return hash;
  }

  void write_edge(EdgeId e) {
    const auto i = static_cast<std::size_t>(e);
    begin(kEdge, edge_known_);
    number(forest_.head[i]);
    begin(kTails, tails_known_);
    number(static_cast<std::uint16_t>(forest_.tails_of(e).size()));
    for (const NodeId tail : forest_.tails_of(e)) number(tail);
    begin(kPointer, pointer_known_);
    number(kRuleClass);
    begin(kRule, rule_known_);
    write_rule(static_cast<std::size_t>(forest_.local_rule[i]));
    entries_.clear();
    forest_.visit_features(
        e, [&](FeatureId feature, double value) { entries_.emplace_back(feature, value); });
    write_sums();
    const auto head = static_cast<std::size_t>(forest_.head[i]);
    for (const std::int32_t place : {forest_.span[2 * head], forest_.span[2 * head + 1]}) {
      if (place > std::numeric_limits<std::int16_t>::max()) {
        throw std::invalid_argument("cdec's format ends at position " +
                                    std::to_string(std::numeric_limits<std::int16_t>::max()) +
                                    ", got a span that ends at " + std::to_string(place));
      }
      number(static_cast<std::int16_t>(place));
    }
    number<std::int16_t>(-1);  // no other span
    number<std::int16_t>(-1);
    number(e);
  }

  void write_rule(std::size_t local) {
    const auto [entry, fresh] =
        rule_numbers_.try_emplace(local, static_cast<std::uint32_t>(rule_numbers_.size()));
    number(entry->second);
    if (!fresh) return;
    const RuleSpace::Place place = forest_.rule_space->find(forest_.rules[local]);
    const Rule rule = place.grammar->rule(place.rule);
    place.grammar->source(place.rule, source_);
    text(forest_.vocabulary->categories->text(rule.lhs));
    write_mask(source_);
    for (const Symbol symbol : source_) {
      text(symbol > 0 ? forest_.vocabulary->words->text(symbol)
                      : forest_.vocabulary->categories->text(-symbol));
    }
    write_mask(rule.target);
    for (const Symbol symbol : rule.target) {
      if (symbol > 0) {
        text(forest_.vocabulary->words->text(symbol));
      } else {
        number<std::int32_t>(symbol);
      }
    }
    number(static_cast<std::int8_t>(
        std::count_if(source_.begin(), source_.end(), [](Symbol s) { return s <= 0; })));
    entries_.clear();
    for (std::size_t j = 0; j < rule.features.size(); ++j)
      entries_.emplace_back(rule.features[j], static_cast<double>(rule.values[j]));
    write_sums();
  }

  void write_mask(std::span<const Symbol> symbols) {
    if (symbols.size() > kMostSymbols) {
      throw std::invalid_argument("cdec's format has at most " + std::to_string(kMostSymbols) +
                                  " symbols on a side of a rule, got " +
                                  std::to_string(symbols.size()));
    }
    number(static_cast<std::uint32_t>(symbols.size()));
    std::uint64_t mask = 0;
    for (std::size_t k = symbols.size(); k-- > 0;) mask = mask << 1 | (symbols[k] <= 0 ? 1 : 0);
    number(mask);
  }

  // Writes the sums of entries_, without zeros.
  void write_sums() {
    std::stable_sort(entries_.begin(), entries_.end(), by_feature);
    std::size_t kept = 0;
    for (std::size_t j = 0; j < entries_.size();) {
      const FeatureId feature = entries_[j].first;
      double sum = 0.0;
      for (; j < entries_.size() && entries_[j].first == feature; ++j) sum += entries_[j].second;
      if (sum != 0.0) entries_[kept++] = {feature, sum};
    }
    entries_.resize(kept);
    begin(kVector, vector_known_);
    number(static_cast<std::uint32_t>(entries_.size()));
    for (const auto& [feature, value] : entries_) {
      begin(kPair, pair_known_);
      text(weights_.view(feature));
      number(value);
    }
  }

  const Forest& forest_;
  const Weights& weights_;
  std::string out_;
  bool node_known_ = false, edge_known_ = false, tails_known_ = false, pointer_known_ = false,
       rule_known_ = false, vector_known_ = false, pair_known_ = false;
  std::vector<std::vector<EdgeId>> edges_out_;
  std::vector<std::uint64_t> hashes_;
  std::unordered_map<std::size_t, std::uint32_t> rule_numbers_;  // by the place in Forest::rules
  std::vector<Symbol> source_;
  Entries entries_;
};

}  // namespace

std::shared_ptr<Forest> read_cdec_forest(std::string_view archive, Weights& weights,
                                         std::string_view without, ForestGround ground) {
  return ForestReader(archive, weights, without).read(std::move(ground));
}

std::string write_cdec_forest(const Forest& forest, const Weights& weights) {
  return ForestWriter(forest, weights).write();
}

}  // namespace hopefear
