#include "session/grasp_watch.hpp"

#include <gtest/gtest.h>

#include "support/alloc.hpp"

namespace handspan {
namespace grasp_watch_test {

constexpr double kTick = 0.001;
constexpr double kWide = 0.08, kForce = 50.0;

// An arm, and a gripper whose one jaw slides from 0 to 80 mm; it is as wide as its joint says.
struct Rig {
  Rig() {
    GroupLayout arm, gripper;
    arm.name = "left.arm";
    arm.joints = {"left.joint1"};
    gripper.name = "left.gripper";
    gripper.kind = GroupKind::kGripper;
    gripper.joints = {"left.jaw"};
    gripper.gripper.emplace();
    gripper.gripper->closed = Eigen::VectorXd::Zero(1);
    gripper.gripper->open = Eigen::VectorXd::Constant(1, kWide);
    for (int i = 0; i <= 64; ++i) gripper.gripper->widths.push_back(kWide * i / 64.0);
    gripper.gripper->force = kForce;
    gripper.gripper->speed = 0.1;
    layout.groups = {arm, gripper};
    for (int g = 0; g < 2; ++g) {
      const Eigen::VectorXd zero = Eigen::VectorXd::Zero(1);
      observation.groups.push_back({zero, zero, zero});
    }
    observation.groups[1].q[0] = kWide;
    command = Command::zero(layout);
    command.groups[1] << kWide, 0.1, kForce;
  }
  // of so many ticks: the jaw stands at a width and presses with a force
  void stay(GraspWatch& watch, double width, double force, int ticks) {
    observation.groups[1].q[0] = width;
    observation.groups[1].tau[0] = -force;  // it closes towards zero
    for (int i = 0; i < ticks; ++i) {
      events.clear(tick++);
      watch.update(observation, command, kTick, events);
      for (const Event& event : events.events())
        said += std::string(event.kind) + " " + std::string(event.name) + ": " +
                std::string(event.text) + "\n";
    }
  }
  void close_to(double width, double force = kForce) { command.groups[1] << width, 0.1, force; }

