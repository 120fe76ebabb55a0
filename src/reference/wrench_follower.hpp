#pragma once
// How a force and torque follow what is wanted: no faster than their rates allow, in a straight
// line, and never beyond their magnitudes. When nothing is wanted they stay: a box that is squeezed
// stays squeezed. They have no rate of their own that would have to be braked: they may stop at
// once.
//
// F is of a loop closure (control/wrench_task.hpp): force and torque on b at b's origin, in b's
// axes. With f and n its force and torque, in each tick of dt
//   f' = f + (f_w - f) min(1, f_rate dt / |f_w - f|),  |f_w| cut at the largest force,
// and the same for n.
#include "core/schema.hpp"
#include "reference/motion.hpp"

namespace handspan {

struct WrenchReferenceLimits {
  double force = 100.0;       // [N]
  double torque = 20.0;       // [N m]
  double force_rate = 100.0;  // [N/s]
  double torque_rate = 20.0;  // [N m/s]
};

Schema<WrenchReferenceLimits> wrench_reference_limits_schema();

class WrenchFollower {
 public:
  explicit WrenchFollower(const WrenchReferenceLimits& limits) : limits_(limits) {}

  /// At F [N, N m]; also beyond the magnitudes, from which it then comes back along its rates.
  void start(const Vector6d& F);
  /// One tick towards `wanted` [N, N m] in the axes that are chosen (of b); in the others it stays.
  /// `wanted` is finite.
  void follow(const Vector6d& wanted, const Axes& axes, double dt);
  /// It stays.
  void hold() { moved_ = false; }

  /// The reference itself: its wrench counts.
  const Motion& motion() const { return motion_; }
  const Vector6d& reference() const { return motion_.wrench; }
  const WrenchReferenceLimits& limits() const { return limits_; }
  bool at_rest() const { return !moved_; }
  void state(StateArchive& archive) { archive(motion_, moved_); }

 private:
  WrenchReferenceLimits limits_;
  Motion motion_;
  bool moved_ = false;  // in the last tick
};

}  // namespace handspan
