// numpy arrays: views of memory that an object owns, and new arrays that own a vector.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/detail/nb_list.h>

#include <span>
#include <utility>
#include <vector>

#include "base/id_vector.h"

// Lists of Python become arrays by number as they become vectors.
template <class Id, class T>
struct nanobind::detail::type_caster<hopefear::IdVector<Id, T>>
    : nanobind::detail::list_caster<hopefear::IdVector<Id, T>, T> {};

namespace hopefear::bindings {

namespace nb = nanobind;

template <class T>
using Vector = nb::ndarray<nb::numpy, T, nb::ndim<1>>;
template <class T>
using Matrix = nb::ndarray<nb::numpy, T, nb::ndim<2>>;
template <class T>
using Argument = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// Where a vector's values stand; never null, for which numpy would make writable memory of its own.
template <class T>
const T* begin_of(const std::vector<T>& values) {
  static const T nothing{};
  return values.empty() ? &nothing : values.data();
}

// A read-only view of a vector that lives as long as `owner`.
template <class T>
Vector<const T> view(const std::vector<T>& values, nb::handle owner) {
  return Vector<const T>(begin_of(values), {values.size()}, owner);
}

// The same with rows of `columns` values.
template <class T>
Matrix<const T> view(const std::vector<T>& values, std::size_t columns, nb::handle owner) {
  return Matrix<const T>(begin_of(values), {columns == 0 ? 0 : values.size() / columns, columns},
                         owner);
}

// The same of records, each of so many numbers: a row for each.
template <class Number, class Record>
Matrix<const Number> view_records(const std::vector<Record>& values, nb::handle owner) {
  static_assert(sizeof(Record) % sizeof(Number) == 0);
  return Matrix<const Number>(begin_of(values), {values.size(), sizeof(Record) / sizeof(Number)},
                              owner);
}

// Moves a vector to where it lives as long as the capsule.
template <class T>
std::pair<std::vector<T>*, nb::capsule> moved(std::vector<T>&& values) {
  auto* to = new std::vector<T>(std::move(values));
  return {to, nb::capsule(to, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); })};
}

// A new array that takes over a vector's memory.
template <class T>
Vector<T> owned(std::vector<T>&& values) {
  const auto [to, owner] = moved(std::move(values));
  return Vector<T>(to->data(), {to->size()}, owner);
}

// The same with rows of `columns` values, at least one.
template <class T>
Matrix<T> owned(std::vector<T>&& values, std::size_t columns) {
  const auto [to, owner] = moved(std::move(values));
  return Matrix<T>(to->data(), {to->size() / columns, columns}, owner);
}

// As `owned`, but read-only: what plugins are shown.
template <class T>
Vector<const T> shown(std::vector<T>&& values) {
  const auto [to, owner] = moved(std::move(values));
  return Vector<const T>(begin_of(*to), {to->size()}, owner);
}

template <class T>
Matrix<const T> shown(std::vector<T>&& values, std::size_t columns) {
  const auto [to, owner] = moved(std::move(values));
  return Matrix<const T>(begin_of(*to), {to->size() / columns, columns}, owner);
}

template <class Number, class Record>
Matrix<const Number> shown_records(std::vector<Record>&& values) {
  const auto [to, owner] = moved(std::move(values));
  return view_records<Number>(*to, owner);
}

// The place of the i-th name, counted from the end if i is below 0.
template <class Names>
std::size_t index_in(const Names& names, std::ptrdiff_t i) {
  const auto n = count_of<std::ptrdiff_t>(names);
  if (i < 0) i += n;
  if (i < 0 || i >= n) throw nb::index_error();
  return place_of(i);
}

// Calls what needs no Python without the interpreter lock.
template <class Call>
auto unlocked(Call&& call) {
  const nb::gil_scoped_release release;
  return call();
}

template <class T>
std::span<const T> as_span(const Argument<T>& array) {
  return {array.data(), array.shape(0)};
}

}  // namespace hopefear::bindings
