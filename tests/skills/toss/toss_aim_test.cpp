// Tosses aimed through the rigid model, with trials of which everything is known.
#include "skills/toss/toss_aim.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "core/error.hpp"
#include "math/minimum_jerk.hpp"
#include "math/so3.hpp"

namespace handspan {
namespace toss_aim_test {

constexpr double kG = 9.81, kHigh = 0.3, kHalf = 0.05;

// The box hangs under the cup and swings along y: from 0 at 1 m/s, the plan's changes done exactly.
HeldSwing swing(const TossPlan& plan) {
  HeldSwing trial;
  trial.plan = plan;
  trial.delay = 0.03;
  trial.release = changed_release(plan.swing, 0.5) + trial.delay;
  const double command = trial.release - trial.delay;
  const Eigen::Matrix3d turn = exp_so3({0.0, 0.0, plan.swing.turn});
  for (int i = 0; i <= 1000; ++i) {
    HeldSwing::Sample sample;
    const double t = sample.time = 0.001 * i;
    const double way = plan.swing.scale * plan.swing.speed, s = (t - command) / 0.3 + 0.5;
    sample.p_WE = turn * Eigen::Vector3d(0.0, way * t, 0.0) +
                  Eigen::Vector3d(0.0, 0.0, kHigh + 2 * kHalf + plan.swing.lift);
    const Eigen::Matrix3d R = exp_so3(minimum_jerk(s) * plan.swing.flick);
    const Eigen::Vector3d w = minimum_jerk_rate(s) / 0.3 * plan.swing.flick;
    const Eigen::Vector3d arm = R * Eigen::Vector3d(0.0, 0.0, -kHalf);
    sample.box.X_WB = {R, sample.p_WE + arm};
    sample.box.V_WB << turn * Eigen::Vector3d(0.0, way, 0.0) + w.cross(arm), w;
    // the tray comes along x = 0.1 at 1.5 m/s, and is at y = 1 at 1 s
    sample.X_WT.p = {0.1, 1.0 + 1.5 * (t - 1.0 - plan.target_later), 0.0};
    trial.samples.push_back(sample);
  }
  return trial;
}

TossTask task() {
  TossTask task;
  task.box = uniform_box(Eigen::Vector3d::Constant(2 * kHalf), 0.3);
  task.floor = {0.4, 0.0};
  task.surfaces = tray_surfaces("tray", Pose(), {0.4, 0.4, 0.1}, 0.01, task.floor);
  return task;
}

TEST(TossAim, AtTheTrialsOwnPlanItIsLetGoAsSeen) {
  TossPlan plan;
  plan.swing.turn = 0.2;
  plan.swing.flick = {0.1, 0.0, 0.0};
  const HeldSwing trial = swing(plan);
  const TossForecast f = at_release(trial, plan);
  const auto& seen = trial.samples[530].box;  // 0.5 s, and 30 ms until it lets go
  EXPECT_LT((f.release.X_WB.p - seen.X_WB.p).norm(), 1e-9);
  EXPECT_LT(angle_between(f.release.X_WB.R, seen.X_WB.R), 1e-9);
  EXPECT_LT((f.release.V_WB - seen.V_WB).norm(), 1e-9);
  EXPECT_NEAR(f.v_WT.y(), 1.5, 1e-9);
  EXPECT_NEAR(f.X_WT.p.y(), 1.0 + 1.5 * (0.53 - 1.0), 1e-9);
}

TEST(TossAim, AnotherPlanIsLetGoAsItsOwnTrialHasIt) {
  const HeldSwing trial = swing({});
  TossPlan plan;
  plan.swing.scale = 1.1;
  plan.swing.speed = 1.2;
  plan.swing.turn = -0.3;
  plan.swing.release = 0.02;
  plan.swing.lift = -0.04;
  plan.target_later = 0.1;
  const TossForecast f = at_release(trial, plan), own = at_release(swing(plan), plan);
  EXPECT_LT((f.release.X_WB.p - own.release.X_WB.p).norm(), 1e-9);
  EXPECT_LT((f.release.V_WB - own.release.V_WB).norm(), 1e-9);
  EXPECT_LT((f.X_WT.p - own.X_WT.p).norm(), 1e-9);
  // of a flick, what is half done and at its fastest at the command: 30 ms later a little else
  plan.swing.flick = {0.2, 0.0, 0.0};
  const TossForecast flicked = at_release(trial, plan);
  EXPECT_NEAR(angle_between(flicked.release.X_WB.R, Eigen::Matrix3d::Identity()), 0.1, 1e-9);
  EXPECT_NEAR(flicked.release.V_WB[3], kMinimumJerkPeak / 0.3 * 0.2, 1e-9);
}

TEST(TossAim, AForecastIsAParabolaThenASlide) {
  const TossPlan plan;
  const HeldSwing trial = swing(plan);
  const TossForecast f = forecast(task(), trial, plan);
  const double fall = std::sqrt(2.0 * kHigh / kG);
  EXPECT_NEAR(f.toss.first_impact, fall, 1e-3);
  // it is slower than the floor by 0.5 m/s. In the impact friction takes mu times the fall, which
  // is all of that
  const double y = 0.53 + fall * 1.0 - (1.0 + 1.5 * (0.53 + fall - 1.0));
  EXPECT_NEAR(f.off_T.y(), y, 5e-3);
  EXPECT_NEAR(f.off_T.x(), -0.1, 5e-3);
}

TEST(TossAim, WhatIsFreeTakesItToTheMiddleAndNothingElseChanges) {
  TossFreedom freedom;
  freedom.turn = 0.3;
  freedom.target_later = 0.1;
  const HeldSwing trial = swing({});
  const TossAim aim = aim_toss(task(), trial, freedom);
  EXPECT_LT(aim.forecast.off_T.head<2>().norm(), 0.02);
  EXPECT_LT(aim.plan.swing.turn, -0.05);
  EXPECT_EQ(aim.plan.swing.scale, 1.0);
  EXPECT_EQ(aim.plan.swing.release, 0.0);
  EXPECT_TRUE(aim.plan.swing.flick.isZero(0.0));
  // its own trial says the same
  const TossForecast own = forecast(task(), swing(aim.plan), aim.plan);
  EXPECT_LT((own.off_T - aim.forecast.off_T).norm(), 1e-3);
  EXPECT_LT(aim.cost, aim_toss(task(), trial, {}).cost);
  // beside the middle by as much as is asked
  TossAimOptions options;
  options.off_T = {0.0, 0.06};
  EXPECT_NEAR(aim_toss(task(), trial, freedom, options).forecast.off_T.y(), 0.06, 0.02);
  // and not far from what was tried, when that counts
  options = {};
  options.near = 100.0;
  const TossPlan stays = aim_toss(task(), trial, freedom, options).plan;
  EXPECT_LT(std::abs(stays.target_later), 0.1 * std::abs(aim.plan.target_later));
}

TEST(TossAim, ItMatchesTheTargetsVelocityAndStaysAboveItsWalls) {
  TossFreedom freedom;
  freedom.scale = freedom.speed = 1.0;
  freedom.turn = 0.3;
  freedom.lift = 0.2;
  freedom.target_later = 0.1;
  const HeldSwing trial = swing({});
  const TossAim aim = aim_toss(task(), trial, freedom);
  const auto slip = [](const TossForecast& f) {
    return (f.release.V_WB.head<3>() - f.v_WT).head<2>().norm();
  };
  EXPECT_LT(slip(aim.forecast), 0.5 * slip(forecast(task(), trial, {})));
  // it is let go lower, with its bottom 2 cm above the walls or little less
  EXPECT_LT(aim.plan.swing.lift, -0.05);
  EXPECT_GT(aim.forecast.release.X_WB.p.z() - kHalf, 0.1 + 0.015);
}

TEST(TossAim, TheShareOfGoodTossesFallsWithTheSpread) {
  TossFreedom freedom;
  freedom.turn = 0.3;
  freedom.target_later = 0.1;
  const HeldSwing trial = swing({});
  const TossPlan plan = aim_toss(task(), trial, freedom).plan;
  TossSpread spread;
  EXPECT_EQ(forecast_success(task(), trial, plan, spread, 5, 1), 1.0);
  spread.target = 0.3;
  const double share = forecast_success(task(), trial, plan, spread, 60, 1);
  EXPECT_GT(share, 0.2);
  EXPECT_LT(share, 0.8);
  EXPECT_EQ(share, forecast_success(task(), trial, plan, spread, 60, 1));
  // past it altogether
  TossPlan late = plan;
  late.target_later += 1.0;
  EXPECT_EQ(forecast_success(task(), trial, late, {}, 2, 1), 0.0);
}

TEST(TossAim, AReleaseThatTheTrialHasNotSeenIsAnError) {
  HeldSwing trial = swing({});
  TossPlan plan;
  plan.swing.release = 0.6;
  try {
    at_release(trial, plan);
    ADD_FAILURE();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(),
                 "the box would be let go at 1.130 s, and the trial has it held from 0.000 s to "
                 "1.000 s");
  }
  trial.samples.clear();
  EXPECT_THROW(aim_toss(task(), trial, {}), InputError);
}

}  // namespace toss_aim_test
}  // namespace handspan
