// The chart states that occur in one sentence's search, numbered, and what it costs to join two.
//
// A piece is a sequence of words as a model sees it from outside: the words at its left border,
// which wait for context, and those at its right border, which are context. Few borders occur in a
// sentence, and the same two meet many times: each join is computed once.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

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

  // Appends `next` to `piece`; returns what the log10 probability of their words gains.
  float join(Piece& piece, Piece next) {
    if (piece.is_full() && next.is_full()) {
      const std::uint64_t key = both(piece.right, next.left);
      const Gain* known = gains_.find(key);
      if (known == nullptr) known = gains_.add({key, compute(piece, next).second});
      piece.right = next.right;
      return known->gain;
    }
    // A border on which no result depends is left out of the key.
    const LongKey key{both(piece.right, next.left),
                      both(piece.is_full() ? 0 : piece.left, next.is_full() ? 0 : next.right)};
    const Join* known = joins_.find(key);
    if (known == nullptr) {
      const auto [joined, gain] = compute(piece, next);
      known = joins_.add({key, number(joined), gain});
    }
    if (!piece.is_full()) piece.left = known->joined.left;
    piece.right = next.is_full() ? next.right : known->joined.right;
    return known->gain;
  }

 private:
  static std::uint64_t mix(std::uint64_t h) {
    h *= 0x9E3779B97F4A7C15ULL;
    return h ^ (h >> 32);
  }
  static std::uint64_t both(std::int32_t a, std::int32_t b) {
    return (std::uint64_t{static_cast<std::uint32_t>(a)} << 32) | static_cast<std::uint32_t>(b);
  }

  struct LongKey {
    std::uint64_t first, second;
    bool operator==(const LongKey&) const = default;
  };
  static std::uint64_t hash(std::uint64_t key) { return mix(key); }
  static std::uint64_t hash(const LongKey& key) { return mix(mix(key.second) ^ key.first); }

  // Both pieces are full.
  struct Gain {
    std::uint64_t key;
    float gain;
  };
  struct Join {
    LongKey key;
    Piece joined;
    float gain;
  };

  // A hash table of entries by key (open addressing); no key is 0.
  template <class Entry>
  class Memo {
   public:
    explicit Memo(std::size_t slots) : slots_(slots) {}
    const Entry* find(const decltype(Entry::key)& key) const {
      for (std::size_t at = hash(key) & mask();; at = (at + 1) & mask()) {
        if (slots_[at].key == key) return &slots_[at];
        if (slots_[at].key == kFree) return nullptr;
      }
    }
    // The key is not known yet.
    const Entry* add(const Entry& entry) {
      if (++count_ > slots_.size() / 2) {
        std::vector<Entry> old(2 * slots_.size());
        old.swap(slots_);
        for (const Entry& each : old) {
          if (each.key != kFree) place(each);
        }
      }
      return place(entry);
    }

   private:
    static constexpr decltype(Entry::key) kFree{};
    std::size_t mask() const { return slots_.size() - 1; }
    const Entry* place(const Entry& entry) {
      std::size_t at = hash(entry.key) & mask();
      while (slots_[at].key != kFree) at = (at + 1) & mask();
      slots_[at] = entry;
      return &slots_[at];
    }

    std::vector<Entry> slots_;
    std::size_t count_ = 0;
  };

  // Borders of one side, numbered from 1.
  template <class Border>
  class Numbered {
   public:
    const Border& operator[](std::int32_t number) const {
      return known_[static_cast<std::size_t>(number) - 1];
    }
    std::int32_t number(const Border& border) {
      std::size_t slot = free_slot(border);
      if (slots_[slot] > 0) return slots_[slot];
      known_.push_back(border);
      if (2 * known_.size() > slots_.size()) {
        slots_.assign(2 * slots_.size(), 0);
        for (std::size_t i = 0; i + 1 < known_.size(); ++i)
          slots_[free_slot(known_[i])] = static_cast<std::int32_t>(i) + 1;
        slot = free_slot(border);
      }
      return slots_[slot] = static_cast<std::int32_t>(known_.size());
    }

   private:
    // Its own slot, or the free one that it is going to have.
    std::size_t free_slot(const Border& border) const {
      std::size_t slot = hash(border) & (slots_.size() - 1);
      while (slots_[slot] > 0 && !equal((*this)[slots_[slot]], border))
        slot = (slot + 1) & (slots_.size() - 1);
      return slot;
    }
    // Left borders with equal last pointers have equal pointers before them.
    static std::uint64_t hash(const lm::ngram::Left& left) {
      return mix((left.length ? left.pointers[left.length - 1] : 0) ^ left.length);
    }
    static std::uint64_t hash(const lm::ngram::State& right) {
      std::uint64_t h = right.length;
      for (unsigned i = 0; i < right.length; ++i) h = mix(h ^ right.words[i]);
      return h;
    }
    static bool equal(const lm::ngram::Left& a, const lm::ngram::Left& b) {
      return a.length == b.length &&
             (a.length == 0 || a.pointers[a.length - 1] == b.pointers[b.length - 1]);
    }
    static bool equal(const lm::ngram::State& a, const lm::ngram::State& b) {
      return a.length == b.length && std::equal(a.words, a.words + a.length, b.words);
    }

    std::vector<Border> known_;
    std::vector<std::int32_t> slots_ = std::vector<std::int32_t>(1 << 10, 0);
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
  Memo<Gain> gains_{1 << 12};
  Memo<Join> joins_{1 << 10};
};

}  // namespace hopefear
