// Tosses to rest: when they end, where, and what is refused.
#include "skills/toss/rigid_toss.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

#include "core/error.hpp"
#include "core/random.hpp"
#include "support/alloc.hpp"
#include "support/sized.hpp"

namespace handspan {
namespace rigid_toss_test {

using Eigen::Vector3d;

constexpr double kG = 9.81;

RigidState at(const Pose& X_WB, const Vector3d& v = Vector3d::Zero(),
              const Vector3d& w = Vector3d::Zero()) {
  RigidState state;
  state.X_WB = X_WB;
  state.V_WB << v, w;
  return state;
}

TEST(RigidToss, EndsWhereASlideEnds) {
  const RigidModel model(uniform_box({0.3, 0.2, 0.1}, 2.0),
                         {plane_surface("floor", Pose(), {0.25, 0.0})});
  RigidData data(model);
  std::vector<TossSample> trajectory;
  TossOptions options;
  options.sample_period = 0.01;
  const TossResult result = toss(
      model, data, at(Pose::translation({0, 0, 0.05 - 1e-9}), {1.0, 0, 0}), options, &trajectory);
  EXPECT_TRUE(result.at_rest);
  EXPECT_EQ(result.surface, 0);
  // still below 1 mm/s: that is v / (mu g) before its stop
  EXPECT_NEAR(result.time, 1.0 / (0.25 * kG), 1e-3);
  EXPECT_NEAR(result.end.X_WB.p[0], 1.0 / (2 * 0.25 * kG), 1e-5);
  EXPECT_EQ(result.first_impact, model.timestep());
  EXPECT_LT(result.impact_tilt, 1e-6);
  ASSERT_GT(trajectory.size(), 40U);
  EXPECT_EQ(trajectory[0].time, 0.0);
  for (std::size_t i = 0; i < 30; ++i) {
    const double t = trajectory[i].time;
    EXPECT_NEAR(t, 0.01 * static_cast<double>(i), 1e-12);
    EXPECT_NEAR(trajectory[i].state.X_WB.p[0], t - 0.5 * 0.25 * kG * t * t, 1e-6);
  }
}

TEST(RigidToss, RestsAgainstARunningBeltAndATravellingTray) {
  std::vector<RigidSurface> surfaces = tray_surfaces(
      "tray", Pose::translation({0, 2, 0}), {0.4, 0.4, 0.1}, 0.01, {0.5, 0.1}, {0.8, 0, 0});
  surfaces.push_back(
      belt_surface("belt", Pose::translation({0, 0, -0.05}), {20, 1, 0.1}, 1.5, {0.5, 0.1}));
  const RigidModel model(uniform_box({0.2, 0.1, 0.1}, 1.0), surfaces);
  RigidData data(model);
  const TossResult belt = toss(model, data, at(Pose::from_rpy({0, 0, 0.2}, {0.2, 0.3, 0})));
  EXPECT_TRUE(belt.at_rest);
  EXPECT_EQ(belt.surface, 5);
  EXPECT_NEAR(belt.end.V_WB[0], 1.5, 2e-3);
  EXPECT_GT(belt.first_impact, 0.1);
  EXPECT_LT(belt.first_impact, belt.time);
  EXPECT_NEAR(belt.impact_tilt, std::acos(std::cos(0.2) * std::cos(0.3)), 1e-9);
  EXPECT_NEAR(belt.before_impact.V_WB[2], -kG * (belt.first_impact - model.timestep()), 1e-9);
  const TossResult tray =
      toss(model, data, at(Pose::from_rpy({0, 2, 0.1}, {0.1, 0, 0}), {0.8, 0, 0}));
  EXPECT_TRUE(tray.at_rest);
  EXPECT_EQ(tray.surface, 0);
  EXPECT_NEAR(tray.end.V_WB[0], 0.8, 2e-3);
}

TEST(RigidToss, OfABoxThatLeavesOrIsCutShortIsNotAtRest) {
  const RigidModel model(uniform_box({0.2, 0.1, 0.1}, 1.0),
                         {belt_surface("belt", Pose(), {1, 1, 0.1}, 0.0, {})});
  RigidData data(model);
  TossOptions options;
  options.longest = 0.5;
  const TossResult fell = toss(model, data, at(Pose::translation({3, 0, 0.2})), options);
  EXPECT_FALSE(fell.at_rest);
  EXPECT_EQ(fell.surface, -1);
  EXPECT_NEAR(fell.time, 0.5, 1e-12);
  EXPECT_TRUE(std::isinf(fell.first_impact));
}

// The still ones are steps in a row, and the end is the first of them.
TEST(RigidToss, WaitsForTheStillnessToLast) {
  for (int run = 0; run < test::sized(400); ++run) {
    SCOPED_TRACE(run);
    RandomStream random(static_cast<std::uint64_t>(run), "rest");
    const RigidModel model(uniform_box({0.2, 0.16, 0.12}, 1.0),
                           {plane_surface("floor", Pose(), {0.4, 0.3})});
    RigidData data(model);
    const RigidState start =
        at(Pose::from({0, 0, 0.3}, Eigen::Quaterniond(exp_so3(3 * random.direction()))),
           random.direction(), 8 * random.direction());
    const TossResult result = toss(model, data, start);
    ASSERT_TRUE(result.at_rest);
    EXPECT_NEAR(data.time - result.time, 0.1, 1e-3);
    EXPECT_LT((data.p_WC - result.end.X_WB.p).norm(), 1e-4);
    // on a face
    const Vector3d up = result.end.X_WB.R.transpose() * Vector3d::UnitZ();
    EXPECT_GT(up.cwiseAbs().maxCoeff(), 1.0 - 1e-4);
  }
}

TEST(RigidToss, AllocatesNothingWithoutATrajectory) {
  const RigidModel model(uniform_box({0.2, 0.1, 0.1}, 1.0),
                         {plane_surface("floor", Pose(), {0.4, 0.3})});
  RigidData data(model);
  const test::AllocationCount allocations;
  const TossResult result = toss(model, data, at(Pose::from_rpy({0, 0, 0.2}, {0.2, 0.3, 0})));
  EXPECT_EQ(allocations.count(), 0U);
  EXPECT_TRUE(result.at_rest);
}

TEST(RigidToss, NamesWhatIsWrong) {
  const RigidModel model(uniform_box({0.2, 0.1, 0.1}, 1.0),
                         {plane_surface("floor", Pose(), {0.4, 0.3})});
  RigidData data(model);
  const auto error =
      [&](const std::function<void(RigidState&, TossOptions&)>& spoil) -> std::string {
    RigidState start = at(Pose::translation({0, 0, 0.2}));
    TossOptions options;
    spoil(start, options);
    try {
      toss(model, data, start, options);
    } catch (const InputError& e) {
      return e.what();
    }
    return "no error";
  };
  EXPECT_EQ(error([](auto&, auto&) {}), "no error");
  EXPECT_EQ(error([](auto& s, auto&) { s.X_WB.p[2] = 0.045; }),
            "the box starts 5.0 mm deep in a surface; start it in flight or at most 1.0 mm deep");
  EXPECT_EQ(error([](auto& s, auto&) { s.X_WB.p[2] = std::numeric_limits<double>::infinity(); }),
            "the box's state is not finite");
  EXPECT_EQ(error([](auto&, auto& o) { o.longest = 0; }), "a toss's longest is 0; it must be > 0");
  EXPECT_EQ(error([](auto&, auto& o) { o.still_speed = -1; }),
            "a toss's still_speed is -1; it must be > 0");
  EXPECT_EQ(error([](auto&, auto& o) { o.still_turn = 0; }),
            "a toss's still_turn is 0; it must be > 0");
  EXPECT_EQ(error([](auto&, auto& o) { o.still_for = 0; }),
            "a toss's still_for is 0; it must be > 0");
  EXPECT_EQ(error([](auto&, auto& o) { o.sample_period = -1; }),
            "a toss's sample_period is -1; it must be >= 0");
  EXPECT_EQ(error([](auto&, auto& o) { o.deepest_start = -1; }),
            "a toss's deepest_start is -1; it must be >= 0");
}

}  // namespace rigid_toss_test
}  // namespace handspan
