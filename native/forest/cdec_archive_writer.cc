#include <algorithm>
#include <cstring>
#include <unordered_map>

#include "forest/cdec_archive.h"
#include "forest/cdec_archive_format.h"

namespace hopefear {
namespace {

using namespace cdec_archive;

class ForestWriter {
 public:
  ForestWriter(const Forest& forest, const Weights& weights) : forest_(forest), weights_(weights) {}

  std::string write() {
    expect(!forest_.empty(), "expected a forest with nodes, got none");
    text(kSignature);
    number(kWrittenVersion);
    for (const std::uint8_t size : kSizes) number(size);
    number_as<std::int32_t>(1);
    begin(kHypergraph, seen_.hypergraph);
    number_as<std::uint32_t>(forest_.nodes());
    number_as<std::uint32_t>(forest_.edges());
    find_edges_out();
    for (NodeId v = 0; v < forest_.nodes(); ++v) write_node(v);
    for (EdgeId e = 0; e < forest_.edges(); ++e) write_edge(e);
    number_as<std::int32_t>(1);  // edges are sorted
    number_as<std::int32_t>(0);  // the forest is no chain
    return std::move(out_);
  }

 private:
  template <class T>
  void number(T value) {
    char bytes[sizeof(T)];
    std::memcpy(bytes, &value, sizeof(T));
    out_.append(bytes, sizeof(T));
  }
  template <class T>
  void number_as(auto value) {
    number(static_cast<T>(value));
  }
  void text(std::string_view value) {
    number_as<std::uint64_t>(value.size());
    out_.append(value);
  }
  void numbers(const auto& values) {
    number_as<std::uint64_t>(std::ranges::size(values));
    for (const std::int32_t value : values) number(value);
  }
  void begin(const Class& of, bool& known) {
    if (std::exchange(known, true)) return;
    number_as<std::uint8_t>(of.tracked);
    number(of.version);
  }

  void find_edges_out() {
    edges_out_.resize(forest_.nodes());
    for (const EdgeId e : forest_.score.ids()) {
      for (const NodeId tail : forest_.tails_of(e)) edges_out_[tail].push_back(e);
    }
  }

  void write_node(NodeId v) {
    begin(kNode, seen_.node);
    number(hash_of(v));
    number(v);
    text(forest_.vocabulary->categories->text(forest_.category[v]));
    numbers(forest_.edges_into(v));
    numbers(edges_out_[v]);
  }

  // cdec takes nodes with the same hash for the same node when it joins forests of one sentence:
  // the hash is that of all derivations of the node.
  std::uint64_t hash_of(NodeId v) {
    std::uint64_t hash = 0xcbf29ce484222325ULL;
    const auto mix = [&](auto value) {
      hash = (hash ^ static_cast<std::uint64_t>(value)) * 0x9E3779B97F4A7C15ULL;
      hash ^= hash >> 29;
    };
    const auto mix_text = [&](std::string_view value) {
      mix(value.size());
      for (const char c : value) mix(static_cast<unsigned char>(c));
    };
    mix_text(forest_.vocabulary->categories->text(forest_.category[v]));
    mix(forest_.span[v].begin);
    mix(forest_.span[v].end);
    for (const EdgeId e : forest_.edges_into(v)) {
      for (const NodeId tail : forest_.tails_of(e)) mix(hashes_[tail]);
      const RuleSpace::Place place = forest_.rule_space->find(forest_.rule_id(e));
      place.grammar->source(place.rule, source_);
      for (const Symbol symbol : source_) {
        if (symbol > 0) mix_text(forest_.vocabulary->words->text(symbol));
      }
      for (const Symbol symbol : place.grammar->target(place.rule)) {
        if (symbol > 0) {
          mix_text(forest_.vocabulary->words->text(symbol));
        } else {
          mix(symbol);
        }
      }
    }
    hashes_.push_back(hash);
    return hash;
  }

  void write_edge(EdgeId e) {
    begin(kEdge, seen_.edge);
    number(forest_.head[e]);
    begin(kTails, seen_.tails);
    number_as<std::uint16_t>(forest_.tails_of(e).size());
    for (const NodeId tail : forest_.tails_of(e)) number(tail);
    begin(kPointer, seen_.pointer);
    number(kRuleClass);
    begin(kRule, seen_.rule);
    write_rule(forest_.local_rule[e]);
    entries_.clear();
    forest_.visit_features(
        e, [&](FeatureId feature, double value) { entries_.emplace_back(feature, value); });
    write_sums();
    const SourceSpan span = forest_.span[forest_.head[e]];
    for (const std::int32_t place : {span.begin, span.end}) {
      expect(place <= std::numeric_limits<std::int16_t>::max(), "cdec's format ends at position ",
             std::numeric_limits<std::int16_t>::max(), ", got a span that ends at ", place);
      number_as<std::int16_t>(place);
    }
    number_as<std::int16_t>(-1);  // no other span
    number_as<std::int16_t>(-1);
    number(e);
  }

  void write_rule(LocalRule local) {
    const auto [entry, fresh] = rule_numbers_.try_emplace(local, rule_numbers_.size());
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
        number_as<std::int32_t>(symbol);
      }
    }
    number_as<std::int8_t>(
        (std::count_if(source_.begin(), source_.end(), [](Symbol s) { return s <= 0; })));
    entries_.clear();
    for (std::size_t j = 0; j < rule.features.size(); ++j)
      entries_.emplace_back(rule.features[j], rule.values[j]);
    write_sums();
  }

  void write_mask(std::span<const Symbol> symbols) {
    expect(std::cmp_less_equal(symbols.size(), kMostSymbols), "cdec's format has at most ",
           kMostSymbols, " symbols on a side of a rule, got ", symbols.size());
    number_as<std::uint32_t>(symbols.size());
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
    begin(kVector, seen_.vector);
    number_as<std::uint32_t>(entries_.size());
    for (const auto& [feature, value] : entries_) {
      begin(kPair, seen_.pair);
      text(weights_.view(feature));
      number(value);
    }
  }

  const Forest& forest_;
  const Weights& weights_;
  std::string out_;
  SeenClasses seen_;
  IdVector<NodeId, std::vector<EdgeId>> edges_out_;
  IdVector<NodeId, std::uint64_t> hashes_;
  std::unordered_map<LocalRule, std::uint32_t> rule_numbers_;
  std::vector<Symbol> source_;
  Entries entries_;
};

}  // namespace

std::string write_cdec_forest(const Forest& forest, const Weights& weights) {
  return ForestWriter(forest, weights).write();
}

}  // namespace hopefear
