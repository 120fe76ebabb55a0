// A demonstrated swing done otherwise.
#include "plan/swing_change.hpp"

#include <gtest/gtest.h>

#include <numbers>
#include <vector>

#include "math/minimum_jerk.hpp"
#include "math/so3.hpp"

namespace handspan {
namespace swing_change_test {

constexpr double kPi = std::numbers::pi;

// along y at 1 m/s for 1 s, turning about x by 0.4 rad
std::vector<TimedPose> swing() {
  std::vector<TimedPose> poses;
  const Eigen::Quaterniond q_start = exp_quaternion({0.0, 0.0, 0.3});
  for (int i = 0; i <= 10; ++i)
    poses.push_back({0.1 * i, Eigen::Vector3d(1.0, 2.0 + 0.1 * i, 3.0),
                     exp_quaternion({0.04 * i, 0.0, 0.0}) * q_start});
  return poses;
}

TEST(SwingChange, NoChangeChangesNothing) {
  auto poses = swing();
  change_swing(poses, {}, 0.5);
  const auto before = swing();
  for (std::size_t i = 0; i < poses.size(); ++i) {
    EXPECT_EQ(poses[i].time, before[i].time);
    EXPECT_LT((poses[i].p - before[i].p).norm(), 1e-15);
    EXPECT_LT(poses[i].q.angularDistance(before[i].q), 1e-7);
  }
}

TEST(SwingChange, ScaleSpeedAndTurnAreAboutTheFirstPose) {
  auto poses = swing();
  SwingChange change;
  change.scale = 2.0;
  change.speed = 4.0;
  change.turn = 0.5 * kPi;
  change_swing(poses, change, 0.5);
  EXPECT_EQ(poses.front().p, Eigen::Vector3d(1.0, 2.0, 3.0));
  // y turns to -x
  EXPECT_LT((poses.back().p - Eigen::Vector3d(-1.0, 2.0, 3.0)).norm(), 1e-12);
  EXPECT_NEAR(poses.back().time, 0.25, 1e-15);
  // how it lies at the start stays, and it turns about y where it turned about x
  const Eigen::Quaterniond q_start = exp_quaternion({0.0, 0.0, 0.3});
  EXPECT_LT(poses.front().q.angularDistance(q_start), 1e-12);
  EXPECT_LT(poses.back().q.angularDistance(exp_quaternion({0.0, 0.4, 0.0}) * q_start), 1e-7);
}

TEST(SwingChange, HalfOfAFlickAndAllOfALiftAreDoneAtTheRelease) {
  auto poses = swing();
  SwingChange change;
  change.release = 0.1;
  change.flick = {0.0, 0.6, 0.0};
  change.flick_time = 0.4;
  change.lift = -0.05;
  EXPECT_NEAR(changed_release(change, 0.5), 0.6, 1e-15);
  change_swing(poses, change, 0.5);
  const auto before = swing();
  for (const int i : {0, 4, 6, 8, 10}) {
    SCOPED_TRACE(i);
    const double turned = 0.6 * minimum_jerk((0.1 * i - 0.6) / 0.4 + 0.5);
    EXPECT_LT(poses[i].q.angularDistance(exp_quaternion({0.0, turned, 0.0}) * before[i].q), 1e-7);
    EXPECT_NEAR(poses[i].p.z(), 3.0 - 0.05 * minimum_jerk(0.1 * i / 0.6), 1e-12);
  }
  EXPECT_NEAR(poses[6].q.angularDistance(before[6].q), 0.3, 1e-9);
  EXPECT_NEAR(poses[4].q.angularDistance(before[4].q), 0.0, 1e-7);
  EXPECT_NEAR(poses[6].p.z(), 2.95, 1e-12);
}

}  // namespace swing_change_test
}  // namespace handspan
