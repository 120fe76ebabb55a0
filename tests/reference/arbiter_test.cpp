// Several sources on one reference: by axis, in shares, and what one that says nothing leaves to
// the others.
#include "reference/arbiter.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "math/so3.hpp"
#include "reference_support.hpp"
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

class ArbiterTest : public ::testing::Test, protected test::ReferenceRig {
 protected:
  ArbiterTest()
      : ReferenceRig(kScene, kArms),
        hand(arbiter.find_reference("hand")),
        posture(arbiter.find_reference("posture")),
        X_start(motion(hand).pose.X_WE),
        q_start(motion(posture).q) {
    // three of poses, two of joints
    for (int s = 0; s < 5; ++s)
      add_source("s" + std::to_string(s), s < 3 ? kPoseKind : kJointsKind);
    for (test::Wish& wish : wishes) wish.dq = Eigen::VectorXd::Zero(7);
  }
  static Authority by(std::size_t source, const Axes& axes = kAllAxes, double share = 1.0) {
    return {.source = {source}, .axes = axes, .share = share};
  }
  // how far the reference went, in W
  Eigen::Vector3d moved() const { return motion(hand).pose.X_WE.p - X_start.p; }
  Eigen::Vector3d turned() const {
    return log_so3(motion(hand).pose.X_WE.R * X_start.R.transpose());
  }

  ReferenceIndex hand, posture;
  Pose X_start;
  Eigen::VectorXd q_start;
};

constexpr Axes kX = {true, false, false, false, false, false};
constexpr Axes kRest = {false, true, true, true, true, true};

TEST_F(ArbiterTest, EachSourceDrivesItsOwnAxes) {
  wishes[0].p = {0.1, 0.2, 0.3};
  wishes[1].p = {-0.05, -0.06, -0.07};
  wishes[1].turn = {0.0, 0.0, 0.3};
  give(hand, {by(0, kX), by(1, kRest)});
  run(3.0);
  EXPECT_TRUE(moved().isApprox(Eigen::Vector3d(0.1, -0.06, -0.07), 1e-9)) << moved().transpose();
  EXPECT_TRUE(turned().isApprox(Eigen::Vector3d(0.0, 0.0, 0.3), 1e-9)) << turned().transpose();
}

TEST_F(ArbiterTest, OnTheSameAxesTheirSharesCount) {
  wishes[0].p = {0.0, 0.0, 0.2};
  wishes[1].p = {0.0, 0.1, -0.2};
  give(hand, {by(0, kAllAxes, 1.0), by(1, kAllAxes, 3.0)});
  run(3.0);
  // (1 * 0.2 - 3 * 0.2) / 4, and 3 * 0.1 / 4
  EXPECT_TRUE(moved().isApprox(Eigen::Vector3d(0.0, 0.075, -0.1), 1e-9)) << moved().transpose();
}

TEST_F(ArbiterTest, TurnsAreAveragedAboutTheReference) {
  wishes[0].turn = {0.4, 0.0, 0.0};
  wishes[1].turn = {0.0, 0.0, 0.0};
  give(hand, {by(0, kAllAxes, 1.0), by(1, kAllAxes, 1.0)});
  run(3.0);
  EXPECT_TRUE(turned().isApprox(Eigen::Vector3d(0.2, 0.0, 0.0), 1e-6)) << turned().transpose();
  // about different axes: between the two, and nearer to neither
  wishes[0].turn = {0.4, 0.0, 0.0};
  wishes[1].turn = {0.0, 0.4, 0.0};
  run(3.0);
  const Eigen::Matrix3d R = motion(hand).pose.X_WE.R;
  const auto to = [&](const test::Wish& wish) {
    return log_so3(exp_so3(wish.turn) * X_start.R * R.transpose()).norm();
  };
  EXPECT_NEAR(to(wishes[0]), to(wishes[1]), 1e-6);
  EXPECT_LT(to(wishes[0]), 0.4 / std::sqrt(2.0) + 0.01);
}

TEST_F(ArbiterTest, AxesThatNobodyHasStay) {
  wishes[0].p = {0.1, 0.2, 0.3};
  wishes[0].turn = {0.2, 0.0, 0.0};
  give(hand, {by(0, kX)});
  run(3.0);
  EXPECT_TRUE(moved().isApprox(Eigen::Vector3d(0.1, 0.0, 0.0), 1e-9)) << moved().transpose();
  EXPECT_LT(turned().norm(), 1e-12);
  EXPECT_FALSE(arbiter.holding(hand));
}

