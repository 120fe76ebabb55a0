#include "session/loop.hpp"

#include <gtest/gtest.h>

#include "core/error.hpp"
#include "support/alloc.hpp"

namespace handspan {
namespace {

App hold() { return load_app(std::filesystem::path(HANDSPAN_SOURCE_DIR) / "apps/hold.yaml"); }

TEST(Loop, HoldsAllThreeArms) {
  const App app = hold();
  Loop loop(app);
  const LoopSummary summary = loop.run(2 * kSecond);
  EXPECT_EQ(summary.simulated, 2 * kSecond);
  EXPECT_EQ(summary.ticks, 2000);
  for (const auto& group : summary.groups) {
    // springs with a fifth of the torque limit at 0.1 rad, gravity compensated: nothing moves
    // visibly
    EXPECT_LT(group.worst_deviation, 0.02) << group.name;
    EXPECT_LT(group.worst_effort, 1.0) << group.name;
  }
  EXPECT_EQ(summary.faults.not_finite, 0U);
  EXPECT_EQ(summary.faults.clamped, 0U);
}

TEST(Loop, SameAppSameBits) {
  const App app = hold();
  Loop a(app), b(app);
  a.run(kSecond / 2);
  b.run(kSecond / 2);
  EXPECT_EQ(a.plant().snapshot(), b.plant().snapshot());
}

TEST(Loop, SlowGroupsAnswerAtTheirOwnRate) {
  const App app = hold();
  Loop loop(app);
  EXPECT_EQ(loop.base_period(), 1'000'000);
  loop.run(kSecond);
  const ChannelTable& channels = loop.channels();
  EXPECT_EQ(channels.writes(channels.find("left.arm.command")), 1000U);
  EXPECT_EQ(channels.writes(channels.find("picker.arm.command")), 125U);
  EXPECT_EQ(channels.writes(channels.find("picker.arm.q")), 1000U);
  EXPECT_EQ(channels.stamp(channels.find("left.wrist.wrench")), kSecond);
}

TEST(Loop, ATickDoesNotTouchTheHeap) {
  const App app = hold();
  Loop loop(app);
  loop.run(kSecond / 10);
  const test::AllocationCount allocations;
  for (int i = 0; i < 100; ++i) loop.tick();
  EXPECT_EQ(allocations.count(), 0U);
}

TEST(Loop, ControllerThatDoesNotSuitItsGroupIsAnError) {
  App app = hold();
  for (auto& [group, part] : app.controllers)
    if (group == "left.arm") part = app.controllers.back().second;
  EXPECT_THROW(Loop{app}, InputError);
}

TEST(Loop, ProgressRisesToTheEnd) {
  const App app = hold();
  Loop loop(app);
  Nanoseconds last = 0;
  loop.run(12 * kSecond, [&](Nanoseconds now) {
    EXPECT_GT(now, last);
    last = now;
  });
  EXPECT_LE(last, 12 * kSecond);
}

}  // namespace
}  // namespace handspan
