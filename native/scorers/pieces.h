// The chart states that occur in one sentence's search, numbered, and what it costs to join two.
//
// A piece is a sequence of words as a model sees it from outside: the words at its left border,
// which wait for context, and those at its right border, which are context. Few borders occur in a
// sentence, and the same two meet many times: each join is computed once.
#pragma once

#include <algorithm>

#include "base/key_index.h"
#include "lm/left.hh"

namespace hopefear {

// The numbers of its borders. Equal pieces have equal numbers.
struct Piece {
  std::int32_t left;  // odd if no context changes the probabilities of words behind the border
  std::int32_t right;
  bool is_full() const { return (left & 1) != 0; }
  bool operator==(const Piece&) const = default;
};

template <class Model>
class Pieces {
 public:
  explicit Pieces(const Model& model) : model_(model) {}

  Piece number(const lm::ngram::ChartState& chart) {
    return {2 * lefts_.number(chart.left) + (chart.left.full ? 1 : 0), rights_.number(chart.right)};
  }
  lm::ngram::ChartState chart(Piece piece) const {
    lm::ngram::ChartState chart{lefts_[piece.left / 2], rights_[piece.right]};
    chart.left.full = piece.is_full();
    return chart;
  }

  const lm::ngram::Left& left(std::int32_t number) const { return lefts_[number]; }

  // Appends `next` to `piece`; returns what the log10 probability of their words gains.
  float join(Piece& piece, Piece next) {
    if (piece.is_full() && next.is_full()) {
      const std::uint64_t key = both(piece.right, next.left);
      const Gain known = entry(gains_, key, [&] { return Gain{key, compute(piece, next).second}; });
      piece.right = next.right;
      return known.gain;
    }
    // A border on which no result depends is left out of the key.
    const LongKey key{both(piece.right, next.left),
                      both(piece.is_full() ? 0 : piece.left, next.is_full() ? 0 : next.right)};
    const Join known = entry(joins_, key, [&] {
      const auto [joined, gain] = compute(piece, next);
      return Join{key, number(joined), gain};
    });
    if (!piece.is_full()) piece.left = known.joined.left;
    piece.right = next.is_full() ? next.right : known.joined.right;
    return known.gain;
  }

 private:
  static std::uint64_t both(std::int32_t a, std::int32_t b) {
    return static_cast<std::uint64_t>(KeyIndex::pair(a, b));
  }

  struct LongKey {
    std::uint64_t first, second;
    bool operator==(const LongKey&) const = default;
  };
  static std::uint32_t hash(std::uint64_t key) { return probing_hash(key); }
  static std::uint32_t hash(const LongKey& key) {
    return probing_hash(spread(key.second) ^ key.first);
  }

  // Joins by their keys, none of which is 0.
  struct Gain {  // both pieces are full
    std::uint64_t key;
    float gain;
    bool is_free() const { return key == 0; }
  };
  struct Join {
    LongKey key;
    Piece joined;
    float gain;
    bool is_free() const { return key.first == 0; }
  };

  // The entry of a key; make() computes a new one.
  template <class Entry, class Make>
  static Entry entry(ProbingSlots<Entry>& entries, const decltype(Entry::key)& key, Make&& make) {
    Entry& slot = entries.find(hash(key), [&](const Entry& entry) { return entry.key == key; });
    if (!is_free(slot)) return slot;
    const Entry made = slot = make();
    entries.added([](const Entry& entry) { return hash(entry.key); });
    return made;
  }

  // Borders of one side, numbered from 1.
  template <class Border>
  class Numbered {
   public:
    const Border& operator[](std::int32_t number) const { return known_[number - 1]; }
    std::int32_t number(const Border& border) {
      std::int32_t& slot = slots_.find(
          hash(border), [&](std::int32_t number) { return equal((*this)[number], border); });
      if (!is_free(slot)) return slot;
      known_.push_back(border);
      const std::int32_t number = slot = known_.count();
      slots_.added([this](std::int32_t number) { return hash((*this)[number]); });
      return number;
    }

   private:
    // Left borders with equal last pointers have equal pointers before them.
    static std::uint32_t hash(const lm::ngram::Left& left) {
      return probing_hash((left.length ? left.pointers[left.length - 1] : 0) ^ left.length);
    }
    static std::uint32_t hash(const lm::ngram::State& right) {
      std::uint64_t h = right.length;
      for (unsigned i = 0; i < right.length; ++i) h = spread(h ^ right.words[i]);
      return probing_hash(h);
    }
    static bool equal(const lm::ngram::Left& a, const lm::ngram::Left& b) {
      return a.length == b.length &&
             (a.length == 0 || a.pointers[a.length - 1] == b.pointers[b.length - 1]);
    }
    static bool equal(const lm::ngram::State& a, const lm::ngram::State& b) {
      return a.length == b.length && std::equal(a.words, a.words + a.length, b.words);
    }

    IdVector<std::int32_t, Border> known_;
    ProbingSlots<std::int32_t> slots_{1 << 10};
  };

  std::pair<lm::ngram::ChartState, float> compute(Piece piece, Piece next) const {
    std::pair<lm::ngram::ChartState, float> result;
    lm::ngram::RuleScore<Model> rule(model_, result.first);
    rule.BeginNonTerminal(chart(piece));
    rule.NonTerminal(chart(next));
    result.second = rule.Finish();
    return result;
  }

  const Model& model_;
  Numbered<lm::ngram::Left> lefts_;
  Numbered<lm::ngram::State> rights_;
  ProbingSlots<Gain> gains_{1 << 12};
  ProbingSlots<Join> joins_{1 << 10};
};

}  // namespace hopefear
