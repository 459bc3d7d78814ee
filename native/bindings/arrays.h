// numpy arrays: views of memory that an object owns, and new arrays that own a vector.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/detail/nb_list.h>

#include <algorithm>

#include "base/id_vector.h"
#include "base/message.h"
#include "base/watched_file.h"

namespace hopefear::bindings {

namespace nb = nanobind;

using Release = nb::call_guard<nb::gil_scoped_release>;

// The interpreter's lock, for a call of Python from what needs none: reading() ends no such call.
class Acquire {
  nb::gil_scoped_acquire lock_;
  FaultExit none_{nullptr};
};

template <class T>
using Vector = nb::ndarray<nb::numpy, T, nb::ndim<1>>;
template <class T>
using Matrix = nb::ndarray<nb::numpy, T, nb::ndim<2>>;
template <class T>
using Argument = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using MatrixArgument = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

template <class T>
std::span<const T> as_span(const Argument<T>& array) {
  return {array.data(), array.shape(0)};
}

}  // namespace hopefear::bindings

namespace nanobind::detail {

// An array, or a list of what is no number, as a span that is valid during the call.
template <class T, class Span>
struct SpanCaster {
  using Memory =
      std::conditional_t<std::is_arithmetic_v<T>, hopefear::bindings::Argument<T>, std::vector<T>>;
  NB_TYPE_CASTER(Span, make_caster<Memory>::Name)

  bool from_python(handle source, std::uint32_t flags, cleanup_list* cleanup) noexcept {
    if (!memory_.from_python(source, flags, cleanup)) return false;
    if constexpr (std::is_arithmetic_v<T>) {
      value = Span(hopefear::bindings::as_span(memory_.value));
    } else {
      value = memory_.value;
    }
    return true;
  }

 private:
  make_caster<Memory> memory_;
};

template <class T>
struct type_caster<std::span<const T>> : SpanCaster<T, std::span<const T>> {};
template <class Id, class T>
struct type_caster<hopefear::IdSpan<Id, const T>> : SpanCaster<T, hopefear::IdSpan<Id, const T>> {};
// Lists of Python become arrays by number as they become vectors.
template <class Id, class T>
struct type_caster<hopefear::IdVector<Id, T>> : list_caster<hopefear::IdVector<Id, T>, T> {};

}  // namespace nanobind::detail

namespace hopefear::bindings {

// Throws unless these are the bounds of rows of so many elements.
inline void expect_bounds(std::span<const std::int64_t> bounds, std::size_t size, const char* name,
                          const char* elements) {
  expect(!bounds.empty() && bounds.front() == 0 && std::ranges::is_sorted(bounds) &&
             std::cmp_equal(bounds.back(), size),
         "expected ", name, " in ascending order, from 0 to the number of ", elements);
}

// Where a vector's values stand; never null, for which numpy would make writable memory of its own.
template <class T>
const T* begin_of(const std::vector<T>& values) {
  static const T nothing{};
  return values.empty() ? &nothing : values.data();
}

// A read-only view of a vector that lives as long as `owner`. Records of int32 are rows.
template <class T>
auto view(const std::vector<T>& values, nb::handle owner) {
  if constexpr (std::is_class_v<T>) {
    constexpr std::size_t kColumns = sizeof(T) / sizeof(std::int32_t);
    return Matrix<const std::int32_t>(begin_of(values), {values.size(), kColumns}, owner);
  } else {
    return Vector<const T>(begin_of(values), {values.size()}, owner);
  }
}

// The same with rows of `columns` values.
template <class T>
Matrix<const T> view(const std::vector<T>& values, std::size_t columns, nb::handle owner) {
  return Matrix<const T>(begin_of(values), {columns == 0 ? 0 : values.size() / columns, columns},
                         owner);
}

// The getter of a property: a view of a vector of the object, which a member or a function gives.
template <class Class, class Member>
auto viewed(Member member) {
  return [member](nb::object self) {
    return view(std::invoke(member, nb::cast<const Class&>(self)), self);
  };
}

// The same of rows: where each begins, or the values of all.
template <class Class, class Rows>
auto viewed_bounds(Rows Class::* rows) {
  return viewed<Class>([rows](const Class& self) -> const auto& { return (self.*rows).begin; });
}
template <class Class, class Rows>
auto viewed_values(Rows Class::* rows) {
  return viewed<Class>([rows](const Class& self) -> const auto& { return (self.*rows).values; });
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

// A tuple of new arrays.
template <class First, class Second, class... More>
nb::typed<nb::tuple, Vector<First>, Vector<Second>, Vector<More>...> owned(
    std::vector<First>&& first, std::vector<Second>&& second, std::vector<More>&&... more) {
  return nb::make_tuple(owned(std::move(first)), owned(std::move(second)),
                        owned(std::move(more))...);
}

// A list of new arrays.
template <class T>
nb::typed<nb::list, Vector<T>> owned_list(std::vector<std::vector<T>>& vectors) {
  nb::list arrays;
  for (std::vector<T>& values : vectors) arrays.append(owned(std::move(values)));
  return arrays;
}

// As `owned`, but read-only: what plugins are shown.
template <class T>
auto shown(std::vector<T>&& values) {
  const auto [to, owner] = moved(std::move(values));
  return view(*to, owner);
}

template <class T>
Matrix<const T> shown(std::vector<T>&& values, std::size_t columns) {
  const auto [to, owner] = moved(std::move(values));
  return view(*to, columns, owner);
}

// Calls what needs no Python without the interpreter lock.
template <class Call>
auto unlocked(Call&& call) {
  const nb::gil_scoped_release release;
  return call();
}

// A function that needs no Python, its vector as a new array.
template <class Result, class... Arguments>
auto to_array(Result (*function)(Arguments...)) {
  return [function](Arguments... arguments) {
    return owned(unlocked([&] { return function(std::forward<Arguments>(arguments)...); }));
  };
}
template <class Result, class Class, class... Arguments>
auto to_array(Result (Class::*function)(Arguments...) const) {
  return [function](const Class& self, Arguments... arguments) {
    return owned(unlocked([&] { return (self.*function)(std::forward<Arguments>(arguments)...); }));
  };
}
template <class Result, class Class, class... Arguments>
auto to_array(Result (Class::*function)(Arguments...)) {
  return [function](Class& self, Arguments... arguments) {
    return owned(unlocked([&] { return (self.*function)(std::forward<Arguments>(arguments)...); }));
  };
}

// The place of the i-th name, counted from the end if i is below 0.
template <class Names>
std::size_t index_in(const Names& names, std::ptrdiff_t i) {
  const auto n = count_of<std::ptrdiff_t>(names);
  if (i < 0) i += n;
  if (i < 0 || i >= n) throw nb::index_error();
  return place_of(i);
}

}  // namespace hopefear::bindings
