// Robots with torque-driven joints and servos: gravity is where it belongs, joint by joint.
#include <gtest/gtest.h>

#include <cmath>

#include "plant/plant_support.hpp"

namespace handspan {
namespace mixed_drives_test {

// a turning base, an arm of two links that swing in a vertical plane, and a lift at its end with a
// finger that follows it
const char* const kModel = R"(<mujoco model="mixed">
  <compiler angle="radian" autolimits="true" inertiafromgeom="false"/>
  <worldbody>
    <body name="base">
      <inertial mass="2" pos="0 0 0.1" diaginertia="0.02 0.02 0.02"/>
      <body name="upper" pos="0 0 0.4">
        <inertial mass="1" pos="0.2 0 0" diaginertia="0.002 0.02 0.02"/>
        <joint name="shoulder" type="hinge" axis="0 -1 0" range="-3 3" actuatorfrcrange="-100 100" armature="0.05"/>
        <body name="lower" pos="0.4 0 0">
          <inertial mass="0.7" pos="0.15 0 0" diaginertia="0.001 0.01 0.01"/>
          <joint name="elbow" type="hinge" axis="0 -1 0" range="-3 3" actuatorfrcrange="-100 100" armature="0.05"/>
          <body name="slide" pos="0.3 0 0">
            <inertial mass="0.3" pos="0 0 0" diaginertia="0.0004 0.0004 0.0004"/>
            <joint name="lift" type="slide" axis="0 0 1" range="-0.2 0.2" actuatorfrcrange="-50 50"/>
          </body>
          <body name="finger" pos="0.35 0 0">
            <inertial mass="0.2" pos="0 0 0" diaginertia="0.0004 0.0004 0.0004"/>
            <joint name="follower" type="slide" axis="0 0 1" range="-0.2 0.2"/>
          </body>
        </body>
      </body>
    </body>
  </worldbody>
  <equality><joint joint1="follower" joint2="lift" polycoef="0 -0.5 0 0 0"/></equality>
</mujoco>
)";

const char* const kLimits = R"(rate: 500
joints:
  shoulder: {position: [-3, 3], velocity: 5, acceleration: 50, braking: 20, jerk: 1000, torque: 100, torque_rate: 10000}
  elbow: {position: [-3, 3], velocity: 5, acceleration: 50, braking: 20, jerk: 1000, torque: 100, torque_rate: 10000}
  lift: {position: [-0.2, 0.2], velocity: 1, acceleration: 20, braking: 10, jerk: 1000, torque: 50, torque_rate: 10000}
)";

struct Drives {
  const char *shoulder, *elbow, *lift;
};

class MixedDrives : public testing::Test {
 protected:
  Scene scene(const Drives& drives) const {
    folder.write("mixed/model.xml", kModel);
    folder.write("mixed/limits.yaml", kLimits);
    std::string yaml = "name: mixed\nmodel: model.xml\nkind: robot\nlimits: limits.yaml\ngroups:\n";
    const std::pair<const char*, const char*> all[] = {
        {"shoulder", drives.shoulder}, {"elbow", drives.elbow}, {"lift", drives.lift}};
    for (const auto& [joint, drive] : all)
      yaml +=
          std::string("  - {name: ") + joint + ", joints: [" + joint + "], drive: " + drive + "}\n";
    folder.write("mixed/robot.yaml", yaml + "poses: {out: [0.5]}\n");
    return test::scene_of("robots: {m: {robot: " + (folder.path() / "mixed").string() + "}}\n");
  }
  // what carries the joints at q, by the closed form: weights times the levers beyond each joint
  static double torque_of_elbow(double q1, double q2) {
    const double c = std::cos(q1 + q2);
    return 9.81 * (0.7 * 0.15 + 0.3 * 0.3 + 0.2 * 0.35) * c;
  }
  static double torque_of_shoulder(double q1, double q2) {
    return 9.81 * (1.0 * 0.2 + (0.7 + 0.3 + 0.2) * 0.4) * std::cos(q1) + torque_of_elbow(q1, q2);
  }
  // of the lift's drive: its own weight and, half and the other way, that of what follows it
  static double force_of_lift(double q1, double q2) {
    return 9.81 * (0.3 - 0.5 * 0.2) * std::cos(q1 + q2);
  }

  test::TemporaryFolder folder;
};

TEST_F(MixedDrives, ATorqueDrivenArmBearsItsWeightAndItsServoGripperCarriesItsOwn) {
  const Scene s = scene({"torque", "torque", "position"});
  MujocoPlant plant(s);
  // the arm is carried by its closed form; a plant that is weightless would throw it up
  Command command = Command::zero(plant.layout());
  // nothing damps it: while the mimic finger takes its load it is pushed by some 1e-3 rad/s
  for (int k = 0; k < 100; ++k) {
    const auto& g = plant.read().groups;
    command.groups[0][0] = torque_of_shoulder(g[0].q[0], g[1].q[0]);
    command.groups[1][0] = torque_of_elbow(g[0].q[0], g[1].q[0]);
    plant.write(command);
    plant.advance();
  }
  const auto& g = plant.read().groups;
  EXPECT_NEAR(g[0].q[0], 0.5, 1e-3);
  EXPECT_NEAR(g[1].q[0], 0.0, 1e-3);
  EXPECT_NEAR(g[2].q[0], 0.0, 1e-6) << "the servo does not sag";
  EXPECT_NEAR(g[2].tau[0], force_of_lift(0.5, 0.0), 0.02);
}

TEST_F(MixedDrives, WithoutTorqueATorqueDrivenJointFalls) {
  const Scene s = scene({"torque", "torque", "position"});
  MujocoPlant plant(s);
  plant.write(Command::zero(plant.layout()));
  test::advance(plant, 200);
  EXPECT_LT(plant.read().groups[0].q[0], 0.5 - 0.05) << "0.2 s of fall";
}

TEST_F(MixedDrives, AServoBeforeATorqueDrivenJointCarriesTheWholeAndTheOthersNothingOfIt) {
  const Scene s = scene({"velocity", "torque", "position"});
  MujocoPlant plant(s);
  Command command = Command::zero(plant.layout());
  for (int k = 0; k < 100; ++k) {
    const auto& g = plant.read().groups;
    command.groups[1][0] = torque_of_elbow(g[0].q[0], g[1].q[0]);
    plant.write(command);
    plant.advance();
  }
  const auto& g = plant.read().groups;
  EXPECT_NEAR(g[0].q[0], 0.5, 1e-5) << "the servo does not sag";
  EXPECT_NEAR(g[0].tau[0], torque_of_shoulder(0.5, 0.0), 0.05);
  EXPECT_NEAR(g[1].q[0], 0.0, 1e-3);
}

TEST_F(MixedDrives, ASnapshotGoesOnWithTheSameBits) {
  const Scene s = scene({"torque", "torque", "position"});
  MujocoPlant plant(s), other(s);
  plant.write(Command::zero(plant.layout()));
  test::advance(plant, 50);
  other.restore(plant.snapshot());
  test::advance(plant, 50);
  test::advance(other, 50);
  EXPECT_EQ(plant.snapshot(), other.snapshot());
}

}  // namespace mixed_drives_test
}  // namespace handspan
