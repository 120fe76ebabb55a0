#include "session/session.hpp"

#include <gtest/gtest.h>

#include "core/error.hpp"
#include "session/run.hpp"
#include "support/alloc.hpp"
#include "support/parts.hpp"

namespace handspan {
namespace session_test {

App hold() {
  return load_app(std::filesystem::path(HANDSPAN_SOURCE_DIR) / "apps/hold.yaml", test_parts());
}

TEST(Session, HoldsAllThreeArms) {
  const App app = hold();
  Session session(app);
  const RunSummary summary = run_session(session, 2 * kSecond);
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

TEST(Session, SameAppSameBits) {
  const App app = hold();
  Session a(app), b(app);
  run_session(a, kSecond / 2);
  run_session(b, kSecond / 2);
  EXPECT_EQ(a.plant().snapshot(), b.plant().snapshot());
}

TEST(Session, SlowGroupsAnswerAtTheirOwnRate) {
  const App app = hold();
  Session session(app);
  EXPECT_EQ(session.base_period(), 1'000'000);
  run_session(session, kSecond);
  const ChannelTable& channels = session.channels();
  EXPECT_EQ(channels.writes(channels.find("left.arm.command")), 1000U);
  EXPECT_EQ(channels.writes(channels.find("picker.arm.command")), 125U);
  // the start included
  EXPECT_EQ(channels.writes(channels.find("picker.arm.q")), 1001U);
  EXPECT_EQ(channels.stamp(channels.find("left.wrist.wrench")), kSecond);
}

TEST(Session, ATickDoesNotTouchTheHeap) {
  const App app = hold();
  Session session(app);
  run_session(session, kSecond / 10);
  const test::AllocationCount allocations;
  for (int i = 0; i < 100; ++i) session.tick();
  EXPECT_EQ(allocations.count(), 0U);
}

TEST(Session, ControllerThatDoesNotSuitItsGroupIsAnError) {
  App app = hold();
  for (auto& [group, part] : app.controllers)
    if (group == "left.arm") part = app.controllers.back().second;
  EXPECT_THROW(Session{app}, InputError);
}

TEST(Session, ProgressRisesToTheEnd) {
  const App app = hold();
  Session session(app);
  Nanoseconds last = 0;
  RunOptions options;
  options.until = 12 * kSecond;
  options.progress = [&](Nanoseconds now) {
    EXPECT_GT(now, last);
    last = now;
    return now < 6 * kSecond;
  };
  run_session(session, options);
  EXPECT_LE(last, session.now());
}

}  // namespace session_test
}  // namespace handspan
