#pragma once
// What the plant's tests share: short runs, and sizes that `--long` multiplies.
#include <string>

#include "mujoco/mujoco_plant.hpp"
#include "support/scenes.hpp"
#include "support/sized.hpp"

namespace handspan::test {

inline void advance(MujocoPlant& plant, int steps) {
  for (int i = 0; i < steps; ++i) plant.advance();
}

inline void hold(MujocoPlant& plant, const Command& command, int steps) {
  for (int i = 0; i < steps; ++i) {
    plant.write(command);
    plant.advance();
  }
}

/// Gravity torques of a robot at its present state, in the order of the plant's group.
class Gravity {
 public:
  Gravity(const Scene& scene, const std::string& robot)
      : instance_(*scene.robot(robot)),
        model_(instance_.description, scene.physics.gravity),
        data_(model_),
        q_(model_.neutral()),
        v_(Eigen::VectorXd::Zero(model_.nv())) {}

  const RobotModel& model() const { return model_; }
  Eigen::VectorXd torques(const MujocoPlant& plant) {
    plant.robot_state(instance_.name, q_, v_);
    const Eigen::VectorXd& all = gravity_forces(model_, data_, q_);
    const auto& joints = instance_.groups.front().joints;
    Eigen::VectorXd out(static_cast<Eigen::Index>(joints.size()));
    for (std::size_t i = 0; i < joints.size(); ++i)
      out[static_cast<Eigen::Index>(i)] = all[model_.joint(joints[i]).v];
    return out;
  }

 private:
  const RobotInstance& instance_;
  RobotModel model_;
  RobotData data_;
  Eigen::VectorXd q_, v_;
};

}  // namespace handspan::test
