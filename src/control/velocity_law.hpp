#pragma once
// A whole-arm controller on the level of velocities, `whole_arm: {type: resolved_rate, ...}`: each
// arm's joints get the velocities that bring its frames after their references, pose or twist, by
// resolved_rate.hpp. It knows no forces, no mass, no collisions and no jerk limits of joints, and
// needs nothing of a robot but its kinematics and limits: for arms whose drives take velocities or
// positions, and as what the QP is compared with. W world, E a task's frame.
//
// Of a pose, orientation or position task it takes V_ref + (kp / kd) e, of a twist task the same
// with the little e that its reference allows; a posture has what the frames leave. Both go through
// a FrameTask's way (direction.hpp), so that what binds is named as with the QP.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "control/arm_drive.hpp"
#include "control/arms_controller.hpp"
#include "control/frame_task.hpp"
#include "control/posture_task.hpp"
#include "control/resolved_rate.hpp"
#include "core/parts.hpp"

namespace handspan {

struct VelocityLawConfig {
  std::vector<std::pair<std::string, ArmConfig>> arms;  // by actuator group: "left.arm"
  std::vector<std::pair<std::string, TaskRegistry::Part>> tasks;
  RateDamping damping;
};

class VelocityLaw : public ArmsController {
 public:
  /// @throws InputError for groups that the scene does not have, tasks that are not of a frame or a
  /// posture, drives that cannot be used
  VelocityLaw(const VelocityLawConfig& config, const ArmsContext& context);

  std::vector<std::string> groups() const override { return group_names_; }
  std::vector<Task*> all_tasks() override;
  void start(const Observation& observation) override;
  void observe(const Observation& observation, std::int64_t tick) override;
  void solve(Command& command) override;

  void declare_parameters(ParameterTable& table) override;
  void declare(ChannelTable& channels, Rate rate) override;
  void publish(ChannelTable& channels, Nanoseconds stamp) const override;
  void publish_start(ChannelTable& channels, Nanoseconds stamp) const override;
  void state(StateArchive& archive) override;

  const ControlSystem& system() const { return system_; }
  const ControlState& control() const { return *state_; }
  std::size_t arms() const { return arms_.size(); }
  /// What its limits leave of what was asked of an arm.
  const ResolvedRate& rate(std::size_t arm) const { return arms_[arm].law; }

 private:
  struct Arm {
    std::size_t group = 0;
    int mechanism = 0;
    Rate rate;
    ArmDrive drive;
    ResolvedRate law;
    bool sprung = false;  // torques drive it, by a spring at each joint
    std::vector<FrameTask*> frames{};
    std::vector<PostureTask*> postures{};
    Matrix6Xd J{};                    // of one frame, all joints
    Eigen::MatrixXd A{};              // of all rows, actuated joints
    Eigen::VectorXd V{};              // of all rows
    Eigen::VectorXd posture{}, by{};  // one an actuated joint: what postures want; their weights
    Eigen::VectorXd ahead{};          // of each joint's command [rad]
    VectorChannel q{}, v{};
    NumberChannel share{};
    ChoiceChannel bound{};
  };
  struct Held {  // joint of our robots that others drive
    std::size_t group = 0;
    Eigen::Index index = 0;
    int mechanism = 0, q = 0, v = 0;
  };

  void add_mechanisms(const VelocityLawConfig& config, const ArmsContext& context);
  void add_arms(const VelocityLawConfig& config, const ArmsContext& context);
  void add_tasks(const VelocityLawConfig& config);
  void observe_held(const Observation& observation);
  void find_rows(Arm& arm);
  void find_posture(Arm& arm);

  std::vector<std::string> group_names_;
  Nanoseconds base_;
  std::int64_t ticks_since_ = 0;  // the last solve
  bool any_due_ = false;
  RateDamping damping_;
  ControlSystem system_;
  std::unique_ptr<ControlState> state_;
  std::vector<std::unique_ptr<Task>> tasks_;
  std::vector<Arm> arms_;
  std::vector<Held> held_;
};

/// resolved_rate, with the tasks that `parts` has now.
void register_velocity_law(Parts& parts);

}  // namespace handspan
