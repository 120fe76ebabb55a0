// Several sources on one reference: by axis, in shares, and what one that says nothing leaves to
// the others.
#include "teleop/arbiter.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <memory>
#include <string>

#include "jog_support.hpp"
#include "math/so3.hpp"
#include "support/alloc.hpp"

namespace handspan {
namespace arbiter_test {

const char* const kScene = R"(
robots:
  left: {robot: fr3, tool: plate, pose: ready}
)";
const char* const kArms = R"(
arms:
  left.arm: {feedback: commanded}
tasks:
  hand: {type: pose, frame: left.tcp, stiffness: 100}
  posture: {type: posture, robot: left, stiffness: 10, weight: 1.0e-3}
)";

// Asks for a place and a turn from where its reference was, or for joints, at rest.
struct Wish {
  Eigen::Vector3d p = Eigen::Vector3d::Zero(), turn = Eigen::Vector3d::Zero();  // in W
  Eigen::VectorXd dq;
  SourceStatus status = SourceStatus::kActive;
  Axes axes = kAllAxes;
  int starts = 0;
};
class Wishes : public Source {
 public:
  Wishes(Wish& wish, MotionKind kind) : wish_(wish), kind_(kind) {}
  MotionKind asks_for() const override { return kind_; }
  void start(const Moment&, const Motion& reference) override {
    from_ = reference;
    ++wish_.starts;
  }
  SourceAnswer update(const Moment&, const Motion&, Motion& wanted) override {
    if (kind_ == MotionKind::kJoints) {
      wanted.q = from_.q + wish_.dq;
      wanted.v.setZero();
      wanted.a.setZero();
    } else {
      wanted.pose = {};
      wanted.pose.X_WE = {exp_so3(wish_.turn) * from_.pose.X_WE.R, from_.pose.X_WE.p + wish_.p};
    }
    return {wish_.status, "it is silent", wish_.axes};
  }

 private:
  Wish& wish_;
  MotionKind kind_;
  Motion from_;
};

// The arm stays where it is: what is asked for lies within the leash of 0.15 m from there.
class ArbiterTest : public ::testing::Test {
 protected:
  ArbiterTest()
      : scene(test::scene_of(kScene)),
        plant(scene),
        arms(parse_yaml(kArms, "arms.yaml", whole_arm_schema()), scene, plant.layout(),
             kSecond / 1000) {
    arms.start(plant.read());
    hand = arbiter.add_pose(dynamic_cast<FrameTask&>(arms.task("hand")), {});
    auto& task = dynamic_cast<PostureTask&>(arms.task("posture"));
    posture = arbiter.add_joints(task, task.limits());
    for (std::size_t s = 0; s < wishes.size(); ++s) {
      wishes[s].dq = Eigen::VectorXd::Zero(7);
      arbiter.add_source(
          "s" + std::to_string(s),
          std::make_unique<Wishes>(wishes[s], s < 3 ? MotionKind::kPose : MotionKind::kJoints));
    }
    arbiter.start();
    X_start = arbiter.reference(hand).pose.X_WE;
    q_start = arbiter.reference(posture).q;
  }
  static Grant grant(int source, Axes axes = kAllAxes, double share = 1.0) {
    Grant grant;
    grant.source = source;
    grant.axes = axes;
    grant.share = share;
    return grant;
  }
  void run(double time) {
    for (int i = 0; i < static_cast<int>(time * 1000.0 + 0.5); ++i) {
      ++moment.tick;
      moment.now += kSecond / 1000;
      events.clear(moment.tick);
      arbiter.update(moment);
    }
  }
  // how far the reference went, in W
  Eigen::Vector3d moved() const { return arbiter.reference(hand).pose.X_WE.p - X_start.p; }
  Eigen::Vector3d turned() const {
    return log_so3(arbiter.reference(hand).pose.X_WE.R * X_start.R.transpose());
  }

