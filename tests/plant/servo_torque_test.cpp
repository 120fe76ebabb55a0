// What a servo's drive is said to exert is what moved the arm over the step, also where it is stiff
// beside its step and at its limit.
#include <gtest/gtest.h>

#include "mujoco/mujoco_plant.hpp"
#include "support/scenes.hpp"

namespace handspan {
namespace servo_torque_test {

TEST(ServoTorque, IsWhatMovedTheArmOverTheStep) {
  const Scene scene =
      test::scene_of("robots: {arm: {robot: ur10, pose: stance, joint_friction: false}}\n");
  const RobotInstance& robot = scene.robots.front();
  const RobotModel model(robot.description);
  RobotData data(model);
  MujocoPlant plant(scene);
  const double dt = scene.physics.timestep;
  Command command = Command::zero(plant.layout());
  std::vector<JointSlot> slots;
  for (const auto& joint : plant.layout().groups[0].joints) slots.push_back(model.joint(joint));
  Eigen::VectorXd q = model.neutral(), v = Eigen::VectorXd::Zero(model.nv()), v_next = v, tau = v;
  double hardest = 0.0, at_limit = 0.0;
  for (int tick = 0; tick < 400; ++tick) {
    // steps of the command, to and fro
    command.groups[0].setConstant(tick / 50 % 2 == 0 ? 1.0 : -1.0);
    command.groups[0][1] *= 0.3;
    for (std::size_t k = 0; k < slots.size(); ++k) {
      q[slots[k].q] = plant.read().groups[0].q[static_cast<Eigen::Index>(k)];
      v[slots[k].v] = plant.read().groups[0].v[static_cast<Eigen::Index>(k)];
    }
    plant.write(command);
    plant.advance();
    for (std::size_t k = 0; k < slots.size(); ++k) {
      v_next[slots[k].v] = plant.read().groups[0].v[static_cast<Eigen::Index>(k)];
      tau[slots[k].v] = plant.read().groups[0].tau[static_cast<Eigen::Index>(k)];
    }
    const Eigen::VectorXd moved =
        mass_matrix(model, data, q) * (v_next - v) / dt + nonlinear_effects(model, data, q, v);
    EXPECT_LT((moved - tau).cwiseAbs().maxCoeff(), 1e-6 * (1.0 + tau.cwiseAbs().maxCoeff()))
        << "tick " << tick << "\nmoved " << moved.transpose() << "\nsaid  " << tau.transpose();
    hardest = std::max(hardest, (v_next - v).cwiseAbs().maxCoeff() / dt);
    for (std::size_t k = 0; k < slots.size(); ++k)
      at_limit =
          std::max(at_limit, std::abs(tau[slots[k].v]) / robot.limits.find(slots[k].name)->torque);
  }
  // it was hard driven, and some drive was at its limit
  EXPECT_GT(hardest, 10.0);
  EXPECT_GT(at_limit, 0.5);
}

}  // namespace servo_torque_test
}  // namespace handspan
