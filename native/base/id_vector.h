// Arrays by number. Nodes, edges, rules, words and so on have signed numbers, as numpy has them;
// the standard's containers count without a sign. Here, and only here, one becomes the other.
//
// IdVector<NodeId, T> has a T for each node: v[node] for the nodes of v.ids(), of which there are
// v.count(). It is a std::vector otherwise; numbers of another type than its own are refused.
// IdSpan is the same for std::span. IdRows has a sequence of values for each number (CSR).
#pragma once

#include <cassert>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <ranges>
#include <span>
#include <utility>
#include <vector>

namespace hopefear {

// The numbers from `begin` to below `end`.
template <std::signed_integral Id>
constexpr auto ids(Id begin, Id end) {
  return std::views::iota(begin, end);
}

// How many elements there are: the number of the next one.
template <std::integral Id = std::int32_t>
constexpr Id count_of(const auto& elements) {
  return static_cast<Id>(elements.size());
}

// The number of the element at an iterator.
template <std::integral Id = std::size_t>
constexpr Id id_at(const auto& elements, auto iterator) {
  return static_cast<Id>(iterator - elements.begin());
}

// The place of a number in memory.
template <std::integral Id>
constexpr std::size_t place_of(Id id) {
  assert(std::in_range<std::size_t>(id));
  return static_cast<std::size_t>(id);
}

template <class Base, std::signed_integral Id>
class ById : public Base {
 public:
  using Base::Base;
  ById() = default;
  ById(Base elements) : Base(std::move(elements)) {}

  Id count() const { return count_of<Id>(*this); }
  auto ids() const { return hopefear::ids(Id{0}, count()); }
  bool has(Id id) const { return id >= 0 && id < count(); }

  decltype(auto) operator[](Id id) {
    assert(id < count());
    return Base::operator[](place_of(id));
  }
  decltype(auto) operator[](Id id) const {
    assert(id < count());
    return Base::operator[](place_of(id));
  }
  template <std::integral Other>
  void operator[](Other) const = delete;
};

template <std::signed_integral Id, class T>
class IdVector : public ById<std::vector<T>, Id> {
  using Base = std::vector<T>;

 public:
  using ById<Base, Id>::ById;
  IdVector() = default;
  explicit IdVector(std::signed_integral auto count, const T& value = T())
      : ById<Base, Id>(place_of(count), value) {}

  using Base::assign, Base::reserve, Base::resize;
  void assign(std::signed_integral auto count, const T& value) {
    Base::assign(place_of(count), value);
  }
  void reserve(std::signed_integral auto count) { Base::reserve(place_of(count)); }
  void resize(std::signed_integral auto count, const T& value = T()) {
    Base::resize(place_of(count), value);
  }

  // The number of the new element.
  Id add(T value) {
    this->push_back(std::move(value));
    return this->count() - 1;
  }
};

template <std::signed_integral Id, class T>
class IdSpan : public ById<std::span<T>, Id> {
 public:
  using ById<std::span<T>, Id>::ById;
};

// Row r has the values[begin[r]], ..., values[begin[r + 1] - 1].
template <std::signed_integral Id, class T>
struct IdRows {
  using Place = std::int32_t;

  IdVector<Id, Place> begin{0};
  IdVector<Place, T> values;

  Id count() const { return begin.count() - 1; }
  auto ids() const { return hopefear::ids(Id{0}, count()); }
  IdSpan<Place, const T> operator[](Id row) const {
    return {values.data() + begin[row], values.data() + begin[row + 1]};
  }
  // The places of a row's values.
  auto places(Id row) const { return hopefear::ids(begin[row], begin[row + 1]); }

  // A row of what has been appended to `values` since the last one.
  void close() { begin.push_back(values.count()); }
  void add(std::span<const T> row) {
    values.insert(values.end(), row.begin(), row.end());
    close();
  }
  // Forgets all rows but the first few.
  void shrink(Id rows) {
    values.resize(begin[rows]);
    begin.resize(rows + 1);
  }
};

// The elements' numbers by a key of theirs, from 0 to below `keys`; those of one key ascend.
template <std::signed_integral Key, std::signed_integral Id, class T>
IdRows<Key, Id> sorted_by(Key keys, const IdVector<Id, T>& elements, auto key_of) {
  IdRows<Key, Id> sorted;
  sorted.begin.assign(keys + 1, 0);
  for (const T& element : elements) ++sorted.begin[std::invoke(key_of, element) + 1];
  std::partial_sum(sorted.begin.begin(), sorted.begin.end(), sorted.begin.begin());
  auto next = sorted.begin;
  sorted.values.resize(elements.count());
  for (const Id id : elements.ids()) sorted.values[next[std::invoke(key_of, elements[id])]++] = id;
  return sorted;
}

}  // namespace hopefear
