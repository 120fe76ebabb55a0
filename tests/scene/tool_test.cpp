// Tools with driven joints: what a robot takes over from them.
#include <gtest/gtest.h>

#include "scene/mixed_drives.hpp"
#include "scene/mujoco_scene.hpp"
#include "support/scenes.hpp"

namespace handspan {
namespace tool_test {

using test::replaced;

const char* const kModel = R"(<mujoco model="pinch">
  <compiler angle="radian" autolimits="true" inertiafromgeom="false"/>
  <worldbody>
    <body name="palm">
      <inertial mass="0.5" pos="0 0 0.03" diaginertia="0.0006 0.0006 0.0004"/>
      <site name="tcp" pos="0 0 0.11"/>
      <body name="finger_a" pos="0 0 0.06">
        <inertial mass="0.1" pos="0 0 0.025" diaginertia="0.00005 0.00005 0.00002"/>
        <joint name="a" type="slide" axis="1 0 0" range="-0.05 0.05" actuatorfrcrange="-60 60"/>
      </body>
      <body name="finger_b" pos="0 0 0.06">
        <inertial mass="0.1" pos="0 0 0.025" diaginertia="0.00005 0.00005 0.00002"/>
        <joint name="b" type="slide" axis="-1 0 0" range="-0.05 0.05"/>
      </body>
      <body name="turn" pos="0 0 0.02">
        <inertial mass="0.1" pos="0 0 0.025" diaginertia="0.00005 0.00005 0.00002"/>
        <joint name="t" type="hinge" axis="0 0 1" range="-1 1" actuatorfrcrange="-5 5"/>
      </body>
    </body>
  </worldbody>
  <equality><joint joint1="b" joint2="a" polycoef="0.001 0.5 0 0 0"/></equality>
</mujoco>
)";

const char* const kYaml = R"(name: pinch
model: model.xml
kind: tool
limits: limits.yaml
groups:
  - {name: jaws, joints: [a], drive: position}
  - {name: turn, joints: [t], drive: torque}
sensors: [{name: palm_ft, type: force_torque, site: tcp}]
)";

const char* const kLimits = R"(rate: 100
joints:
  a: {position: [0.01, 0.04], velocity: 0.2, acceleration: 2, braking: 1, jerk: 100, torque: 60, torque_rate: 1000}
  t: {position: [-1, 1], velocity: 2, acceleration: 20, braking: 10, jerk: 1000, torque: 5, torque_rate: 1000}
)";

class ToolTest : public testing::Test {
 protected:
  void write(const std::string& model, const std::string& yaml, const std::string& limits) const {
    folder.write("pinch/model.xml", model);
    folder.write("pinch/robot.yaml", yaml);
    folder.write("pinch/limits.yaml", limits);
  }
  Scene scene() const {
    return scene_of("robots: {f: {robot: fr3, tool: " + (folder.path() / "pinch").string() +
                    "}}\n");
  }
  static Scene scene_of(const std::string& text) { return test::scene_of(text); }

  test::TemporaryFolder folder;
};

TEST_F(ToolTest, ItsGroupsLimitsAndSensorsBecomeTheRobots) {
  write(kModel, kYaml, kLimits);
  const Scene s = scene();
  const RobotInstance& robot = s.robots[0];
  ASSERT_EQ(robot.groups.size(), 3U);
  EXPECT_EQ(robot.groups[1].joints, std::vector<std::string>{"f.a"});
  EXPECT_EQ(robot.groups[2].joints, std::vector<std::string>{"f.t"});
  ASSERT_NE(robot.limits.find("f.a"), nullptr);
  EXPECT_EQ(robot.limits.find("f.a")->upper, 0.04);
  EXPECT_EQ(robot.limits.find("f.t")->torque, 5.0);
  EXPECT_EQ(robot.limits.find("f.joint1")->torque, 87.0);
  EXPECT_EQ(robot.limits.rate.hz(), 1000.0) << "the robot keeps its own";
  ASSERT_EQ(robot.sensors.size(), 1U);
  EXPECT_EQ(robot.sensors[0].name, "f.palm_ft");
  EXPECT_TRUE(has_mixed_drives(robot));
}

double start_of(const Scene& scene, const char* joint) {
  const CompiledScene compiled(scene);
  const MjDataPtr data(mj_makeData(&compiled.model()));
  compiled.reset(compiled.model(), *data);
  const int j = mj_name2id(&compiled.model(), mjOBJ_JOINT, joint);
  return data->qpos[compiled.model().jnt_qposadr[j]];
}

TEST_F(ToolTest, ItsJointsStartWithinTheirLimitsAndMimicJointsWhereTheirMastersPutThem) {
  write(kModel, kYaml, kLimits);
  EXPECT_EQ(start_of(scene(), "f.a"), 0.01) << "as near to zero as the limits let it";
  EXPECT_EQ(start_of(scene(), "f.t"), 0.0);
  EXPECT_DOUBLE_EQ(start_of(scene(), "f.b"), 0.001 + 0.5 * 0.01);
}

TEST_F(ToolTest, NamesThatMeetThoseOfTheRobotAreNamed) {
  const auto error = [&] {
    try {
      scene();
    } catch (const InputError& e) {
      return std::string(e.what());
    }
    return std::string("no error");
  };
  write(kModel, replaced(kYaml, "name: jaws", "name: arm"), kLimits);
  EXPECT_NE(error().find("there is a group 'f.arm' already; give each a name of its own"),
            std::string::npos)
      << error();
  write(replaced(replaced(kModel, "joint name=\"t\"", "joint name=\"joint1\""), "", ""),
        replaced(kYaml, "joints: [t]", "joints: [joint1]"), replaced(kLimits, "  t:", "  joint1:"));
  EXPECT_NE(error().find("joint1"), std::string::npos) << error();
  write(kModel, kYaml, replaced(kLimits, "  t:", "  # t:"));
  EXPECT_NE(error().find("joint 't' has no limits; add it to limits.yaml"), std::string::npos)
      << error();
}

}  // namespace tool_test
}  // namespace handspan
