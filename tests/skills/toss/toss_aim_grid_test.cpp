// The least squares of aim_toss() against a search over a grid of all plans.
#include <gtest/gtest.h>

#include <cmath>

#include "core/error.hpp"
#include "math/so3.hpp"
#include "skills/toss/toss_aim.hpp"

namespace handspan {
namespace toss_aim_grid_test {

constexpr double kHalf = 0.05, kWallTop = 0.1;

// The box hangs under the cup, which accelerates along y and rises; the tray comes along beside it.
HeldSwing held(double along) {
  HeldSwing trial;
  trial.delay = 0.03;
  trial.release = 0.5 + trial.delay;
  for (int i = 0; i <= 1200; ++i) {
    HeldSwing::Sample sample;
    const double t = sample.time = 0.001 * i;
    sample.p_WE = {0.02 * t, 0.8 * t + 0.4 * t * t, 0.35 + 2 * kHalf + 0.2 * t};
    const Eigen::Vector3d arm(0.0, 0.0, -kHalf);
    sample.box.X_WB.p = sample.p_WE + arm;
    sample.box.V_WB.head<3>() << 0.02, 0.8 + 0.8 * t, 0.2;
    sample.X_WT.p = {0.06, along + 1.3 * (t - 0.8), 0.0};
    trial.samples.push_back(sample);
  }
  return trial;
}

TossTask box_into_tray() {
  TossTask task;
  task.box = uniform_box(Eigen::Vector3d::Constant(2 * kHalf), 0.3);
  task.floor = {0.4, 0.0};
  task.surfaces = tray_surfaces("tray", Pose(), {0.4, 0.4, kWallTop}, 0.01, task.floor);
  return task;
}

// Half the sum of squares of what the header says is wanted, in its units.
double cost_of(const TossTask& task, const HeldSwing& trial, const TossPlan& plan,
               const Eigen::Vector2d& off_T, double effort) {
  const TossForecast f = forecast(task, trial, plan);
  const RigidState& met = std::isfinite(f.toss.first_impact) ? f.toss.before_impact : f.toss.end;
  const Eigen::Vector3d slip = met.V_WB.head<3>() - f.v_WT;
  double sum = (f.off_T.head<2>() - off_T).squaredNorm() / (0.05 * 0.05);
  sum += slip.head<2>().squaredNorm() / (0.5 * 0.5) + slip.z() * slip.z();
  sum += met.X_WB.R.col(2).head<2>().squaredNorm() / (0.15 * 0.15);
  sum += met.V_WB.tail<3>().squaredNorm() / (3.0 * 3.0);
  // the tray does not turn and the box is level when it is let go
  const double lacks = 0.02 - (f.release.X_WB.p.z() - kHalf - kWallTop);
  if (lacks > 0.0) sum += lacks * lacks / (0.005 * 0.005);
  return 0.5 * (sum + effort);
}

struct GridBest {
  double cost = INFINITY, a = 0.0, b = 0.0;
};

// of n x n plans within +-reach of the two numbers
template <class Cost>
GridBest least_of_grid(double reach_a, double reach_b, int n, const Cost& cost) {
  GridBest best;
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < n; ++k) {
      const double a = reach_a * (2.0 * i / (n - 1) - 1.0);
      const double b = reach_b * (2.0 * k / (n - 1) - 1.0);
      const double c = cost(a, b);
      if (c < best.cost) best = {c, a, b};
    }
  return best;
}

TEST(TossAimGridRun, TurnAndTheTargetsTimeAreThoseOfTheBestOfAGrid) {
  const TossTask task = box_into_tray();
  for (const double along : {0.65, 0.75, 0.85}) {
    const HeldSwing trial = held(along);
    TossFreedom freedom;
    freedom.turn = 0.3;
    freedom.target_later = 0.1;
    const TossAim aim = aim_toss(task, trial, freedom);
    const auto cost = [&](double turn, double later) {
      TossPlan plan;
      plan.swing.turn = turn;
      plan.target_later = later;
      return cost_of(task, trial, plan, {0.0, 0.0}, turn * turn / (0.3 * 0.3));
    };
    // its cost is the one that the header says
    EXPECT_NEAR(aim.cost, cost(aim.plan.swing.turn, aim.plan.target_later), 1e-9);
    const GridBest best = least_of_grid(0.4, 0.3, 61, cost);
    EXPECT_LT(aim.cost, 1.01 * best.cost) << along << " turn " << best.a << " later " << best.b;
    // and where the grid's is, to two of its steps
    EXPECT_NEAR(aim.plan.swing.turn, best.a, 2 * 0.8 / 60) << along;
    EXPECT_NEAR(aim.plan.target_later, best.b, 2 * 0.6 / 60) << along;
    EXPECT_LT(std::abs(best.a), 0.39);
    EXPECT_LT(std::abs(best.b), 0.29);
  }
}

TEST(TossAimGridRun, ScaleAndLiftAreThoseOfTheBestOfAGrid) {
  const TossTask task = box_into_tray();
  const HeldSwing trial = held(0.75);
  TossFreedom freedom;
  freedom.scale = 0.5;
  freedom.lift = 0.2;
  const TossAim aim = aim_toss(task, trial, freedom);
  const auto cost = [&](double scale, double lift) {
    TossPlan plan;
    plan.swing.scale = 1.0 + scale;
    plan.swing.lift = lift;
    return cost_of(task, trial, plan, {0.0, 0.0},
                   scale * scale / (0.5 * 0.5) + lift * lift / (0.2 * 0.2));
  };
  EXPECT_NEAR(aim.cost, cost(aim.plan.swing.scale - 1.0, aim.plan.swing.lift), 1e-9);
  const GridBest best = least_of_grid(0.5, 0.4, 61, cost);
  EXPECT_LT(aim.cost, 1.01 * best.cost) << "scale " << best.a << " lift " << best.b;
  EXPECT_NEAR(aim.plan.swing.scale - 1.0, best.a, 2 * 1.0 / 60);
  EXPECT_NEAR(aim.plan.swing.lift, best.b, 2 * 0.8 / 60);
}

TEST(TossAimGridRun, SpeedAndReleaseWithAWishBesideTheMiddleAreNoWorseThanTheBestOfAGrid) {
  const TossTask task = box_into_tray();
  const HeldSwing trial = held(0.8);
  TossFreedom freedom;
  freedom.speed = 0.3;
  freedom.release = 0.05;
  TossAimOptions options;
  options.off_T = {0.02, -0.04};
  const TossAim aim = aim_toss(task, trial, freedom, options);
  const auto cost = [&](double speed, double release) {
    TossPlan plan;
    plan.swing.speed = 1.0 + speed;
    plan.swing.release = release;
    return cost_of(task, trial, plan, options.off_T,
                   speed * speed / (0.3 * 0.3) + release * release / (0.05 * 0.05));
  };
  EXPECT_NEAR(aim.cost, cost(aim.plan.swing.speed - 1.0, aim.plan.swing.release), 1e-9);
  const GridBest best = least_of_grid(0.3, 0.1, 61, cost);
  EXPECT_LT(aim.cost, 1.01 * best.cost) << "speed " << best.a << " release " << best.b;
}

}  // namespace toss_aim_grid_test
}  // namespace handspan
