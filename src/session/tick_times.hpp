#pragma once
// How long ticks take: a histogram with 64 bins a decade from 100 ns to 1000 s, so that a run of
// any length needs no memory. Quantiles are upper edges of bins: at most 3.7 % too long.
#include <array>
#include <cstdint>

namespace handspan {

class TickTimes {
 public:
  /// [s]
  void add(double time) noexcept;
  std::uint64_t count() const { return count_; }
  /// The time that a share of the ticks did not exceed [s]; 0 without ticks. share 0 ... 1
  double quantile(double share) const;
  double longest() const { return longest_; }

 private:
  static constexpr int kPerDecade = 64, kDecades = 10;
  static constexpr double kShortest = 1e-7;
  std::array<std::uint64_t, kPerDecade * kDecades + 1> bins_{};
  std::uint64_t count_ = 0;
  double longest_ = 0.0;
};

}  // namespace handspan
