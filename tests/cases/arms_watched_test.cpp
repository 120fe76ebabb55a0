// Two arms that jammed, an arm that could not reach and did not say so, torques that alternated.
#include <gtest/gtest.h>

#include <cstdlib>

#include "cases/case_support.hpp"

namespace handspan {
namespace arms_watched_test {

using test::CaseFolder;
using test::CaseOptions;
using test::CaseRun;
using test::run_case;

double long_or(double in_full, double else_) {
  const char* size = std::getenv("HANDSPAN_LONG");
  return size != nullptr && std::string(size) == "1" ? in_full : else_;
}

const char* const kNoPairs =
    "  between_arms: {ignored_pairs: [[left.*, right.*]]}\n"
    "  constraints:";

// arms that cross: kept apart, no joint is ever faster than it may be
TEST(ArmsWatchedRun, ArmsThatCrossKeepApart) {
  HANDSPAN_NEEDS_CASES();
  const CaseFolder folder("control");
  const CaseRun run = run_case(folder / "dual.yaml", folder / "adv_cross.csv");
  EXPECT_TRUE(run.events_of("watch").empty()) << run.told();
  EXPECT_LT(run.speed_share(0.0, 100.0), 1.1);
}

TEST(ArmsWatchedRun, AnAdversaryDoesNotJamTwoArms) {
  HANDSPAN_NEEDS_CASES();
  const CaseFolder folder("control");
  const CaseRun run = run_case(folder / "wild.yaml", folder / "wild1002.csv", long_or(110.0, 15.0));
  EXPECT_TRUE(run.events_of("watch").empty()) << run.told();
  EXPECT_LT(run.speed_share(0.0, 200.0), 1.1);
}

// without pairs they may jam: that is seen and stopped, and no joint is fast for longer than it
// takes
TEST(ArmsWatchedRun, ArmsThatJamAreStoppedByName) {
  HANDSPAN_NEEDS_CASES();
  const CaseFolder folder("control");
  folder.change("dual.yaml", "  constraints:", kNoPairs);
  const CaseRun run = run_case(folder / "dual.yaml", folder / "adv_cross.csv");
  const auto told = run.events_of("watch");
  if (told.empty()) {
    // the leash keeps them from pressing so hard
    EXPECT_LT(run.speed_share(0.0, 200.0), 1.1);
    GTEST_SKIP() << "with its leash this hand jams nothing: the watch has nothing to stop";
  }
  EXPECT_NE(told[0].name.find(".joint"), std::string::npos) << told[0].name;
  EXPECT_NE(told[0].text.find("then resume"), std::string::npos) << told[0].text;
  EXPECT_LT(run.speed_share(told[0].time + 0.5, 200.0), 0.5);
  EXPECT_FALSE(run.summary.holding.empty());
}

TEST(ArmsWatchedRun, WhatCannotBeReachedIsNamedWithinHalfASecond) {
  HANDSPAN_NEEDS_CASES();
  const CaseFolder folder("control");
  const CaseRun run = run_case(folder / "wrist.yaml", folder / "adv_wristflip.csv", 20.0);
  const auto told = run.events_of("limit", "away");
  ASSERT_FALSE(told.empty()) << run.told();
  for (const std::size_t task : {run.task("left_hand"), run.task("right_hand")}) {
    // far from its reference, and no nearer than half a second ago, without a word
    const auto& ticks = run.ticks;
    const auto unreached = run.summary.unreached;
    bool known = false;
    double silent = 0.0;
    std::size_t next = 0;
    const auto events = run.events_of("limit");
    for (std::size_t k = 500; k < ticks.size(); ++k) {
      for (; next < events.size() && events[next].time <= ticks[k].time; ++next)
        if (events[next].name == run.tasks[task])
          known = events[next].text.find("away") != std::string::npos;
      const auto away = [&](std::size_t at) {
        return (ticks[at].references[task].p - ticks[at].tools[task].p).norm();
      };
      if (!known && away(k) > 0.05 && away(k) > away(k - 500) - 0.01 && away(k - 500) > 0.05)
        silent += 0.001;
    }
    EXPECT_LT(silent, 0.5) << run.tasks[task] << "\n" << run.told();
  }
}

// with a limit of its own a torque-driven arm is stopped too, by its wrist sensor
TEST(ArmsWatchedRun, AWallIsNotPressedHarderThanTheAppAllows) {
  HANDSPAN_NEEDS_CASES();
  const CaseFolder folder("control");
  folder.change("wall.yaml", "{feedback: commanded,", "{feedback: commanded, max_force: 20 N,");
  const CaseRun run = run_case(folder / "wall.yaml", folder / "wall.csv", 8.0);
  const auto told = run.events_of("watch", "presses with");
  ASSERT_FALSE(told.empty()) << run.told();
  EXPECT_EQ(told[0].name, "right.arm");
  for (const auto& tick : run.between(told[0].time + 1.0, 8.0))
    ASSERT_LT(tick.wrenches[0].head<3>().norm(), 20.0) << tick.time;
}

}  // namespace arms_watched_test
}  // namespace handspan
