// The error of a prediction: its running mean and standard deviation (Welford 1962).
#pragma once

#include <cmath>
#include <cstdint>

namespace hopefear {

class Residual {
 public:
  void add(double error) {
    // Every fourth error says enough when there were many.
    if (++seen_ > kMany && seen_ % 4 != 0) return;
    ++count_;
    const double difference = error - mean_;
    mean_ += difference / static_cast<double>(count_);
    squares_ += difference * (error - mean_);
    deviation_ = std::sqrt(squares_ / static_cast<double>(count_));
  }

  // The mean, and some standard deviations more.
  double at_most(double deviations) const { return mean_ + deviations * deviation_; }

 private:
  static constexpr std::int64_t kMany = 100;
  std::int64_t seen_ = 0, count_ = 0;
  double mean_ = 0, squares_ = 0, deviation_ = 0;
};

}  // namespace hopefear