TEST_F(ArbiterTest, WhatASourceLeavesOutIsNotItsOwn) {
  // it was given all axes and has a say in one
  wishes[0].p = {0.1, 0.2, 0.3};
  wishes[0].axes = kX;
  give(hand, {by(0)});
  run(3.0);
  EXPECT_TRUE(moved().isApprox(Eigen::Vector3d(0.1, 0.0, 0.0), 1e-9)) << moved().transpose();
  // it was given others than those that it has a say in
  wishes[0].axes = kRest;
  give(hand, {by(0, kX)});
  run(0.01);
  EXPECT_TRUE(arbiter.holding(hand));
  EXPECT_EQ(arbiter.reason(hand), "s0: it has no say in any axis that it was given");
}

TEST_F(ArbiterTest, ASilentPartnerLeavesAllToTheOther) {
  wishes[0].p = {0.0, 0.0, 0.1};
  wishes[1].p = {0.0, 0.0, -0.1};
  give(hand, {by(0, kAllAxes, 1.0), by(1, kAllAxes, 3.0)});
  wishes[1].status = SourceStatus::kSilent;
  run(3.0);
  EXPECT_FALSE(arbiter.holding(hand));
  EXPECT_NEAR(moved().z(), 0.1, 1e-9);
  // both are silent: it holds where it is
  wishes[0].status = SourceStatus::kSilent;
  run(0.01);
  EXPECT_TRUE(arbiter.holding(hand));
  EXPECT_EQ(arbiter.reason(hand), "s1: the clutch is open");
  run(1.0);
  EXPECT_NEAR(moved().z(), 0.1, 1e-9);
}

TEST_F(ArbiterTest, WhyNobodyDrivesIsSaidByTheLargestShareThenByTheFirst) {
  for (test::Wish& wish : wishes) wish.status = SourceStatus::kSilent;
  give(hand, {by(0, kAllAxes, 0.001), by(1, kAllAxes, 1000.0), by(2, kAllAxes, 1000.0)});
  run(0.01);
  EXPECT_EQ(arbiter.reason(hand), "s1: the clutch is open");
  // one that was lost keeps its own, tick after tick
  wishes[1].status = SourceStatus::kLost;
  wishes[1].reason = "the pose is lost";
  run(0.01);
  EXPECT_EQ(arbiter.reason(hand), "s1: the pose is lost");
  wishes[1].status = SourceStatus::kSilent;
  wishes[1].reason = "the clutch is open";
  run(0.01);
  EXPECT_EQ(arbiter.reason(hand), "s1: the pose is lost");
  // of little say it is not asked
  give(hand, {by(1, kAllAxes, 0.001), by(2, kAllAxes, 1.0)});
  run(0.01);
  EXPECT_EQ(arbiter.reason(hand), "s2: the clutch is open");
}

TEST_F(ArbiterTest, ThreeSharesOfOneAxis) {
  wishes[0].p = {0.3, 0.0, 0.0};
  wishes[1].p = {0.0, 0.0, 0.0};
  wishes[2].p = {-0.15, 0.0, 0.0};
  give(hand, {by(0, kAllAxes, 2.0), by(1, kAllAxes, 1.0), by(2, kX, 1.0)});
  run(3.0);
  EXPECT_NEAR(moved().x(), (2.0 * 0.3 - 0.15) / 4.0, 1e-9);
}

TEST_F(ArbiterTest, JointsAreSharedAsPosesAre) {
  wishes[3].dq[1] = 0.4;
  wishes[4].dq[1] = -0.4;
  wishes[4].dq[3] = 0.2;
  give(posture, {by(3, kAllAxes, 1.0), by(4, kAllAxes, 3.0)});
  run(3.0);
  Eigen::VectorXd dq = Eigen::VectorXd::Zero(7);
  dq[1] = -0.2;
  dq[3] = 0.15;
  EXPECT_TRUE((motion(posture).q - q_start).isApprox(dq, 1e-9))
      << (motion(posture).q - q_start).transpose();
}

TEST_F(ArbiterTest, AuthorityStartsItsSourceFromTheReferenceAsItIs) {
  wishes[0].p = {0.06, 0.0, 0.0};
  give(hand, {by(0)});
  run(3.0);
  ASSERT_NEAR(moved().x(), 0.06, 1e-9);
  const int before = wishes[0].starts;
  // anew, from the reference as it is: nothing jumps
  give(hand, {by(0)});
  EXPECT_EQ(wishes[0].starts, before + 1);
  run(0.001);
  EXPECT_NEAR(moved().x(), 0.06, 1e-4);
  run(3.0);
  EXPECT_NEAR(moved().x(), 0.12, 1e-9);
}

TEST_F(ArbiterTest, NoTickOfSharingTouchesTheHeap) {
  wishes[0].p = {0.1, 0.0, 0.0};
  wishes[1].turn = {0.0, 0.2, 0.0};
  give(hand, {by(0, kAllAxes, 1.0), by(1, kAllAxes, 3.0)});
  run(0.1);
  const test::AllocationCount count;
  run(0.1);
  EXPECT_EQ(count.count(), 0U);
}

}  // namespace arbiter_test
}  // namespace handspan
