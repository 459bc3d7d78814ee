// An array of zeros. The system backs a page of a large one with memory when it is first written,
// so that an array with a place for each rule costs what the rules in use cost.
#pragma once

#include <cstdlib>
#include <memory>
#include <new>
#include <type_traits>

#include "base/id_vector.h"

namespace hopefear {

template <std::integral Id, class T>
class LazyArray {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  explicit LazyArray(Id size)
      : size_(size), data_(static_cast<T*>(std::calloc(place_of(size) + 1, sizeof(T)))) {
    if (!data_) throw std::bad_alloc();
  }

  Id count() const { return size_; }
  T& operator[](Id i) const { return data_[place_of(i)]; }

 private:
  struct Free {
    void operator()(T* data) const { std::free(data); }
  };
  Id size_;
  std::unique_ptr<T[], Free> data_;
};

}  // namespace hopefear
