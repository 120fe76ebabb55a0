#include "plan/pose_spline.hpp"

#include <gtest/gtest.h>

#include "core/random.hpp"

namespace handspan {
namespace pose_spline_test {

// moves and turns about a changing axis for 2 s
TimedPose pose_at(double t) {
  const Eigen::Vector3d phi(0.8 * std::sin(2.0 * t), 0.6 * t * t, -0.5 * std::cos(3.0 * t));
  return {t, {0.3 * std::sin(3.0 * t), 0.2 * t * t, std::cos(2.0 * t)}, exp_quaternion(phi)};
}
PoseTrajectory motion(double period, double length = 2.0) {
  std::vector<TimedPose> poses;
  for (int i = 0; i * period <= length + 1e-9; ++i) poses.push_back(pose_at(i * period));
  return PoseTrajectory(poses);
}

TEST(PoseSpline, VelocityAndAccelerationAreTheDerivativesOfThePose) {
  const PoseSpline spline(motion(0.01), 0.05);
  constexpr double kStep = 1e-5;
  for (double t = 0.03; t < 1.97; t += 0.0117) {
    const auto before = spline.at(t - kStep), now = spline.at(t), after = spline.at(t + kStep);
    const Vector6d V = pose_difference(before.X_WE, after.X_WE) / (2.0 * kStep);
    const Vector6d A = (after.V_WE - before.V_WE) / (2.0 * kStep);
    // differences of second order: the third derivative, up to 1e2, times the step squared
    EXPECT_LT((V - now.V_WE).cwiseAbs().maxCoeff(), 1e-7) << "at " << t << " s";
    // at a knot the acceleration bends: to first order
    EXPECT_LT((A - now.A_WE).cwiseAbs().maxCoeff(), 1e-2) << "at " << t << " s";
    EXPECT_GT(now.A_WE.norm(), 0.1);
  }
}

TEST(PoseSpline, PoseVelocityAndAccelerationAreContinuousAtItsKnots) {
  const PoseSpline spline(motion(0.01), 0.05);
  for (double knot = spline.spacing(); knot < 1.99; knot += spline.spacing()) {
    const auto before = spline.at(knot - 1e-9), after = spline.at(knot + 1e-9);
    EXPECT_LT(pose_difference(before.X_WE, after.X_WE).norm(), 1e-7);
    EXPECT_LT((after.V_WE - before.V_WE).norm(), 1e-6);
    EXPECT_LT((after.A_WE - before.A_WE).norm(), 1e-4);
  }
}

TEST(PoseSpline, LeavesAMotionByAFewTwentyFourthsOfItsAccelerationTimesTheSpacingSquared) {
  const PoseTrajectory exact = motion(0.001);
  for (const double spacing : {0.02, 0.05}) {
    const PoseSpline spline(exact, spacing);
    double worst = 0.0;
    for (double t = 0.2; t < 1.8; t += 0.003)
      worst = std::max(worst, (spline.at(t).X_WE.p - exact.at(t).X_WE.p).norm());
    // at most 0.3 * 9 + 0.4 + 4 [m/s^2]
    EXPECT_LT(worst, 5.0 / 24.0 * spacing * spacing * 7.1);
    EXPECT_GT(worst, 0.0);
  }
}

TEST(PoseSpline, BeginsAndEndsExactlyWhereTheMotionDoesAndRestsBeyond) {
  const PoseTrajectory exact = motion(0.01);
  const PoseSpline spline(exact, 0.04);
  for (const double t : {0.0, 2.0}) {
    const Vector6d off = pose_difference(spline.at(t).X_WE, exact.at(t).X_WE);
    EXPECT_LT(off.norm(), 1e-14) << t;
  }
  EXPECT_FALSE(spline.at(1.999).over);
  EXPECT_TRUE(spline.at(2.0).over);
  EXPECT_EQ(spline.at(2.5).V_WE, Vector6d(Vector6d::Zero()));
  EXPECT_EQ(spline.at(-0.5).V_WE, Vector6d(Vector6d::Zero()));
  EXPECT_LT(pose_difference(spline.at(2.5).X_WE, exact.at(2.0).X_WE).norm(), 1e-14);
}

TEST(PoseSpline, NoiseOfATrackerIsMuchLessInVelocityAndAcceleration) {
  // 90 Hz, 0.5 mm and 0.2 deg
  RandomStream random(4, "tracker");
  std::vector<TimedPose> poses;
  for (int i = 0; i < 180; ++i) {
    TimedPose pose = pose_at(i / 90.0);
    Eigen::Vector3d turn;
    for (int k = 0; k < 3; ++k) {
      pose.p[k] += random.normal(0.0, 5e-4);
      turn[k] = random.normal(0.0, 3.5e-3);
    }
    pose.q = exp_quaternion(turn) * pose.q;
    poses.push_back(pose);
  }
  const PoseTrajectory noisy(poses), exact = motion(0.001);
  const PoseSpline spline(noisy, 0.06), without(exact, 0.06);
  double rough = 0.0, smooth = 0.0;
  for (double t = 0.2; t < 1.7; t += 0.0037) {
    rough = std::max(rough, (noisy.at(t).V_WE - exact.at(t).V_WE).norm());
    smooth = std::max(smooth, (spline.at(t).V_WE - without.at(t).V_WE).norm());
  }
  EXPECT_LT(smooth, 0.35 * rough);
}

TEST(PoseSpline, RefusesASpacingOfNothingAndASinglePose) {
  const auto error = [](const PoseTrajectory& poses, double spacing) {
    try {
      const PoseSpline spline(poses, spacing);
    } catch (const InputError& e) {
      return std::string(e.what());
    }
    return std::string("no error");
  };
  EXPECT_EQ(error(motion(0.1), 0.0), "the spacing of a smooth curve is 0 s; give more than 0 s");
  EXPECT_EQ(error(PoseTrajectory({pose_at(0.0)}), 0.1),
            "a smooth curve is asked for of one pose; give two at least");
}

}  // namespace pose_spline_test
}  // namespace handspan
