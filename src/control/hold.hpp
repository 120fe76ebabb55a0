#pragma once
// Controllers that keep a group where it is.
#include <optional>

#include "control/controller.hpp"

namespace handspan {

struct JointSpringsConfig {
  std::optional<Eigen::VectorXd>
      stiffness;  // one a joint [N m/rad]; none: by the joint's torque limit
  double damping_ratio = 1.0;
};

/// tau = K (q_start - q) - D v + g(q) for torque-driven groups, with D = 2 zeta sqrt(K M_ii) of the
/// starting pose. Gravity is left out where the plant says that it adds it itself. Does not
/// compensate friction. Without a stiffness of its own it is as stiff as default_stiffness(), and
/// no stiffer than is stable with a command a tick.
class JointSprings : public GroupController {
 public:
  /// @throws InputError when the group is not torque-driven or the stiffness has another size
  JointSprings(const JointSpringsConfig& config, const GroupContext& context);
  /// @throws InputError when a stiffness that was asked for would burst in this pose, with the
  /// joint that does and the stiffness that it bears
  void start(const GroupState& state) override;
  void update(const GroupState& state, Eigen::Ref<Eigen::VectorXd> command) override;
  void state(StateArchive& archive) override { archive(damping_, q_start_); }

 private:
  const GroupContext context_;
  RobotData data_;
  std::vector<JointSlot> slots_;
  Eigen::VectorXd stiffness_, damping_, q_start_, q_;
  double damping_ratio_;
  bool asked_;  // for this stiffness
};

/// A joint spring that pulls with a fifth of the joint's torque limit at 0.1 rad (nq of the group).
Eigen::VectorXd default_stiffness(const GroupContext& context);

/// Zero velocity, for velocity-driven groups.
class ZeroVelocity : public GroupController {
 public:
  /// @throws InputError when the group is not velocity-driven
  explicit ZeroVelocity(const GroupContext& context);
  void start(const GroupState&) override {}
  void update(const GroupState&, Eigen::Ref<Eigen::VectorXd> command) override {
    command.setZero();
  }
};

/// Keeps the positions it starts at, for position-driven groups; suction stays off.
class HoldPosition : public GroupController {
 public:
  /// @throws InputError when the group is torque- or velocity-driven
  explicit HoldPosition(const GroupContext& context);
  void start(const GroupState& state) override { q_start_ = state.q; }
  void update(const GroupState&, Eigen::Ref<Eigen::VectorXd> command) override {
    command = q_start_;
  }
  void state(StateArchive& archive) override { archive(q_start_); }

 private:
  Eigen::VectorXd q_start_;
};

/// joint_springs, zero_velocity, hold_position.
void register_hold_controllers(ControllerRegistry& registry);

}  // namespace handspan