  PlantLayout layout;
  Observation observation;
  Command command;
  EventList events;
  std::int64_t tick = 0;
  std::string said;
};

TEST(GraspWatch, WidthAndForceAreThoseOfTheJoint) {
  Rig rig;
  GraspWatch watch(rig.layout, rig.observation);
  EXPECT_EQ(watch.width(1), kWide);
  rig.stay(watch, 0.03, 12.5, 1);
  EXPECT_NEAR(watch.width(1), 0.03, 1e-15);
  EXPECT_NEAR(watch.force(1), 12.5, 1e-12);
}

TEST(GraspWatch, WhatStopsItForSixtyMillisecondsWithForceIsGrasped) {
  Rig rig;
  GraspWatch watch(rig.layout, rig.observation);
  rig.close_to(-kWide);
  rig.stay(watch, 0.05, kForce, 1);  // it has moved here
  rig.stay(watch, 0.05, kForce, 59);
  EXPECT_FALSE(watch.grasped(1));
  rig.stay(watch, 0.05, kForce, 2);
  EXPECT_TRUE(watch.grasped(1));
  EXPECT_NEAR(watch.rests(1), 0.061, 1e-12);
  EXPECT_EQ(rig.said, "");
}

TEST(GraspWatch, WhatIsNoGraspIsNone) {
  const auto grasped = [](double to, double width, double force, double allowed = kForce) {
    Rig rig;
    GraspWatch watch(rig.layout, rig.observation);
    rig.close_to(to, allowed);
    rig.stay(watch, width, force, 200);
    return watch.grasped(1);
  };
  EXPECT_TRUE(grasped(-kWide, 0.05, kForce));
  // it does not press: its own friction holds it back
  EXPECT_FALSE(grasped(-kWide, 0.05, 0.69 * kForce));
  EXPECT_TRUE(grasped(-kWide, 0.05, 0.71 * kForce));
  EXPECT_FALSE(grasped(-kWide, 0.05, -kForce));
  // of less that it may use, less is enough
  EXPECT_TRUE(grasped(-kWide, 0.05, 8.0, 10.0));
  EXPECT_FALSE(grasped(-kWide, 0.05, 0.0, 0.0));
  // it is where it was to go, or opens
  EXPECT_FALSE(grasped(0.0495, 0.05, kForce));
  EXPECT_FALSE(grasped(kWide, 0.05, kForce));
  // it is shut on nothing, or has not left its open end
  EXPECT_FALSE(grasped(-kWide, 0.0005, kForce));
  EXPECT_FALSE(grasped(-kWide, kWide - 0.0005, kForce));
}

TEST(GraspWatch, OneThatMovesOnGraspsNothing) {
  Rig rig;
  GraspWatch watch(rig.layout, rig.observation);
  rig.close_to(-kWide);
  // a millimetre each 50 ms
  for (int i = 0; i < 20; ++i) rig.stay(watch, 0.06 - 0.001 * i, kForce, 50);
  EXPECT_FALSE(watch.grasped(1));
}

TEST(GraspWatch, WhatSlipsOutIsSaid) {
  Rig rig;
  GraspWatch watch(rig.layout, rig.observation);
  rig.close_to(-kWide);
  rig.stay(watch, 0.05, kForce, 100);
  ASSERT_TRUE(watch.grasped(1));
  // something soft gives way
  rig.stay(watch, 0.0475, kForce, 10);
  EXPECT_TRUE(watch.grasped(1));
  EXPECT_EQ(rig.said, "");
  rig.stay(watch, 0.0465, kForce, 10);
  EXPECT_FALSE(watch.grasped(1));
  EXPECT_EQ(rig.said,
            "gripper left.gripper: lost what it grasped: it was 50.0 mm wide and closes to 46.5 "
            "mm\n");
}

TEST(GraspWatch, WhatIsLetGoOfIsNoLoss) {
  Rig rig;
  GraspWatch watch(rig.layout, rig.observation);
  rig.close_to(-kWide);
  rig.stay(watch, 0.05, kForce, 100);
  ASSERT_TRUE(watch.grasped(1));
  rig.close_to(kWide);
  rig.stay(watch, 0.05, 0.0, 1);
  EXPECT_FALSE(watch.grasped(1));
  EXPECT_EQ(rig.said, "");
}

TEST(GraspWatch, ItsChannelsAreThoseOfGrippersOnly) {
  Rig rig;
  GraspWatch watch(rig.layout, rig.observation);
  ChannelTable channels;
  for (std::size_t g = 0; g < 2; ++g) watch.declare(channels, g, Rate{1000, 1});
  ASSERT_EQ(channels.channels().size(), 3U);
  rig.close_to(-kWide);
  rig.stay(watch, 0.05, 40.0, 100);
  for (std::size_t g = 0; g < 2; ++g) watch.publish(channels, g, 77);
  EXPECT_NEAR(channels.numbers(channels.find("left.gripper.width"))[0], 0.05, 1e-15);
  EXPECT_NEAR(channels.numbers(channels.find("left.gripper.force"))[0], 40.0, 1e-12);
  EXPECT_EQ(channels.integer(channels.find("left.gripper.grasped")), 1);
  EXPECT_EQ(channels.stamp(channels.find("left.gripper.grasped")), 77);
}

TEST(GraspWatch, ASnapshotGoesOnInTheSameTick) {
  Rig rig;
  GraspWatch watch(rig.layout, rig.observation), other(rig.layout, rig.observation);
  rig.close_to(-kWide);
  rig.stay(watch, 0.05, kForce, 40);
  std::vector<std::byte> bytes;
  StateArchive save(bytes);
  watch.state(save);
  StateArchive load{std::span<const std::byte>(bytes)};
  other.state(load);
  for (int i = 0; i < 40; ++i) {
    rig.stay(watch, 0.05, kForce, 1);
    rig.stay(other, 0.05, kForce, 1);
    ASSERT_EQ(other.grasped(1), watch.grasped(1)) << i;
    ASSERT_EQ(other.rests(1), watch.rests(1)) << i;
  }
  EXPECT_TRUE(other.grasped(1));
}

TEST(GraspWatch, ATickAllocatesNothing) {
  Rig rig;
  GraspWatch watch(rig.layout, rig.observation);
  rig.close_to(-kWide);
  const test::AllocationCount allocations;
  for (const double width : {0.05, 0.04})
    for (int i = 0; i < 100; ++i) {
      rig.observation.groups[1].q[0] = width;
      rig.observation.groups[1].tau[0] = -kForce;
      rig.events.clear(i);
      watch.update(rig.observation, rig.command, kTick, rig.events);
    }
  EXPECT_EQ(allocations.count(), 0U);
}

}  // namespace grasp_watch_test
}  // namespace handspan
