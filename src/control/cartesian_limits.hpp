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

/// For v and its bound V: along the present direction u of v,
///   u . (v + a T) <= sqrt(V^2 - (a_p dt)^2)
/// with the mechanism's horizon T (system.hpp) and the last acceleration's part a_p across u, which
/// turns v in a step; a speed beyond it is brought back within about 50 ms.
/// For a = J q'' + dJ/dt v and its bound A: a box around the direction of the last acceleration,
/// 0.8 A along it and such that no corner is longer than A. It turns with the acceleration by up to
/// 28 degrees a tick and never admits more than A; a ball has no exact rows in a QP. With little
/// acceleration it is the cube inside the ball.
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

 private:
  struct Half {  // linear or angular
    std::optional<double> velocity, acceleration;
    int first = 0;  // row of J
    const char* name = "";
  };

  std::string name_;
  ControlSystem::FrameOf frame_;
  std::vector<Half> halves_;
  int offset_ = 0;  // of the mechanism's unknowns
  Matrix6Xd J_;
  Vector6d bias_ = Vector6d::Zero();  // dJ/dt v
};

void register_cartesian_limits(ConstraintRegistry& registry);

}  // namespace handspan
