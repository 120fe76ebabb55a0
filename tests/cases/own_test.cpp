// Own robots and tools that went wrong: cases/own.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "cases/case_support.hpp"
#include "import/import.hpp"
#include "import/import_write.hpp"

namespace handspan {
namespace own_test {

constexpr double kDegree = M_PI / 180.0;

TEST(OwnCases, AToolWithADrivenJointRuns) {
  HANDSPAN_NEEDS_CASES();
  const test::CaseFolder folder("own");
  const test::CaseRun run = test::run_case(folder / "fp.yaml");
  EXPECT_NEAR(run.end().time, 2.0, 1e-9);
  EXPECT_TRUE(run.summary.broken().empty());
  EXPECT_LT(run.joints_moved(0.0, 2.0), 0.1 * kDegree) << "springs and a drive hold it";
  EXPECT_EQ(run.end().q[run.group("f.jaws")].size(), 1);
}

TEST(OwnCases, AToolWithADrivenJointUnderOneControllerWithItsArmIsDriven) {
  HANDSPAN_NEEDS_CASES();
  const test::CaseFolder folder("own");
  const auto app = folder.write("driven.yaml", R"(name: driven
scene: fp.scene.yaml
duration: 1.5 s
whole_arm:
  arms: {f.arm: {feedback: commanded}}
  tasks:
    hand: {type: pose, frame: f.tcp, stiffness: 100}
    posture: {type: posture, robot: f, weight: 0.0001}
  constraints: [{type: torque_limits}]
machines:
  all:
    start: open
    states:
      open: {do: [{type: hold, tasks: [hand]}, {type: grip, group: f.jaws, to: [0.03]}]}
)");
  const test::CaseRun run = test::run_case(app);
  EXPECT_TRUE(run.summary.broken().empty());
  EXPECT_NEAR(run.end().q[run.group("f.jaws")][0], 0.03, 1e-4) << run.told();
  EXPECT_LT(run.slip("hand", 0.0, 1.5), 1e-3) << "its weight is known";
}

// the Panda of example-robot-data: the arm takes torques, the hand positions
void import_panda(const test::CaseFolder& folder, const std::filesystem::path& urdf) {
  ImportOptions options;
  options.name = "panda";
  options.meshes = MeshShapes::kNone;
  const auto robot = folder.path() / "robots" / "panda";
  write_robot_folder(import_robot(urdf, options), robot);
  folder.write("robots/panda/robot.yaml", R"(name: panda
model: model.xml
limits: limits.yaml
kind: robot
groups:
  - {name: arm, joints: [panda_joint1, panda_joint2, panda_joint3, panda_joint4, panda_joint5, panda_joint6, panda_joint7], drive: torque, torque_rate: true}
  - {name: hand, joints: [panda_finger_joint1], drive: position}
poses: {ready: [0, -0.785, 0, -2.356, 0, 1.571, 0.785]}
)");
}

std::filesystem::path panda_urdf() {
  std::filesystem::path found;
  std::error_code none;
  const auto venv = std::filesystem::path(HANDSPAN_SOURCE_DIR) / ".deps/venv/lib";
  for (const auto& python : std::filesystem::directory_iterator(venv, none)) {
    const auto file = python.path() /
                      "site-packages/cmeel.prefix/share/example-robot-data/robots/"
                      "panda_description/urdf/panda.urdf";
    if (std::filesystem::exists(file)) found = file;
  }
  return found;
}

TEST(OwnCases, ATorqueDrivenArmWithAPositionDrivenGripperStays) {
  HANDSPAN_NEEDS_CASES();
  const auto urdf = panda_urdf();
  if (urdf.empty()) GTEST_SKIP() << "no example robots: tools/setup --meshes";
  const test::CaseFolder folder("own");
  import_panda(folder, urdf);
  for (const char* app : {"p1.yaml", "p2.yaml"}) {
    const test::CaseRun run = test::run_case(folder / app);
    EXPECT_NEAR(run.end().time, 2.0, 1e-9);
    EXPECT_LT(run.joints_moved(0.0, 2.0), 0.05 * kDegree) << app;
    EXPECT_LT(run.speed_share(0.0, 2.0), 0.005) << app;
  }
}

// links of some hundred grams whose centres of mass are near their joints: what tracks is weak
// beside gravity
const char* const kLightModel = R"(<mujoco model="light">
  <compiler angle="radian" autolimits="true" inertiafromgeom="false"/>
  <worldbody>
    <body name="base">
      <inertial mass="1" pos="0 0 0.05" diaginertia="0.002 0.002 0.002"/>
      <body name="turn" pos="0 0 0.1">
        <inertial mass="0.2" pos="0 0 0.03" diaginertia="0.0001 0.0001 0.0001"/>
        <joint name="j1" type="hinge" axis="0 0 1" range="-3 3" actuatorfrcrange="-3 3"/>
        <body name="upper" pos="0 0 0.05">
          <inertial mass="0.15" pos="0 0 0.05" diaginertia="0.0001 0.0001 0.00003"/>
          <joint name="j2" type="hinge" axis="0 1 0" range="-3 3" actuatorfrcrange="-3 3"/>
          <body name="lower" pos="0 0 0.12">
            <inertial mass="0.1" pos="0 0 0.02" diaginertia="0.00002 0.00002 0.00002"/>
            <joint name="j3" type="hinge" axis="0 1 0" range="-3 3" actuatorfrcrange="-3 3"/>
            <body name="wrist" pos="0 0 0.1">
              <inertial mass="0.1" pos="0 0 0.015" diaginertia="0.00001 0.00001 0.00001"/>
              <joint name="j4" type="hinge" axis="0 1 0" range="-3 3" actuatorfrcrange="-3 3"/>
              <site name="tool" pos="0 0 0.03"/>
            </body>
          </body>
        </body>
      </body>
    </body>
  </worldbody>
</mujoco>
)";

TEST(OwnCases, TheTorqueLawOfACommandedStateHoldsALightArm) {
  HANDSPAN_NEEDS_CASES();
  const test::CaseFolder folder("own");
  folder.write("robots/light/model.xml", kLightModel);
  std::string limits = "rate: 1000\njoints:\n";
  for (const char* joint : {"j1", "j2", "j3", "j4"})
    limits += fmt::format(
        "  {}: {{position: [-3, 3], velocity: 3, acceleration: 20, braking: 10, jerk: 1000, "
        "torque: 3, torque_rate: 300}}\n",
        joint);
  folder.write("robots/light/limits.yaml", limits);
  folder.write("robots/light/robot.yaml", R"(name: light
model: model.xml
limits: limits.yaml
kind: robot
groups: [{name: arm, joints: [j1, j2, j3, j4], drive: torque, torque_rate: true}]
poses: {up: [0, 0.3, -0.2, -0.1]}
)");
  folder.write("light.scene.yaml", "name: light\nrobots: {l: {robot: light, pose: up}}\n");
  const auto app = folder.write("light.yaml", R"(name: light
scene: light.scene.yaml
duration: 3 s
whole_arm:
  arms: {l.arm: {feedback: commanded}}
  tasks: {posture: {type: posture, robot: l, stiffness: 50}}
machines:
  all:
    start: go
    states:
      go:
        do: [{type: move_joints, task: posture, waypoints: [{q: [0.03, 0.33, -0.17, -0.07]}]}]
        next: [{to: stay, when: [{type: done}]}]
      stay: {do: [{type: hold, tasks: [posture]}]}
)");
  const test::CaseRun run = test::run_case(app);
  const Eigen::VectorXd goal = (Eigen::VectorXd(4) << 0.03, 0.33, -0.17, -0.07).finished();
  EXPECT_LT((run.end().q[0] - goal).lpNorm<Eigen::Infinity>(), 0.1 * kDegree)
      << run.end().q[0].transpose() << "\n"
      << run.told();
  EXPECT_LT(run.joints_moved(0.0, 3.0), 1.9 * kDegree) << "1.7 deg were asked for";
  // moves joint by joint say which way round they go
  ASSERT_EQ(run.events_of("move").size(), 1U) << run.told();
  EXPECT_EQ(run.events_of("move")[0].text, "j1 +1.7 deg, j2 +1.7 deg, j3 +1.7 deg, j4 +1.7 deg");
}

}  // namespace own_test
}  // namespace handspan
