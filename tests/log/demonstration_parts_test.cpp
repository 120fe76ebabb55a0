#include "log/demonstration_parts.hpp"

#include <gtest/gtest.h>

namespace handspan {
namespace demonstration_parts_test {

TimedPose at(double t, double x) { return {t, {x, 0.0, 0.0}, Eigen::Quaterniond::Identity()}; }

// still for 1 s, moves for 1 s, still for 1 s, moves for 1 s, still for 1 s, with noise of 0.1 mm
LoggedDemonstration two_moves() {
  LoggedDemonstration demonstration;
  demonstration.name = "d";
  demonstration.length = 5.0;
  demonstration.poses.push_back({"reference.hand.pose", {}});
  for (int i = 0; i <= 500; ++i) {
    const double t = 0.01 * i;
    const double x = std::clamp(t - 1.0, 0.0, 1.0) + std::clamp(t - 3.0, 0.0, 1.0);
    demonstration.poses[0].poses.push_back(at(t, 0.2 * x + (i % 2 == 0 ? 1e-4 : 0.0)));
  }
  return demonstration;
}
Eigen::VectorXd command(double value) { return Eigen::VectorXd::Constant(1, value); }

TEST(DemonstrationParts, IdleEndsAreCutButForAMargin) {
  const auto cut = cut_idle_ends(two_moves(), 0.1);
  EXPECT_NEAR(seconds(cut.begin), 0.92, 0.02);
  EXPECT_NEAR(cut.length, 3.16, 0.04);
  EXPECT_NEAR(cut.poses[0].poses.front().time, 0.0, 1e-12);
  EXPECT_NEAR(cut.poses[0].poses.back().time, cut.length, 1e-12);
  EXPECT_NEAR(cut.poses[0].poses.back().p.x(), 0.4, 2e-4);
}

TEST(DemonstrationParts, ACommandOfAGripperIsNoIdleTime) {
  LoggedDemonstration demonstration = two_moves();
  demonstration.commands.push_back({"arm.cup", {{0.0, command(1.0)}, {4.7, command(0.0)}}});
  const auto cut = cut_idle_ends(demonstration, 0.1);
  EXPECT_NEAR(cut.length, 4.8 - 0.92, 0.03);
  EXPECT_NEAR(cut.commands[0].values[1].time, cut.length - 0.1, 1e-9);
}

TEST(DemonstrationParts, WhatDoesNotMoveIsNotCutAndDoesNotMove) {
  LoggedDemonstration still = two_moves();
  for (TimedPose& pose : still.poses[0].poses) pose.p.x() *= 1e-3;
  EXPECT_FALSE(moves(still));
  EXPECT_EQ(cut_idle_ends(still).length, 5.0);
  EXPECT_TRUE(moves(two_moves()));
  still.commands.push_back({"arm.cup", {{0.0, command(1.0)}, {4.7, command(0.0)}}});
  EXPECT_TRUE(moves(still));
}

TEST(DemonstrationParts, APartBeginsInTheMiddleOfAPauseWithAGripperAndWithATouch) {
  LoggedDemonstration demonstration = two_moves();
  auto parts = split(demonstration);
  ASSERT_EQ(parts.size(), 2U);
  EXPECT_EQ(parts[1].begin, PartBegin::kPause);
  EXPECT_NEAR(parts[1].from, 2.5, 0.05);
  EXPECT_EQ(parts[0].to, parts[1].from);
  EXPECT_EQ(parts[1].to, 5.0);
  demonstration.commands.push_back({"arm.cup", {{0.0, command(1.0)}, {3.5, command(0.0)}}});
  // the second is too near the gripper, which counts more
  demonstration.touches = {{1.5, "arm.wrist.wrench"}, {3.52, "arm.wrist.wrench"}};
  parts = split(demonstration);
  ASSERT_EQ(parts.size(), 4U);
  EXPECT_EQ(parts[0].begin, PartBegin::kStart);
  EXPECT_EQ(parts[1].begin, PartBegin::kContact);
  EXPECT_EQ(parts[1].what, "arm.wrist.wrench");
  EXPECT_EQ(parts[1].from, 1.5);
  EXPECT_EQ(parts[2].begin, PartBegin::kPause);
  EXPECT_EQ(parts[3].begin, PartBegin::kGripper);
  EXPECT_EQ(parts[3].what, "arm.cup");
  EXPECT_EQ(parts[3].from, 3.5);
}

TEST(DemonstrationParts, APartHasThePosesObjectsCommandsAndTouchesOfItsTime) {
  LoggedDemonstration demonstration = two_moves();
  demonstration.objects.push_back({"box", {at(0.0, 1.0), at(2.0, 1.0), at(3.0, 2.0)}});
  demonstration.commands.push_back(
      {"arm.cup", {{0.0, command(1.0)}, {1.2, command(2.0)}, {3.5, command(3.0)}}});
  demonstration.touches = {{1.3, "w"}, {2.7, "w"}};
  const auto part = clipped(demonstration, 1.505, 3.0);
  EXPECT_NEAR(part.length, 1.495, 1e-12);
  EXPECT_NEAR(part.poses[0].poses.front().p.x(), 0.101, 2e-4);
  EXPECT_NEAR(part.poses[0].poses.back().time, 1.495, 1e-12);
  // where the box is when the part begins, and not when the demonstration did
  EXPECT_EQ(part.objects[0].poses.front().p.x(), 1.0);
  EXPECT_NEAR(clipped(demonstration, 2.5, 4.0).objects[0].poses.front().p.x(), 1.5, 1e-12);
  ASSERT_EQ(part.commands[0].values.size(), 1U);
  EXPECT_EQ(part.commands[0].values[0].value[0], 2.0);
  EXPECT_EQ(part.commands[0].values[0].time, 0.0);
  ASSERT_EQ(part.touches.size(), 1U);
  EXPECT_NEAR(part.touches[0].time, 1.195, 1e-12);
}

TEST(DemonstrationParts, AWarpMapsAllTimes) {
  LoggedDemonstration demonstration = two_moves();
  demonstration.commands.push_back({"arm.cup", {{-0.5, command(1.0)}, {2.0, command(0.0)}}});
  demonstration.touches = {{4.0, "w"}};
  const auto slow = warped(demonstration, TimeWarp({{0.0, 0.0}, {5.0, 10.0}}));
  EXPECT_NEAR(slow.length, 10.0, 1e-12);
  EXPECT_NEAR(slow.poses[0].poses[250].time, 5.0, 1e-12);
  // what held before the beginning still does
  EXPECT_EQ(slow.commands[0].values[0].time, -0.5);
  EXPECT_NEAR(slow.commands[0].values[1].time, 4.0, 1e-12);
  EXPECT_NEAR(slow.touches[0].time, 8.0, 1e-12);
}

}  // namespace demonstration_parts_test
}  // namespace handspan
