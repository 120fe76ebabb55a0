// Throws of a hand as a study: `handspan study teleop/throws`.
#include "study/throws_trial.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "person/thrown_hand.hpp"
#include "study/runner.hpp"
#include "study_support.hpp"
#include "support/parts.hpp"

namespace handspan {
namespace throws_trial_run_test {

const std::filesystem::path kRoot = HANDSPAN_SOURCE_DIR;
constexpr int kStopped = static_cast<int>(kThrows);

class ThrowsTrialRun : public ::testing::Test {
 protected:
  StudyOutcome run(int throw_, const std::string& more = "", int n = 3) const {
    return StudyRunner(folder_.study(fmt::format(
                           "title: t\nn: {}\nseed: 7\nsubject: {{trial: {{type: throws, robot: "
                           "\"{}/robots/ur10\", pose: stance, stiffness: 45, only: {}{}}}}}\n",
                           n, kRoot.string(), throw_, more)),
                       test_parts(), {})
        .run();
  }
  static std::vector<double> column(const StudyOutcome& outcome, const std::string& name) {
    std::vector<double> values;
    for (const RunRecord& run : outcome.results.runs) EXPECT_EQ(run.failure, "");
    for (const double x : outcome.results.samples(name, "")) values.push_back(x);
    return values;
  }
  const test::StudyFolder folder_;
};

// what all of them have to keep is the study's expectation: here, that the trial measures it
TEST_F(ThrowsTrialRun, MostArmsThatAreStoppedRestInTheLeastTimeAndTheirReferencesWithThem) {
  const StudyOutcome outcome = run(kStopped, "", 6);
  int stopped = 0, in_time = 0;
  for (std::size_t i = 0; i < 6; ++i) {
    const double rest = column(outcome, "rest")[i];
    if (std::isnan(rest)) continue;
    ++stopped;
    in_time += rest <= 1.2;
    // no arm stops faster than its limits let it
    EXPECT_GT(rest, 0.3) << i;
    EXPECT_GT(column(outcome, "least")[i], 0.02);
    EXPECT_LT(column(outcome, "apart")[i], 0.005);
  }
  EXPECT_GT(stopped, 1);
  EXPECT_GE(2 * in_time, stopped);
}

TEST_F(ThrowsTrialRun, ALeapAndALettingGoOpenTheClutchAndABadFrameDoesNot) {
  for (const Throw kind : {Throw::kLeap, Throw::kRecentre, Throw::kRelease}) {
    const StudyOutcome outcome = run(static_cast<int>(kind));
    for (const double opened : column(outcome, "opened")) EXPECT_EQ(opened, 1.0) << name_of(kind);
    for (const double after : column(outcome, "opened_after"))
      EXPECT_LT(after, 0.04) << name_of(kind);
  }
  const StudyOutcome bad = run(static_cast<int>(Throw::kBadFrame));
  for (const double held : column(bad, "false_hold")) EXPECT_EQ(held, 0.0);
  for (const double opened : column(bad, "opened")) EXPECT_TRUE(std::isnan(opened));
}

TEST_F(ThrowsTrialRun, TheReferenceKeepsToItsLeashAndWhatTheHandIsAheadIsDropped) {
  const auto far = static_cast<int>(Throw::kOutOfReach);
  const StudyOutcome shorter = run(far, ", leash: 0.1"), longer = run(far, ", leash: 0.3");
  for (const StudyOutcome* outcome : {&shorter, &longer}) {
    for (const double beyond : column(*outcome, "beyond")) EXPECT_LT(beyond, 1e-6);
    for (const double dropped : column(*outcome, "dropped")) EXPECT_GT(dropped, 0.3);
  }
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_GT(column(shorter, "distance")[i], 0.05);
    EXPECT_GT(column(longer, "distance")[i], column(shorter, "distance")[i]);
  }
}

// its drive goes after steps of its command, and its torques ripple with them
TEST_F(ThrowsTrialRun, NothingStopsAPositionDrivenArmThatMovesFreely) {
  const StudyOutcome outcome = run(static_cast<int>(Throw::kBack), ", drive: position", 4);
  for (const double watched : column(outcome, "watched")) EXPECT_EQ(watched, 0.0);
  for (const double held : column(outcome, "false_hold")) EXPECT_EQ(held, 0.0);
  for (const double tool : column(outcome, "tool")) EXPECT_GT(tool, 0.2);
}

TEST_F(ThrowsTrialRun, ARunIsAFunctionOfItsSeed) {
  const auto back = static_cast<int>(Throw::kBack);
  EXPECT_EQ(results_csv(run(back).results), results_csv(run(back).results));
}

TEST_F(ThrowsTrialRun, WhatCannotBeMadeSaysWhy) {
  const auto error = [&](const std::string& more) {
    try {
      run(0, more);
    } catch (const InputError& e) {
      return folder_.without_path(e.what());
    }
    return std::string("no error");
  };
  EXPECT_NE(error(", apart: [[forearm, sholder]]").find("sholder"), std::string::npos)
      << error(", apart: [[forearm, sholder]]");
  EXPECT_NE(error(", drive: hydraulic").find("hydraulic"), std::string::npos);
}

}  // namespace throws_trial_run_test
}  // namespace handspan