  Scene scene;
  MujocoPlant plant;
  WholeArm arms;
  EventList events;
  Arbiter arbiter{events};
  std::array<Wish, 5> wishes;  // three of poses, two of joints
  Moment moment;
  int hand = 0, posture = 0;
  Pose X_start;
  Eigen::VectorXd q_start;
};

constexpr Axes kX = {true, false, false, false, false, false};
constexpr Axes kRest = {false, true, true, true, true, true};

TEST_F(ArbiterTest, EachSourceDrivesItsOwnAxes) {
  wishes[0].p = {0.1, 0.2, 0.3};
  wishes[1].p = {-0.05, -0.06, -0.07};
  wishes[1].turn = {0.0, 0.0, 0.3};
  const Grant grants[] = {grant(0, kX), grant(1, kRest)};
  arbiter.grant(hand, grants, moment);
  run(3.0);
  EXPECT_TRUE(moved().isApprox(Eigen::Vector3d(0.1, -0.06, -0.07), 1e-9)) << moved().transpose();
  EXPECT_TRUE(turned().isApprox(Eigen::Vector3d(0.0, 0.0, 0.3), 1e-9)) << turned().transpose();
}

TEST_F(ArbiterTest, OnTheSameAxesTheirSharesCount) {
  wishes[0].p = {0.0, 0.0, 0.2};
  wishes[1].p = {0.0, 0.1, -0.2};
  const Grant grants[] = {grant(0, kAllAxes, 1.0), grant(1, kAllAxes, 3.0)};
  arbiter.grant(hand, grants, moment);
  run(3.0);
  // (1 * 0.2 - 3 * 0.2) / 4, and 3 * 0.1 / 4
  EXPECT_TRUE(moved().isApprox(Eigen::Vector3d(0.0, 0.075, -0.1), 1e-9)) << moved().transpose();
}

TEST_F(ArbiterTest, TurnsAreAveragedAboutTheReference) {
  wishes[0].turn = {0.4, 0.0, 0.0};
  wishes[1].turn = {0.0, 0.0, 0.0};
  const Grant grants[] = {grant(0, kAllAxes, 1.0), grant(1, kAllAxes, 1.0)};
  arbiter.grant(hand, grants, moment);
  run(3.0);
  EXPECT_TRUE(turned().isApprox(Eigen::Vector3d(0.2, 0.0, 0.0), 1e-6)) << turned().transpose();
  // about different axes: between the two, and nearer to neither
  wishes[0].turn = {0.4, 0.0, 0.0};
  wishes[1].turn = {0.0, 0.4, 0.0};
  run(3.0);
  const Eigen::Matrix3d R = arbiter.reference(hand).pose.X_WE.R;
  const auto to = [&](const Wish& wish) {
    return log_so3(exp_so3(wish.turn) * X_start.R * R.transpose()).norm();
  };
  EXPECT_NEAR(to(wishes[0]), to(wishes[1]), 1e-6);
  EXPECT_LT(to(wishes[0]), 0.4 / std::sqrt(2.0) + 0.01);
}

TEST_F(ArbiterTest, AxesThatNobodyHasStay) {
  wishes[0].p = {0.1, 0.2, 0.3};
  wishes[0].turn = {0.2, 0.0, 0.0};
  const Grant grants[] = {grant(0, kX)};
  arbiter.grant(hand, grants, moment);
  run(3.0);
  EXPECT_TRUE(moved().isApprox(Eigen::Vector3d(0.1, 0.0, 0.0), 1e-9)) << moved().transpose();
  EXPECT_LT(turned().norm(), 1e-12);
  EXPECT_FALSE(arbiter.holding(hand));
}

TEST_F(ArbiterTest, WhatASourceLeavesOutIsNotItsOwn) {
  // it was given all axes and has a say in one
  wishes[0].p = {0.1, 0.2, 0.3};
  wishes[0].axes = kX;
  const Grant grants[] = {grant(0)};
  arbiter.grant(hand, grants, moment);
  run(3.0);
  EXPECT_TRUE(moved().isApprox(Eigen::Vector3d(0.1, 0.0, 0.0), 1e-9)) << moved().transpose();
  // it was given others than those that it has a say in
  wishes[0].axes = kRest;
  const Grant other[] = {grant(0, kX)};
  arbiter.grant(hand, other, moment);
  run(0.01);
  EXPECT_TRUE(arbiter.holding(hand));
  EXPECT_EQ(arbiter.reason(hand), "s0: it has no say in any axis that it was given");
}

