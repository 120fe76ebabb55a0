// A base that rolls without side slip: the same constraint in the plant as in the controller's
// model.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "mujoco/mujoco_plant.hpp"
#include "scene/load_scene.hpp"

namespace handspan {
namespace rolling_test {

// A cart on x, y and yaw with its axle 0.2 m behind the origin, as a robot folder in a scene of its
// own.
class Cart : public testing::Test {
 protected:
  Cart()
      : folder_(std::filesystem::temp_directory_path() /
                ("handspan_cart_" + std::to_string(getpid()))) {
    std::filesystem::create_directories(folder_ / "cart");
    std::ofstream(folder_ / "cart/model.xml") << R"(<mujoco model="cart">
  <compiler angle="radian" autolimits="true" inertiafromgeom="false"/>
  <worldbody><body name="cart_body"><inertial pos="0 0 0" mass="20" diaginertia="1 1 1"/>
    <joint name="x" type="slide" axis="1 0 0"/><joint name="y" type="slide" axis="0 1 0"/>
    <joint name="yaw" type="hinge" axis="0 0 1"/>
    <geom name="hull" type="box" size="0.3 0.2 0.1" contype="0" conaffinity="0"/>
    <site name="axle" pos="-0.2 0 0"/></body></worldbody></mujoco>)";
    std::ofstream(folder_ / "cart/robot.yaml")
        << "name: cart\nkind: robot\nmodel: model.xml\nlimits: limits.yaml\n"
           "groups: [{name: base, joints: [x, y, yaw], drive: torque}]\nrolling: [axle]\n";
    std::ofstream limits(folder_ / "cart/limits.yaml");
    limits << "rate: 1000\njoints:\n";
    for (const char* joint : {"x", "y", "yaw"})
      limits << "  " << joint
             << ": {velocity: 5, acceleration: 10, braking: 10, jerk: 100, torque: 1000, "
                "torque_rate: 1e6}\n";
    limits.close();
    scene_ = parse_scene("name: drive\nrobots: {cart: {robot: cart}}\n", folder_ / "scene.yaml");
  }
  ~Cart() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path folder_;
  Scene scene_;
};

TEST_F(Cart, DrivesACircleAndDoesNotSlipSideways) {
  MujocoPlant plant(scene_);
  Command command = Command::zero(plant.layout());
  const RobotModel model(scene_.robots[0].description);
  RobotData data(model);
  double farthest = 0.0, side = 0.0, forward = 0.0;
  for (int step = 0; step < 3000; ++step) {
    const GroupState& state = plant.read().groups[0];
    const double yaw = state.q[2], along = std::cos(yaw) * state.v[0] + std::sin(yaw) * state.v[1];
    // a motor that keeps 0.5 m/s along the cart, and a steering torque towards 1 rad/s
    const double force = 200.0 * (0.5 - along);
    command.groups[0] << force * std::cos(yaw), force * std::sin(yaw), 50.0 * (1.0 - state.v[2]);
    plant.write(command);
    plant.advance();
    update_kinematics(model, data, plant.read().groups[0].q, plant.read().groups[0].v);
    const FrameId axle = model.frame("cart.axle");
    const Eigen::Vector3d v =
        frame_pose(model, data, axle).R.transpose() * frame_velocity(model, data, axle).head<3>();
    side = std::max(side, std::abs(v[1]));
    forward = std::max(forward, v[0]);
    farthest = std::max(farthest, plant.read().groups[0].q.head<2>().norm());
  }
  EXPECT_GT(forward, 0.4);
  // within a step the cart turns by a thousandth, and so does its velocity against the axle
  EXPECT_LT(side, 2e-3 * forward);
  // a circle of radius 0.5 m: slipping straight on it would have gone 1.5 m
  EXPECT_LT(farthest, 1.3);
}

TEST_F(Cart, APushFromTheSideDoesNotMoveIt) {
  MujocoPlant plant(scene_);
  Command command = Command::zero(plant.layout());
  command.groups[0] << 0.0, 100.0, -100.0 * 0.2;  // through the axle
  plant.write(command);
  for (int step = 0; step < 1000; ++step) plant.advance();
  EXPECT_LT(std::abs(plant.read().groups[0].q[1]), 1e-3);  // unheld it would have gone 2.5 m
}

}  // namespace rolling_test
}  // namespace handspan
