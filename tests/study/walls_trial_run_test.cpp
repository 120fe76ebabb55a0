// Arms that press on what does not let them, and are pushed: `handspan study teleop/walls`.
#include "study/walls_trial.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "study/runner.hpp"
#include "study_support.hpp"
#include "support/parts.hpp"

namespace handspan {
namespace walls_trial_run_test {

const std::filesystem::path kRoot = HANDSPAN_SOURCE_DIR;

class WallsTrialRun : public ::testing::Test {
 protected:
  StudyOutcome run(const std::string& robot, const std::string& tool, const std::string& more,
                   int n = 1) const {
    return StudyRunner(folder_.study(fmt::format(
                           "title: t\nn: {}\nseed: 3\nsubject: {{trial: {{type: walls, robot: "
                           "\"{}/robots/{}\", tool: \"{}/robots/{}\", {}}}}}\n",
                           n, kRoot.string(), robot, kRoot.string(), tool, more)),
                       test_parts(), {})
        .run();
  }
  StudyOutcome fr3(const std::string& more, int n = 1) const {
    return run("fr3", "plate", more, n);
  }
  StudyOutcome ur10(const std::string& more, int n = 1) const {
    return run("ur10", "vacuum",
               "frame: suction, pose: stance, elbow: forearm, pitch: wrist_1_joint, stiffness: 45, "
               "feedback: commanded, " +
                   more,
               n);
  }
  static double value(const StudyOutcome& outcome, const std::string& column) {
    EXPECT_EQ(outcome.results.runs[0].failure, "");
    return outcome.results.samples(column, "")[0];
  }
  std::string error(const std::string& more) const {
    try {
      fr3(more);
    } catch (const InputError& e) {
      return folder_.without_path(e.what());
    }
    return "no error";
  }
  const test::StudyFolder folder_;
};

TEST_F(WallsTrialRun, ATorqueDrivenArmPressesNoHarderThanLeashAndStiffnessSay) {
  const std::string table = "against: table, shallowest: 0.3, deepest: 0.31, leash: ";
  const StudyOutcome shorter = fr3(table + "0.05"), longer = fr3(table + "0.1");
  for (const StudyOutcome* outcome : {&shorter, &longer}) {
    EXPECT_GT(value(*outcome, "press"), 5.0);
    EXPECT_LE(value(*outcome, "share"), 1.2);
    EXPECT_LT(value(*outcome, "beyond"), 1e-6);
    EXPECT_EQ(value(*outcome, "missed"), 0.0);
  }
  // by hand: stiffness times leash times an inertia that is the same
  EXPECT_NEAR(value(longer, "says") / value(shorter, "says"), 2.0, 1e-2);
  EXPECT_GT(value(longer, "press"), value(shorter, "press"));
}

TEST_F(WallsTrialRun, AVelocityDrivenArmThatPressesTooHardIsHeldAndTheForceNamed) {
  const StudyOutcome outcome = ur10("against: wall, shallowest: 0.2, deepest: 0.3");
  EXPECT_GT(value(outcome, "force"), 150.0);
  EXPECT_LE(value(outcome, "press"), value(outcome, "force"));
  EXPECT_EQ(value(outcome, "named"), 1.0);
  EXPECT_EQ(value(outcome, "missed"), 0.0);
  EXPECT_LT(value(outcome, "slip"), 0.01);
  EXPECT_TRUE(std::isnan(value(outcome, "share")));
  // its cup gives way by less than it may press with
  const StudyOutcome soft = ur10("against: table, shallowest: 0.02, deepest: 0.021, slowest: 0.1");
  EXPECT_GT(value(soft, "force"), 20.0);
  EXPECT_LT(value(soft, "force"), 150.0);
  EXPECT_TRUE(std::isnan(value(soft, "named")));
  EXPECT_EQ(value(soft, "watched"), 0.0);
}

TEST_F(WallsTrialRun, APushedSpringGivesWayAlongThePushAndComesBack) {
  const StudyOutcome outcome =
      fr3("against: pushed_tool, stiffness: 2000, stiffness_unit: N/m, weakest: 20, strongest: 21");
  // f / K
  EXPECT_NEAR(value(outcome, "moved"), 20.5 / 2000.0, 0.003);
  EXPECT_LT(value(outcome, "off_push"), 15.0 * M_PI / 180.0);
  EXPECT_LE(value(outcome, "back"), 0.002);
}

TEST_F(WallsTrialRun, WhatCannotBeMadeSaysWhy) {
  EXPECT_NE(error("pitch: joint8").find("its robot has no joint 'joint8'"), std::string::npos)
      << error("pitch: joint8");
  EXPECT_NE(error("elbow: link9").find("link9"), std::string::npos) << error("elbow: link9");
  EXPECT_NE(error("against: pushed_tool, drive: velocity")
                .find("an arm gives way to a push where torques drive it"),
            std::string::npos);
}

}  // namespace walls_trial_run_test
}  // namespace handspan
