#pragma once
// A number that changes while running and must not make a command jump: it goes to its target in a
// straight line over a given time.
#include <algorithm>
#include <cmath>

#include "core/state_archive.hpp"

namespace handspan {

/// How long weights, gains and payloads take to change, where nothing else is said [s].
inline constexpr double kRampTime = 0.2;

class Ramp {
 public:
  explicit Ramp(double value = 0.0) : value_(value), target_(value) {}

  /// Ignores what is not finite. @param time [s]
  void set(double target, double time = kRampTime) {
    if (!std::isfinite(target)) return;
    target_ = target;
    rate_ = time > 0.0 ? std::abs(target_ - value_) / time : HUGE_VAL;
  }
  void jump(double value) { value_ = target_ = value; }
  void advance(double dt) {
    if (value_ == target_) return;
    // no time at all: not infinity times zero
    const double step = rate_ < HUGE_VAL ? rate_ * dt : HUGE_VAL;
    value_ = value_ < target_ ? std::min(value_ + step, target_) : std::max(value_ - step, target_);
  }
  double value() const { return value_; }
  double target() const { return target_; }
  void state(StateArchive& archive) { archive(value_, target_, rate_); }

 private:
  double value_, target_, rate_ = 0.0;
};

}  // namespace handspan
