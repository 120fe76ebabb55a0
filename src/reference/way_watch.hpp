#pragma once
// When a person is told that limits or a singular pose slow a motion down: once, when it has been
// for a while, and again when it had been free in between.
#include "control/direction.hpp"

namespace handspan {

class WayWatch {
 public:
  /// One tick. @param follows whether somebody drives the frame  @return whether to tell it now
  bool update(const DirectionKeeper& way, bool follows, double dt) {
    const bool bound = follows && way.bound() != WayBound::kNone && way.limited() < kSlow;
    bound_for_ = bound ? bound_for_ + dt : 0.0;
    free_for_ = bound ? 0.0 : free_for_ + dt;
    if (bound) time_ += dt;
    if (free_for_ > kForget) told_ = false;
    if (told_ || bound_for_ < kTell) return false;
    ++times_;
    return told_ = true;
  }
  /// How often it was told, and how long ways were bound in all [s].
  std::uint64_t times() const { return times_; }
  double time() const { return time_; }

  void state(StateArchive& archive) { archive(bound_for_, free_for_, time_, told_, times_); }

 private:
  static constexpr double kSlow = 0.5;                 // of what is wanted
  static constexpr double kTell = 0.2, kForget = 0.5;  // [s]

  double bound_for_ = 0.0, free_for_ = 0.0, time_ = 0.0;
  bool told_ = false;
  std::uint64_t times_ = 0;
};

}  // namespace handspan
