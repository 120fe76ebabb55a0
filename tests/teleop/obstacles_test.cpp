// Slowing down before what the collision constraints stop an arm at.
#include "teleop/obstacles.hpp"

#include <gtest/gtest.h>

#include "control/control_parts.hpp"
#include "control/frame_task.hpp"
#include "core/random.hpp"
#include "device/device_parts.hpp"
#include "jog_support.hpp"
#include "support/alloc.hpp"
#include "support/parts.hpp"
#include "teleop/teleop_parts.hpp"

namespace handspan {
namespace obstacles_test {

using test::ArmRig;

Vector6d twist(const Eigen::Vector3d& v, const Eigen::Vector3d& w = Eigen::Vector3d::Zero()) {
  Vector6d V;
  V << v, w;
  return V;
}

// an arm whose tool was brought to a distance from the post
struct NearPost : ArmRig {
  explicit NearPost(double distance) {
    auto& task = dynamic_cast<FrameTask&>(arms.task("hand"));
    Obstacles look({1.0, 0.0, 1.0}, arms, "left.tcp");
    Vector6d nothing = Vector6d::Zero();
    for (int i = 0; i < 6000; ++i) {
      look.slow_down(nothing);
      PoseReference goal = task.reference();
      goal.X_WE.p.y() += std::clamp(look.nearest() - distance, -0.2, 0.2) * 1e-3;
      task.set_reference(goal);
      tick();
    }
    look.slow_down(nothing);
    reached = look.nearest();
  }
  double reached = 0.0;
};

TEST(Obstacles, FarFromEverythingNothingChanges) {
  ArmRig arm;
  Obstacles obstacles({0.01, 0.0, 0.0}, arm.arms, "left.tcp");
  const Vector6d V = twist({0.1, 0.2, 0.3}, {0.4, 0.5, 0.6});
  Vector6d slowed = V;
  obstacles.slow_down(slowed);
  EXPECT_EQ(slowed, V);
  EXPECT_EQ(obstacles.nearest(), 0.01);
}

TEST(Obstacles, OnlyWhatComesNearerIsSlowedInProportionToTheDistance) {
  NearPost arm(0.08);
  ASSERT_NEAR(arm.reached, 0.08, 0.005);
  Obstacles obstacles({0.2, 0.04, 0.1}, arm.arms, "left.tcp");
  // between 'from' and 'to', by the distance
  const double share = 0.1 + 0.9 * (arm.reached - 0.04) / (0.2 - 0.04);
  Vector6d V = twist({0.0, 0.2, 0.0});
  obstacles.slow_down(V);
  EXPECT_DOUBLE_EQ(obstacles.nearest(), arm.reached);
  // three bodies are near the same face and slow it down no more than the nearest; the damping of
  // the inverse bends g by less than a thousandth
  EXPECT_NEAR(V[1], 0.2 * share, 0.2 * 1e-3);
  EXPECT_TRUE(V.tail<3>().isZero(0.0));
  // along the face it is as fast as before
  V = twist({0.0, 0.0, 0.2});
  obstacles.slow_down(V);
  EXPECT_NEAR(V[2], 0.2, 0.2 * 1e-2);
  V = twist({0.0, -0.2, 0.0});
  obstacles.slow_down(V);
  EXPECT_EQ(V, twist({0.0, -0.2, 0.0}));
}

TEST(Obstacles, TheWholeAllocatesNothing) {
  NearPost arm(0.1);
  Obstacles obstacles({0.3, 0.04, 0.1}, arm.arms, "left.tcp");
  Vector6d V = twist({0.1, 0.2, 0.0}, {0.1, 0.2, 0.3});
  obstacles.slow_down(V);
  const test::AllocationCount count;
  obstacles.slow_down(V);
  EXPECT_EQ(count.count(), 0U);
}

// dd/dt of a pair for a motion of E, against the arm moved by hand
TEST(Obstacles, AMotionThatIsSlowedToNothingBringsNothingNearer) {
  NearPost arm(0.06);
  // at 'to' nothing may come nearer
  Obstacles obstacles({0.3, 0.29, 0.0}, arm.arms, "left.tcp");
  const ControlSystem& system = arm.arms.system();
  const auto frame = system.frame("left.tcp");
  const RobotModel& model = *system.mechanisms()[0].model;
  MechanismState& s = arm.arms.state().mechanisms[0];
  Matrix6Xd J(6, model.nv());
  frame_jacobian(model, s.data, frame.frame, J);
  RandomStream random(5, "twists");
  int slowed = 0;
  for (int i = 0; i < 50; ++i) {
    const Vector6d wanted = twist(0.2 * random.direction());
    Vector6d V = wanted;
    obstacles.slow_down(V);
    const double before = obstacles.nearest();
    if ((V - wanted).norm() > 1e-6) ++slowed;
    // the joints that move E so with least speeds, for a short while
    const Eigen::VectorXd v = J.completeOrthogonalDecomposition().solve(V);
    const Eigen::VectorXd q = s.q;
    constexpr double kStep = 1e-4;
    integrate(model, q, kStep * v, s.q);
    Vector6d nothing = Vector6d::Zero();
    obstacles.slow_down(nothing);
    EXPECT_GE((obstacles.nearest() - before) / kStep, -2e-3) << "twist " << i;
    s.q = q;
  }
  EXPECT_GT(slowed, 10);
}

TEST(Obstacles, NeedAConstraintThatNamesTheRobot) {
  const Scene scene = test::scene_of(test::kJogScene);
  const MujocoPlant plant(scene);
  WholeArm arms(
      parse_yaml("arms: {left.arm: {feedback: commanded}}\ntasks: {hand: {type: pose, "
                 "frame: left.tcp, stiffness: 100}}\n",
                 "arms.yaml",
                 whole_arm_schema(parts_of<register_control, register_devices, register_teleop>())),
      scene, plant.layout(), kSecond / 1000);
  try {
    Obstacles({}, arms, "left.tcp");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(),
                 "no collision constraint of the whole-arm controller names a body of the robot of "
                 "'left.tcp': add one with the pairs to be kept apart, or leave the slow-down out");
  }
  try {
    parse_yaml("{from: 0.1, to: 0.2}", "s.yaml", slow_down_schema());
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "s.yaml:1: from is not above 'to'; it must be larger");
  }
}

}  // namespace obstacles_test
}  // namespace handspan
