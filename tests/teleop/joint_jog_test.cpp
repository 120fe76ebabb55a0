#include "teleop/joint_jog.hpp"

#include <gtest/gtest.h>

#include "control/posture_task.hpp"
#include "jog_support.hpp"
#include "reference/arbiter.hpp"
#include "reference/joint_reference.hpp"

namespace handspan {
namespace joint_jog_test {

using test::ArmRig;
using test::JogPad;

// a jog that has authority over the posture of an arm
struct Rig {
  explicit Rig(const std::string& keys) {
    SourceContext context;
    context.name = "joints";
    context.devices = &pad.devices;
    context.arms = &arm.arms;
    auto& task = dynamic_cast<PostureTask&>(arm.arms.task("posture"));
    limits = task.limits();
    posture = arbiter.add(std::make_unique<JointReference>(task));
    source = arbiter.add_source(
        "joints",
        test::source_of("{type: joint_jog, device: pad, task: posture, " + keys + "}", context));
    arbiter.start();
    pad.tick();
    const Authority authority{source};
    arbiter.give_authority(posture, {&authority, 1}, pad.moment);
    arbiter.update(pad.moment);
    q_start = reference().q;
  }
  void run(int ticks) {
    for (int i = 0; i < ticks; ++i) {
      Moment moment = pad.tick();
      arbiter.update(moment);
    }
  }
  const Motion& reference() const { return arbiter.reference(posture).motion(); }
  Eigen::VectorXd moved() const { return reference().q - q_start; }

  JogPad pad;
  ArmRig arm;
  EventList events;
  Arbiter arbiter{events};
  ReferenceIndex posture;
  SourceIndex source;
  std::vector<JointLimits> limits;
  Eigen::VectorXd q_start;
};

TEST(JointJog, AnAxisMovesItsJointAndNoOther) {
  Rig rig("speed: 0.4, joints: {left.joint2: left.stick_y, left.joint6: -right.stick_x}");
  rig.pad.axis("left.stick_y", 1.0);
  rig.pad.axis("right.stick_x", 0.55);
  rig.run(1000);
  EXPECT_NEAR(rig.reference().v[1], 0.4, 1e-12);
  EXPECT_NEAR(rig.reference().v[5], -0.2, 1e-12);
  for (Eigen::Index j : {0, 2, 3, 4, 6}) EXPECT_EQ(rig.moved()[j], 0.0);
  rig.pad.axis("left.stick_y", 0.0);
  rig.pad.axis("right.stick_x", 0.0);
  rig.run(1000);
  EXPECT_TRUE(rig.arbiter.reference(rig.posture).at_rest());
  const Eigen::VectorXd q = rig.reference().q;
  rig.run(1000);
  EXPECT_EQ(rig.reference().q, q);
}

TEST(JointJog, ButtonsChooseAJointRoundAndRound) {
  Rig rig("choose: {next: right.primary, previous: right.secondary, rate: left.stick_y}");
  const auto press = [&](const char* button) {
    rig.pad.button(button, true);
    rig.run(5);
    rig.pad.button(button, false);
    rig.run(5);
  };
  const auto moves = [&](Eigen::Index joint) {
    const Eigen::VectorXd before = rig.reference().q;
    rig.pad.axis("left.stick_y", 1.0);
    rig.run(200);
    rig.pad.axis("left.stick_y", 0.0);
    rig.run(500);
    const Eigen::VectorXd moved = rig.reference().q - before;
    return moved[joint] > 0.01 && (moved.array() != 0.0).count() == 1;
  };
  EXPECT_TRUE(moves(0));
  press("right.primary");
  press("right.primary");
  EXPECT_TRUE(moves(2));
  for (int i = 0; i < 3; ++i) press("right.secondary");
  EXPECT_TRUE(moves(6));
}

TEST(JointJog, StopsAtTheJointsLimit) {
  Rig rig("speed: 1, joints: {left.joint1: left.stick_y}");
  rig.pad.axis("left.stick_y", 1.0);
  for (int i = 0; i < 8000; ++i) {
    rig.run(1);
    ASSERT_LE(rig.reference().q[0], rig.limits[0].upper + 1e-12);
  }
  EXPECT_NEAR(rig.reference().q[0], rig.limits[0].upper, 1e-9);
}

TEST(JointJog, SaysWhatItCannotBeMadeOf) {
  JogPad pad;
  ArmRig arm;
  SourceContext context;
  context.devices = &pad.devices;
  const auto error = [&](const std::string& keys) {
    return test::source_error("{type: joint_jog, device: pad, " + keys + "}", context);
  };
  EXPECT_EQ(error("task: posture, joints: {left.joint1: left.stick_y}"),
            "a jog of joints needs a whole-arm controller, and there is none");
  context.arms = &arm.arms;
  EXPECT_EQ(error("task: hand, joints: {left.joint1: left.stick_y}"),
            "the task 'hand' has no joints of its own; give a posture");
  EXPECT_EQ(error("task: posture, joints: {left.joint11: left.stick_y}"),
            "the task 'posture' has no joint 'left.joint11'; did you mean 'left.joint1'?");
  EXPECT_EQ(error("task: posture"), "jog.yaml:1: the file moves no joint; give joints, or choose");
  EXPECT_EQ(error("task: posture, joints: {left.joint1: left.stick_y}, choose: {next: left.stick, "
                  "rate: left.stick_x}"),
            "jog.yaml:1: the file has joints and a choice of one; give joints, or choose");
}

TEST(JointJog, HoldsWhereTheJointsAreAnotherTasks) {
  Rig rig("joints: {left.joint1: left.stick_y}");
  Motion reference, wanted;
  reference.q = reference.v = reference.a = Eigen::VectorXd::Zero(2);
  const SourceAnswer answer =
      rig.arbiter.source(rig.source).update(rig.pad.moment, reference, wanted);
  EXPECT_EQ(answer.status, SourceStatus::kLost);
  EXPECT_STREQ(answer.reason, "it is made for the joints of another task");
}

}  // namespace joint_jog_test
}  // namespace handspan
