#pragma once
#include <map>

template <class T>
class SparseVector {
 public:
  T& add_value(unsigned key, const T& value) { return values_[key] += value; }
  typename std::map<unsigned, T>::const_iterator begin() const { return values_.begin(); }
  typename std::map<unsigned, T>::const_iterator end() const { return values_.end(); }

 private:
  std::map<unsigned, T> values_;
};