TEST_F(ArbiterTest, ASilentPartnerLeavesAllToTheOther) {
  wishes[0].p = {0.0, 0.0, 0.1};
  wishes[1].p = {0.0, 0.0, -0.1};
  const Grant grants[] = {grant(0, kAllAxes, 1.0), grant(1, kAllAxes, 3.0)};
  arbiter.grant(hand, grants, moment);
  wishes[1].status = SourceStatus::kSilent;
  run(3.0);
  EXPECT_FALSE(arbiter.holding(hand));
  EXPECT_NEAR(moved().z(), 0.1, 1e-9);
  // both are silent: it holds where it is
  wishes[0].status = SourceStatus::kSilent;
  run(0.01);
  EXPECT_TRUE(arbiter.holding(hand));
  EXPECT_EQ(arbiter.reason(hand), "s1: it is silent");
  run(1.0);
  EXPECT_NEAR(moved().z(), 0.1, 1e-9);
}

TEST_F(ArbiterTest, ThreeSharesOfOneAxis) {
  wishes[0].p = {0.3, 0.0, 0.0};
  wishes[1].p = {0.0, 0.0, 0.0};
  wishes[2].p = {-0.15, 0.0, 0.0};
  const Grant grants[] = {grant(0, kAllAxes, 2.0), grant(1, kAllAxes, 1.0), grant(2, kX, 1.0)};
  arbiter.grant(hand, grants, moment);
  run(3.0);
  EXPECT_NEAR(moved().x(), (2.0 * 0.3 - 0.15) / 4.0, 1e-9);
}

TEST_F(ArbiterTest, JointsAreSharedAsPosesAre) {
  wishes[3].dq[1] = 0.4;
  wishes[4].dq[1] = -0.4;
  wishes[4].dq[3] = 0.2;
  const Grant grants[] = {grant(3, kAllAxes, 1.0), grant(4, kAllAxes, 3.0)};
  arbiter.grant(posture, grants, moment);
  run(3.0);
  Eigen::VectorXd dq = Eigen::VectorXd::Zero(7);
  dq[1] = -0.2;
  dq[3] = 0.15;
  EXPECT_TRUE((arbiter.reference(posture).q - q_start).isApprox(dq, 1e-9))
      << (arbiter.reference(posture).q - q_start).transpose();
}

TEST_F(ArbiterTest, AGrantStartsItsSourceFromTheReferenceAsItIs) {
  wishes[0].p = {0.06, 0.0, 0.0};
  const Grant grants[] = {grant(0)};
  arbiter.grant(hand, grants, moment);
  run(3.0);
  ASSERT_NEAR(moved().x(), 0.06, 1e-9);
  const int before = wishes[0].starts;
  // anew, from the reference as it is: nothing jumps
  arbiter.grant(hand, grants, moment);
  EXPECT_EQ(wishes[0].starts, before + 1);
  run(0.001);
  EXPECT_NEAR(moved().x(), 0.06, 1e-4);
  run(3.0);
  EXPECT_NEAR(moved().x(), 0.12, 1e-9);
}

TEST_F(ArbiterTest, NoTickOfSharingTouchesTheHeap) {
  wishes[0].p = {0.1, 0.0, 0.0};
  wishes[1].turn = {0.0, 0.2, 0.0};
  const Grant grants[] = {grant(0, kAllAxes, 1.0), grant(1, kAllAxes, 3.0)};
  arbiter.grant(hand, grants, moment);
  run(0.1);
  const test::AllocationCount count;
  run(0.1);
  EXPECT_EQ(count.count(), 0U);
}

}  // namespace arbiter_test
}  // namespace handspan
