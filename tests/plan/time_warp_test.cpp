#include "plan/time_warp.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "core/error.hpp"

namespace handspan {
namespace time_warp_test {

TEST(TimeWarp, GoesThroughItsPointsRisesAndHasAContinuousSlope) {
  const TimeWarp warp({{0.0, 0.0}, {1.0, 3.0}, {1.2, 3.1}, {4.0, 4.0}});
  for (const WarpPoint& p :
       {WarpPoint{0.0, 0.0}, WarpPoint{1.0, 3.0}, WarpPoint{1.2, 3.1}, WarpPoint{4.0, 4.0}})
    EXPECT_NEAR(warp.at(p.from), p.to, 1e-15);
  constexpr double kStep = 1e-6;
  double slope_before = NAN;
  for (double t = -1.0; t < 5.0; t += 1e-3) {
    const double slope = (warp.at(t + kStep) - warp.at(t - kStep)) / (2.0 * kStep);
    EXPECT_GT(slope, 0.0) << t;
    // its slope changes by no more than its curvature, up to 50 /s, lets it in a step
    if (std::isfinite(slope_before)) {
      EXPECT_LT(std::abs(slope - slope_before), 0.06) << t;
    }
    slope_before = slope;
  }
}

TEST(TimeWarp, OfTwoPointsIsALineAlsoBeyondThem) {
  const TimeWarp warp({{1.0, 2.0}, {3.0, 3.0}});
  for (const double t : {-1.0, 1.0, 1.7, 3.0, 9.0})
    EXPECT_NEAR(warp.at(t), 2.0 + 0.5 * (t - 1.0), 1e-14);
}

TEST(TimeWarp, TimesThatGoBackAreRefused) {
  const auto error = [](std::vector<WarpPoint> points) {
    try {
      const TimeWarp warp(std::move(points));
    } catch (const InputError& e) {
      return std::string(e.what());
    }
    return std::string("no error");
  };
  EXPECT_EQ(error({{0.0, 0.0}}),
            "a map of times has 1 point; give two at least, such as [[0, 0], [2, 3]]");
  EXPECT_EQ(error({{0.0, 0.0}, {1.0, 2.0}, {2.0, 1.5}}),
            "point 3 of a map of times is [2, 1.5] after [1, 2]; give both times of each point "
            "later than those of the one before");
  EXPECT_NE(error({{0.0, 0.0}, {NAN, 2.0}}).find("point 2 of a map of times is [nan, 2]"),
            std::string::npos);
}

}  // namespace time_warp_test
}  // namespace handspan
