#pragma once
// Speed and acceleration of a chosen frame, linear and angular. Letters: E the frame, W the world.
#include "control/constraint.hpp"

namespace handspan {

struct CartesianLimitsConfig {
  std::string frame;
  // none: as the robot's limits.yaml has it for its flange, else no limit
  std::optional<double> velocity;              // [m/s]
  std::optional<double> acceleration;          // [m/s^2]
  std::optional<double> angular_velocity;      // [rad/s]
  std::optional<double> angular_acceleration;  // [rad/s^2]
};

/// For v and its bound V, with a the mean acceleration of the step and u the direction of what v
/// would be at its end if the last q'' went on:
///   u . (v + a dt) <= |v| + (V - |v|) dt / T
/// with the mechanism's horizon T (system.hpp): at the bound v may turn but grows no longer. The
/// left side is the next speed but for (|da| dt)^2 / (2 |v|), da being how a changed across u. A
/// speed beyond the bound is brought back within about 50 ms. While q'' is held over a step of dt,
/// J and dJ/dt v go on:
///   a = (J + 3/2 dJ/dt dt) q'' + dJ/dt v + c dt / 2 + O(dt^2),
/// c being the rate of dJ/dt v at q'' = 0; both rates are taken from how J and dJ/dt v went over
/// the step before. Without them the speed would be beyond its bound by T / dt times what they do
/// to it in a step: at 125 Hz, where T / dt is 9, by up to 1 %. For a = J q'' + dJ/dt v and its
/// bound A: a box around the direction of the last acceleration, 0.8 A along it and such that no
/// corner is longer than A. It turns with the acceleration by up to 28 degrees a tick and never
/// admits more than A; a ball has no exact rows in a QP. With little acceleration it is the cube
/// inside the ball.
///
/// Since dJ/dt v grows with the square of the speed, a speed at which that alone comes near A could
/// not be kept: speeds are also held below the one at which |dJ/dt v| is 0.8 A.
class CartesianSpeedLimits : public Constraint {
 public:
  /// @throws InputError when there is no such frame or nothing is limited
  CartesianSpeedLimits(const CartesianLimitsConfig& config, const ConstraintContext& context);
  std::vector<ConstraintRow> rows() const override;
  void update(const ControlSystem& system, ControlState& state, RowBlock rows) override;
  /// The acceleration's box is inside the ball |a| <= A: that is what counts.
  bool limit_holds(int row, const Eigen::VectorXd& x) const override;
  void state(StateArchive& archive) override { archive(J_, bias_, known_); }

 private:
  struct Half {  // linear or angular
    std::optional<double> velocity, acceleration;
    int first = 0;  // row of J
    const char* name = "";
  };

  std::string name_;
  ControlSystem::FrameOf frame_;
  std::vector<Half> halves_;
  int offset_ = 0;                    // of the mechanism's unknowns
  Matrix6Xd J_;                       // of the last update, as the two below
  Vector6d bias_ = Vector6d::Zero();  // dJ/dt v
  bool known_ = false;                // there was one
  Matrix6Xd mean_J_;                  // scratch
};

void register_cartesian_limits(ConstraintRegistry& registry);

}  // namespace handspan
