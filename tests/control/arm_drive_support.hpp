#pragma once
// What the tests of an arm's drive share: one arm, measured and solved for by hand.
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "control/arm_drive.hpp"

namespace handspan::test {

// One FR3 with a group of its joints, driven as a test says.
class ArmDriveTest : public testing::Test {
 protected:
  explicit ArmDriveTest(const char* robot = "fr3")
      : folder_(load_robot_folder(std::filesystem::path(HANDSPAN_SOURCE_DIR) / "robots" / robot)) {
    MechanismDescription mechanism;
    mechanism.name = "arm";
    mechanism.description = folder_.description;
    mechanism.actuated = folder_.groups[0].joints;
    mechanism.limits = folder_.limits;
    system_.add_mechanism(std::move(mechanism));
    system_.seal();
    state_ = std::make_unique<ControlState>(system_);
    group_.name = "arm.arm";
    group_.joints = folder_.groups[0].joints;
    group_.kind = GroupKind::kTorque;
    group_.rate = folder_.limits.rate;
    n_ = static_cast<Eigen::Index>(group_.joints.size());
    measured_.q = folder_.poses[0].q;
    measured_.v = measured_.tau = Eigen::VectorXd::Zero(n_);
    command_ = Eigen::VectorXd::Zero(n_);
  }
  ArmContext context() const { return {system_.mechanisms()[0], group_, folder_.groups[0]}; }
  MechanismState& state() { return state_->mechanisms[0]; }
  const Mechanism& mechanism() const { return system_.mechanisms()[0]; }
  Eigen::VectorXd gravity(const Eigen::VectorXd& q) const {
    RobotData data(*mechanism().model);
    return gravity_forces(*mechanism().model, data, q);
  }
  // what the QP would find: torques of `qdd` on the model
  void solve(const Eigen::VectorXd& qdd) {
    update_state(system_, *state_);
    state().qdd = qdd;
    state().tau = state().M * qdd + state().h;
  }
  void tick(ArmDrive& drive, const Eigen::VectorXd& qdd) {
    drive.observe(measured_, state());
    solve(qdd);
    drive.command(state(), command_);
  }
  std::string message(const ArmConfig& config) const {
    try {
      ArmDrive(config, context());
    } catch (const InputError& e) {
      return e.what();
    }
    return "accepted";
  }

  RobotFolder folder_;
  ControlSystem system_;
  std::unique_ptr<ControlState> state_;
  GroupLayout group_;
  GroupState measured_;
  Eigen::VectorXd command_;
  Eigen::Index n_ = 0;
};

class Ur10DriveTest : public ArmDriveTest {
 protected:
  Ur10DriveTest() : ArmDriveTest("ur10") { group_.kind = GroupKind::kVelocity; }
};

inline ArmConfig commanded() {
  ArmConfig config;
  config.feedback = Feedback::kCommanded;
  return config;
}

}  // namespace handspan::test
