// Figures of a run, counted once more by the test.
#include "session/summary.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "session_support.hpp"
#include "support/alloc.hpp"

namespace handspan {
namespace summary_test {

App moving_pair(const test::AppFolder& folder) {
  return folder.app(test::kPairArms + R"(sources:
  person: {type: pose_stream, buttons: [go]}
machines:
  left:
    start: move
    states:
      move: {episode: start, do: [{type: move_to, task: hand, waypoints: [{relative: true, position: [0.0, 0.1, 0.05]}]}], next: [{to: rest, when: [{type: done}]}], timeout: {after: 0.2 s, to: rest}}
      rest: {episode: success, next: [{to: end, when: [{type: after, time: 0.1 s}]}]}
      end: {final: true}
)");
}

TEST(Summary, JointsFiguresAreThoseOfEveryTicksObservation) {
  const test::AppFolder folder;
  const App app = moving_pair(folder);
  Session session(app);
  Summariser summariser(session);
  session.watch(summariser);
  const PlantLayout& layout = session.plant().layout();
  const Observation start = session.plant().read();
  std::vector<GroupSummary> expected(layout.groups.size());
  for (int i = 0; i < 400; ++i) {
    session.tick();
    const Observation& o = session.plant().read();
    for (std::size_t g = 0; g < layout.groups.size(); ++g) {
      const RobotLimits& limits = app.scene.robot(layout.groups[g].robot)->limits;
      for (std::size_t j = 0; j < layout.groups[g].joints.size(); ++j) {
        const auto k = static_cast<Eigen::Index>(j);
        const JointLimits& l = *limits.find(layout.groups[g].joints[j]);
        GroupSummary& e = expected[g];
        const double q = o.groups[g].q[k], v = std::abs(o.groups[g].v[k]);
        e.worst_deviation = std::max(e.worst_deviation, std::abs(q - start.groups[g].q[k]));
        e.worst_velocity = std::max(e.worst_velocity, v);
        e.worst_effort = std::max(e.worst_effort, std::abs(o.groups[g].tau[k]) / l.torque);
        e.velocity_margin = std::min(e.velocity_margin, (l.velocity - v) / l.velocity);
        if (!l.continuous)
          e.position_margin = std::min({e.position_margin, (q - l.lower) / (l.upper - l.lower),
                                        (l.upper - q) / (l.upper - l.lower)});
      }
    }
  }
  const RunSummary summary = summariser.summary(session);
  EXPECT_EQ(summary.ticks, 400);
  EXPECT_EQ(summary.simulated, 400 * session.base_period());
  ASSERT_EQ(summary.groups.size(), layout.groups.size());
  for (std::size_t g = 0; g < layout.groups.size(); ++g) {
    const GroupSummary &is = summary.groups[g], &e = expected[g];
    EXPECT_EQ(is.name, layout.groups[g].name);
    EXPECT_EQ(is.worst_deviation, e.worst_deviation) << is.name;
    EXPECT_EQ(is.worst_velocity, e.worst_velocity) << is.name;
    EXPECT_EQ(is.worst_effort, e.worst_effort) << is.name;
    EXPECT_NEAR(is.position_margin, e.position_margin, 1e-12) << is.name;
    EXPECT_NEAR(is.velocity_margin, e.velocity_margin, 1e-12) << is.name;
    EXPECT_FALSE(is.slides);
    EXPECT_FALSE(is.gripper);
  }
  EXPECT_GT(summary.groups[0].worst_deviation, 0.001);
  EXPECT_FALSE(summary.diverged);
  EXPECT_TRUE(summary.broken().empty());
  session.unwatch(summariser);
}

TEST(Summary, EventsAreCounted) {
  const test::AppFolder folder;
  const App app = moving_pair(folder);
  Session session(app);
  Summariser summariser(session);
  session.watch(summariser);
  for (int i = 0; i < 400; ++i) session.tick();
  const RunSummary summary = summariser.summary(session);
  EXPECT_EQ(summary.episodes, 1U);
  EXPECT_EQ(summary.successes, 1U);
  EXPECT_EQ(summary.failures, 0U);
  EXPECT_EQ(summary.discarded, 0U);
  EXPECT_EQ(summary.timeouts, 1U);  // a tenth of a metre takes longer than 0.2 s
  ASSERT_EQ(summary.machines.size(), 1U);
  EXPECT_EQ(summary.machines[0], (std::pair<std::string, std::string>{"left", "end"}));
  // an input for nobody
  EXPECT_EQ(summary.rejected_inputs, 0U);
  ASSERT_TRUE(session.mailbox("operator")
                  .post(test::operator_input(InputKind::kParameter, "task.nobody.weight")));
  session.tick();
  EXPECT_EQ(summariser.summary(session).rejected_inputs, 1U);
  session.unwatch(summariser);
}

TEST(Summary, AFollowedReferenceIsMeasuredAgainstTheFrame) {
  const test::AppFolder folder;
  const App app = moving_pair(folder);
  Session session(app);
  Summariser summariser(session);
  session.watch(summariser);
  for (int i = 0; i < 190; ++i) session.tick();
  for (const TrackingSummary& t : summariser.summary(session).tracking) {
    if (t.task != "hand") {
      EXPECT_EQ(t.ticks, 0U) << t.task;
      continue;
    }
    EXPECT_EQ(t.kind, kPoseKind);
    EXPECT_EQ(t.ticks, 190U);
    EXPECT_GT(t.position_max, 0.0);
    EXPECT_LT(t.position_max, 0.02);
    EXPECT_LE(t.position_rms, t.position_max);
    EXPECT_GT(t.position_rms, 0.0);
    EXPECT_LE(t.angle_rms, t.angle_max);
    EXPECT_EQ(t.holds, 0U);
  }
  session.unwatch(summariser);
}

TEST(Summary, ATickOfItAllocatesNothing) {
  const test::AppFolder folder;
  const App app = moving_pair(folder);
  Session session(app);
  Summariser summariser(session);
  for (int i = 0; i < 20; ++i) session.tick();
  const test::AllocationCount allocations;
  for (int i = 0; i < 20; ++i) summariser.after_tick(session);
  EXPECT_EQ(allocations.count(), 0U);
}

TEST(Summary, WhyARunIsNoneToRelyOnIsSaid) {
  RunSummary summary;
  EXPECT_TRUE(summary.broken().empty());
  summary.control.emplace();
  summary.control->counts.ticks = 1000;
  EXPECT_TRUE(summary.broken().empty());
  summary.control->counts.failed = 3;
  summary.diverged = Divergence{1'234'000'000, "the velocity of 'box' is not finite"};
  EXPECT_EQ(summary.broken(),
            (std::vector<std::string>{
                "the simulation diverged at 1.234 s: the velocity of 'box' is not finite; nothing "
                "after that is true",
                "control found no answer in 3 of 1000 ticks and braked"}));
}

TEST(Summary, ARunWithoutAWallClockHasNoFactor) {
  RunSummary summary;
  summary.simulated = 3 * kSecond;
  EXPECT_EQ(summary.real_time_factor(), 0.0);
  summary.wall = 1.5;
  EXPECT_EQ(summary.real_time_factor(), 2.0);
}

}  // namespace summary_test
}  // namespace handspan
