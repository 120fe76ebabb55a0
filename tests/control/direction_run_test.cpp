// An arm under measured feedback that something pushes: it gives way along the push.
#include <gtest/gtest.h>

#include <cmath>

#include "control/control_parts.hpp"
#include "control/frame_task.hpp"
#include "control/whole_arm.hpp"
#include "core/config.hpp"
#include "mujoco/mujoco_plant.hpp"
#include "support/parts.hpp"
#include "support/scenes.hpp"

namespace handspan {
namespace direction_run_test {

constexpr double kDegree = M_PI / 180.0;

constexpr const char* kArm =
    "robots:\n"
    "  right: {robot: fr3, tool: plate, q: [0.0, -0.35, 0.0, -2.20, 0.0, 1.85, 0.785]}\n";

constexpr const char* kControl =
    "arms:\n"
    "  right.arm: {feedback: measured, friction: [0.18, 0.18, 0.18, 0.18, 0.18, 0.18, 0.18]}\n"
    "tasks:\n"
    "  hand: {type: pose, frame: right.tcp, stiffness: 400, orientation_weight: 0.1, "
    "keep_direction: true}\n"
    "  posture: {type: posture, robot: right, stiffness: 10, weight: 1.0e-4}\n"
    "constraints:\n"
    "  - {type: torque_limits}\n"
    "  - {type: jerk_limits}\n"
    "  - {type: cartesian_limits, frame: right.flange}\n";

std::vector<Eigen::Vector3d> run(const std::string& kinematic, double duration) {
  const Scene scene = test::scene_of(kArm + kinematic);
  MujocoPlant plant(scene);
  WholeArm arms(parse_yaml(kControl, "t.yaml", whole_arm_schema(parts_of<register_control>())),
                scene, plant.layout(), kSecond / 1000);
  const RobotModel model(scene.robots[0].description);
  RobotData data(model);
  Eigen::VectorXd q = model.neutral(), v = Eigen::VectorXd::Zero(model.nv());
  Command command = Command::zero(plant.layout());
  arms.start(plant.read());
  std::vector<Eigen::Vector3d> seen;
  for (std::int64_t tick = 0; seconds(plant.time()) < duration; ++tick) {
    arms.update(plant.read(), tick, command);
    plant.write(command);
    plant.advance();
    plant.robot_state("right", q, v);
    update_kinematics(model, data, q, v);
    seen.push_back(frame_pose(model, data, model.frame("right.tcp")).p);
  }
  return seen;
}

TEST(DirectionRun, APushedToolGivesWayAlongThePush) {
  const auto seen =
      run("kinematic:\n"
          "  pusher:\n"
          "    shapes: [{type: box, size: [0.04, 0.3, 0.06]}]\n"
          "    motion:\n"
          "      - {time: 0.5 s, pose: {position: [0.575, 0, 0.505]}}\n"
          "      - {time: 1.5 s, pose: {position: [0.50, 0, 0.505]}}\n",
          3.0);
  int pushed = 0;
  double most = 0.0;
  for (const Eigen::Vector3d& tool : seen) {
    const Eigen::Vector3d moved = tool - seen.front();
    if (moved.norm() < 0.005) continue;
    ++pushed;
    most = std::max(most, std::acos(std::clamp(-moved.x() / moved.norm(), -1.0, 1.0)));
  }
  EXPECT_GT(pushed, 500);
  EXPECT_LT(most, 25.0 * kDegree) << most / kDegree;
}

}  // namespace direction_run_test
}  // namespace handspan
