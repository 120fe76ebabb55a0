#include "math/trajectory.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "support/alloc.hpp"

namespace handspan {
namespace trajectory_test {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

std::string error_of(auto run) {
  try {
    run();
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

// 1 m along x and a quarter about z in 2 s, then 3 m along y in 0.5 s
PoseTrajectory bend() {
  const Eigen::Quaterniond q = exp_quaternion({0.0, 0.0, M_PI / 2});
  return PoseTrajectory({{1.0, {0.0, 0.0, 0.0}, Eigen::Quaterniond::Identity()},
                         {3.0, {1.0, 0.0, 0.0}, q},
                         {3.5, {1.0, 3.0, 0.0}, q}});
}

Vector6d six(double a, double b, double c, double d, double e, double f) {
  return (Vector6d() << a, b, c, d, e, f).finished();
}

TEST(PoseTrajectory, GoesStraightAndTurnsAtAConstantRate) {
  const PoseTrajectory trajectory = bend();
  for (const double s : {0.1, 0.5, 0.9}) {
    const auto state = trajectory.at(1.0 + 2.0 * s);
    EXPECT_LT((state.X_WE.p - Eigen::Vector3d(s, 0.0, 0.0)).norm(), 1e-14);
    EXPECT_LT((state.X_WE.R - exp_so3({0.0, 0.0, s * M_PI / 2})).norm(), 1e-14);
    EXPECT_LT((state.V_WE - six(0.5, 0, 0, 0, 0, M_PI / 4)).norm(), 1e-14);
    EXPECT_EQ(state.A_WE, Vector6d(Vector6d::Zero()));
    EXPECT_FALSE(state.over);
  }
  const auto later = trajectory.at(3.25);
  EXPECT_LT((later.X_WE.p - Eigen::Vector3d(1.0, 1.5, 0.0)).norm(), 1e-14);
  EXPECT_LT((later.V_WE - six(0, 6, 0, 0, 0, 0)).norm(), 1e-14);
}

TEST(PoseTrajectory, AtASampleItHasThatPoseAndTheNextVelocity) {
  const auto state = bend().at(3.0);
  EXPECT_EQ(state.X_WE.p, Eigen::Vector3d(1.0, 0.0, 0.0));
  EXPECT_EQ(state.V_WE[1], 6.0);
}

TEST(PoseTrajectory, RestsBeforeItsFirstAndFromItsLastSampleOn) {
  const PoseTrajectory trajectory = bend();
  EXPECT_EQ(trajectory.start(), 1.0);
  EXPECT_EQ(trajectory.end(), 3.5);
  for (const double t : {-7.0, 0.999}) {
    const auto state = trajectory.at(t);
    EXPECT_EQ(state.X_WE.p, Eigen::Vector3d(Eigen::Vector3d::Zero()));
    EXPECT_EQ(state.V_WE, Vector6d(Vector6d::Zero()));
    EXPECT_FALSE(state.over);
  }
  for (const double t : {3.5, 100.0}) {
    const auto state = trajectory.at(t);
    EXPECT_EQ(state.X_WE.p, Eigen::Vector3d(1.0, 3.0, 0.0));
    EXPECT_EQ(state.V_WE, Vector6d(Vector6d::Zero()));
    EXPECT_TRUE(state.over);
  }
}

// quaternions q and -q are one orientation: it turns the short way
TEST(PoseTrajectory, TurnsTheShortWay) {
  Eigen::Quaterniond q = exp_quaternion({0.2, 0.0, 0.0});
  q.coeffs() = -q.coeffs();
  const PoseTrajectory trajectory({{0.0, Eigen::Vector3d::Zero(), Eigen::Quaterniond::Identity()},
                                   {1.0, Eigen::Vector3d::Zero(), q}});
  EXPECT_LT((trajectory.at(0.5).X_WE.R - exp_so3({0.1, 0.0, 0.0})).norm(), 1e-14);
  EXPECT_NEAR(trajectory.at(0.5).V_WE[3], 0.2, 1e-14);
}

TEST(VectorTrajectory, GoesStraightAndRestsAtItsEnds) {
  const WrenchTrajectory wrenches(
      {{0.0, six(1, 2, 3, 4, 5, 6)}, {0.5, six(2, 2, 1, 4, 5, 6)}, {1.0, six(2, 2, 1, 4, 5, 0)}});
  WrenchTrajectory::State state;
  wrenches.at(0.25, state);
  EXPECT_EQ(state.x, six(1.5, 2, 2, 4, 5, 6));
  EXPECT_EQ(state.v, six(2, 0, -4, 0, 0, 0));
  EXPECT_EQ(state.a, Vector6d(Vector6d::Zero()));
  wrenches.at(-1.0, state);
  EXPECT_EQ(state.x, six(1, 2, 3, 4, 5, 6));
  EXPECT_EQ(state.v, Vector6d(Vector6d::Zero()));
  EXPECT_FALSE(state.over);
  wrenches.at(1.0, state);
  EXPECT_EQ(state.x, six(2, 2, 1, 4, 5, 0));
  EXPECT_TRUE(state.over);
}

TEST(VectorTrajectory, AllocatesNothing) {
  const PoseTrajectory poses = bend();
  const JointTrajectory joints({{0.0, Eigen::VectorXd::Zero(7)}, {1.0, Eigen::VectorXd::Ones(7)}});
  JointTrajectory::State state;
  joints.at(0.0, state);
  double sum = 0.0;
  const test::AllocationCount allocations;
  for (double t = -0.5; t < 4.0; t += 0.01) {
    joints.at(t, state);
    sum += state.x[6] + poses.at(t).X_WE.p.x();
  }
  EXPECT_EQ(allocations.count(), 0U);
  EXPECT_GT(sum, 0.0);
}

TEST(Trajectories, MessagesSayWhatIsWrong) {
  const Eigen::Vector3d p = Eigen::Vector3d::Zero();
  const Eigen::Quaterniond q = Eigen::Quaterniond::Identity();
  EXPECT_EQ(error_of([] { PoseTrajectory trajectory({}); }),
            "a trajectory has no poses; give one at least");
  EXPECT_EQ(error_of([&] { PoseTrajectory trajectory({{0.5, p, q}, {0.5, p, q}}); }),
            "number 2 of a trajectory's poses is at 0.5 s, after one at 0.5 s; give each a later "
            "time than the one before");
  EXPECT_NE(error_of([&] {
              PoseTrajectory trajectory({{0.5, p, q}, {0.4, p, q}});
            }).find("number 2 of a trajectory's poses is at 0.4 s"),
            std::string::npos);
  EXPECT_NE(error_of([&] { PoseTrajectory trajectory({{kNan, p, q}}); }).find("number 1"),
            std::string::npos);
  EXPECT_NE(error_of([&] {
              PoseTrajectory trajectory({{0.0, p, q}, {1.0, p, Eigen::Quaterniond(0, 0, 0, 0)}});
            }).find("number 2 of a trajectory's poses, at 1 s, is not a valid pose"),
            std::string::npos);
  EXPECT_NE(error_of([&] {
              JointTrajectory trajectory(
                  {{0.0, Eigen::VectorXd::Zero(3)}, {1.0, Eigen::VectorXd::Zero(4)}});
            }).find("number 2 of a trajectory's vectors, at 1 s, does not have 3 finite numbers"),
            std::string::npos);
}

}  // namespace trajectory_test
}  // namespace handspan
