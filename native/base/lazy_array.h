// An array of zeros. The system backs a page of a large one with memory when it is first written,
// so that an array with a place for each rule costs what the rules in use cost.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <type_traits>

namespace hopefear {

template <class T>
class LazyArray {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  explicit LazyArray(std::size_t size)
      : size_(size), data_(static_cast<T*>(std::calloc(size + 1, sizeof(T)))) {
    if (!data_) throw std::bad_alloc();
  }

  std::size_t size() const { return size_; }
  T* data() const { return data_.get(); }
  T& operator[](std::size_t i) const { return data_.get()[i]; }

 private:
  struct Free {
    void operator()(T* data) const { std::free(data); }
  };
  std::size_t size_;
  std::unique_ptr<T[], Free> data_;
};

}  // namespace hopefear
