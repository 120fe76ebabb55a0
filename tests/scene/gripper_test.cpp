// What makes a group a gripper: widths from the pads' frames, forces by virtual work, and errors of
// its key.
#include <gtest/gtest.h>

#include <cmath>

#include "scene/mixed_drives.hpp"
#include "support/scenes.hpp"

namespace handspan {
namespace gripper_test {

using test::replaced;

const char* const kModel = R"(<mujoco model="claw">
  <compiler angle="radian" autolimits="true" inertiafromgeom="false"/>
  <worldbody>
    <body name="palm">
      <inertial mass="0.5" pos="0 0 0.03" diaginertia="0.0006 0.0006 0.0004"/>
      <site name="fixed" pos="0 0 0.1"/>
      <body name="jaw" pos="0.02 0 0.02">
        <inertial mass="0.1" pos="0 0 0.04" diaginertia="0.00005 0.00005 0.00002"/>
        <joint name="hinge" type="hinge" axis="0 1 0" range="-0.3 1.2" actuatorfrcrange="-5 5"/>
        <site name="moving" pos="-0.02 0 0.08"/>
      </body>
      <body name="left" pos="0 0 0.06">
        <inertial mass="0.1" pos="0 0 0.025" diaginertia="0.00005 0.00005 0.00002"/>
        <joint name="slide" type="slide" axis="1 0 0" range="0 0.05" actuatorfrcrange="-60 60"/>
      </body>
      <body name="right" pos="0 0 0.06">
        <inertial mass="0.1" pos="0 0 0.025" diaginertia="0.00005 0.00005 0.00002"/>
        <joint name="follower" type="slide" axis="-1 0 0" range="0 0.05"/>
      </body>
    </body>
  </worldbody>
  <equality><joint joint1="follower" joint2="slide" polycoef="0 1 0 0 0"/></equality>
</mujoco>
)";

const char* const kYaml = R"(name: claw
model: model.xml
kind: tool
limits: limits.yaml
groups:
  - name: turning
    joints: [hinge]
    drive: position
    gripper: {closed: [0.0], open: [1.0], pads: [{frame: fixed}, {body: jaw, position: [-0.02, 0, 0.08]}]}
  - {name: sliding, joints: [slide], drive: position, gripper: {closed: [0.0], open: [0.04], force: 25 N}}
)";

const char* const kLimits = R"(rate: 100
joints:
  hinge: {position: [-0.3, 1.2], velocity: 2, acceleration: 20, braking: 10, jerk: 1000, torque: 5, torque_rate: 1000}
  slide: {position: [0, 0.05], velocity: 0.2, acceleration: 2, braking: 1, jerk: 100, torque: 60, torque_rate: 1000}
)";

class GripperKey : public testing::Test {
 protected:
  RobotFolder load(const std::string& yaml = kYaml) const {
    folder.write("claw/model.xml", kModel);
    folder.write("claw/robot.yaml", yaml);
    folder.write("claw/limits.yaml", kLimits);
    return load_robot_folder(folder.path() / "claw");
  }
  std::string error(const std::string& from, const std::string& to) const {
    try {
      load(replaced(kYaml, from, to));
    } catch (const InputError& error) {
      return error.what();
    }
    return "no error";
  }
  void expect(const std::string& from, const std::string& to,
              const std::vector<std::string>& words) const {
    const std::string told = error(from, to);
    EXPECT_NE(told.find("robot.yaml:"), std::string::npos) << told;
    for (const auto& word : words) EXPECT_NE(told.find(word), std::string::npos) << told;
  }

  test::TemporaryFolder folder;
};

TEST_F(GripperKey, WidthIsTheDistanceOfThePads) {
  const RobotFolder claw = load();
  const GripperDescription& g = *claw.groups[0].gripper;
  // the pads meet when it is shut; the moving one goes on a circle about the hinge
  const double r = std::hypot(0.02, 0.08);
  for (const double q : {0.0, 0.1, 0.37, 0.8, 1.0})
    EXPECT_NEAR(g.width(Eigen::VectorXd::Constant(1, q)), 2.0 * r * std::sin(q / 2.0), 1e-5) << q;
  for (const double share : {-0.1, 0.0, 0.2, 0.55, 1.0, 1.3})
    EXPECT_NEAR(g.share_of(g.width(share)), share, 1e-12);
}

TEST_F(GripperKey, JawsThatSlideNeedNoPads) {
  const RobotFolder claw = load();
  const GripperDescription& g = *claw.groups[1].gripper;
  // the follower moves too
  EXPECT_DOUBLE_EQ(g.shut(), 0.0);
  EXPECT_NEAR(g.wide(), 0.08, 1e-12);
  // one drive moves both: twice the force at a pad
  EXPECT_NEAR(g.torque(0, 10.0, 0.5), 20.0, 1e-9);
  EXPECT_NEAR(g.force_of(Eigen::VectorXd::Constant(1, -20.0), 0.5), 10.0, 1e-9);
}

TEST_F(GripperKey, ForceAndSpeedAreTheLimitsUnlessLess) {
  const RobotFolder claw = load();
  const GripperDescription& turning = *claw.groups[0].gripper;
  const GripperDescription& sliding = *claw.groups[1].gripper;
  // half open, d width / dq = r cos(q / 2)
  const double lever = std::hypot(0.02, 0.08) * std::cos(0.25);
  EXPECT_NEAR(turning.force, 5.0 / lever, 0.5);
  EXPECT_NEAR(turning.speed, 2.0 * lever, 1e-2);
  EXPECT_DOUBLE_EQ(sliding.force, 25.0);
  EXPECT_NEAR(sliding.speed, 0.4, 1e-9);
}

TEST_F(GripperKey, OfTheShippedOnesIsAsPublished) {
  const auto of = [](const char* name) {
    return *load_robot_folder(test::kSource / "robots" / name).groups.front().gripper;
  };
  const GripperDescription hand = of("fr3_hand"), two = of("gripper2f");
  EXPECT_NEAR(hand.shut(), 0.0, 1e-9);
  EXPECT_NEAR(hand.wide(), 0.08, 1e-9);
  EXPECT_DOUBLE_EQ(hand.force, 70.0);
  EXPECT_NEAR(two.shut(), 0.0, 1e-4);
  EXPECT_NEAR(two.wide(), 0.085, 1e-3);
  EXPECT_DOUBLE_EQ(two.force, 235.0);
}

TEST_F(GripperKey, Errors) {
  expect("closed: [0.0], open: [1.0]", "closed: [0.0], open: [1.0, 2.0]",
         {"open", "2 values for 1"});
  expect("closed: [0.0], open: [1.0]", "closed: [0.0, 0.0], open: [1.0, 1.0]",
         {"2 values for the 1 joints", "one a joint"});
  expect("closed: [0.0], open: [1.0]", "closed: [0.5], open: [0.5]", {"does not move joint 1"});
  expect("closed: [0.0], open: [1.0]", "closed: [0.0], open: [2.0]",
         {"'hinge' at 2", "outside its limits -0.3 to 1.2"});
  // the pads come nearer before they come apart
  expect("closed: [0.0], open: [1.0]", "closed: [-0.3], open: [1.0]", {"apart", "swap"});
  expect("{frame: fixed}", "{frame: fixd}", {"no frame 'fixd'", "fixed"});
  expect("body: jaw", "body: jow", {"no body 'jow'", "jaw"});
  expect("{frame: fixed}", "{frame: fixed, body: jaw}", {"neither a frame nor a point"});
  expect("{frame: fixed}", "{}", {"neither a frame nor a point"});
  expect("{frame: fixed}", "{frame: fixed, position: [0, 0, 1]}", {"position beside a frame"});
  expect(", pads: [{frame: fixed}, {body: jaw, position: [-0.02, 0, 0.08]}]", "",
         {"'hinge' turns", "pads"});
  expect("[{frame: fixed}, ", "[", {"pads"});
  expect("joints: [hinge]\n    drive: position", "joints: [hinge]\n    drive: velocity",
         {"drive", "drive: position"});
  expect("joints: [hinge]\n    drive: position",
         "joints: [hinge]\n    lag: 0.1\n    drive: position", {"lag", "goes by its speed"});
  expect("force: 25 N", "force: 0 N", {"force"});
  expect("force: 25 N", "farce: 25 N", {"farce", "force"});
}

TEST_F(GripperKey, ItStartsOpen) {
  load();
  const Scene scene = test::scene_of(
      "robots: {f: {robot: fr3, tool: " + (folder.path() / "claw").string() + "}}\n");
  const auto starts = other_starts(scene.robots[0]);
  const auto start = [&](const std::string& joint) -> double {
    for (const auto& [name, q] : starts)
      if (name == joint) return q;
    return NAN;
  };
  EXPECT_DOUBLE_EQ(start("f.hinge"), 1.0);
  EXPECT_DOUBLE_EQ(start("f.slide"), 0.04);
  EXPECT_DOUBLE_EQ(start("f.follower"), 0.04);
}

}  // namespace gripper_test
}  // namespace handspan
