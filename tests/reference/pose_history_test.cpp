// Where things were, up to two seconds ago.
#include "reference/pose_history.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "core/error.hpp"
#include "support/alloc.hpp"

namespace handspan {
namespace pose_history_test {

constexpr Nanoseconds kMs = 1'000'000;

// A hand that goes along x at 1 m/s and turns about z at 0.5 rad/s, and a joint at 2 rad/s.
struct Moving {
  Nanoseconds now = 0;
  PoseHistory history{kMs};

  Moving() {
    history.offer_pose("hand", [this](std::span<double> values) {
      const double t = seconds(now);
      const double pose[] = {t, 0.0, 0.0, 0.0, 0.0, std::sin(0.25 * t), std::cos(0.25 * t)};
      std::ranges::copy(pose, values.begin());
      return now;
    });
    history.offer_pose("still", [this](std::span<double> values) {
      std::ranges::fill(values, 0.0);
      values[6] = 1.0;
      return now;
    });
    history.offer_joints("arm", 1, [this](std::span<double> values) {
      values[0] = 2.0 * seconds(now);
      return now;
    });
  }
  void run(Nanoseconds until) {
    for (; now <= until; now += kMs) history.record();
  }
};

std::string refusal(const PoseHistory& history, PoseHistory::Id id, Nanoseconds stamp) {
  Pose X;
  const char* why = history.pose_at(id, stamp, X);
  return why == nullptr ? "" : why;
}

TEST(PoseHistory, SaysWhereThingsWereBetweenRecordsToo) {
  Moving moving;
  const PoseHistory::Id ids[] = {moving.history.track("hand"), moving.history.track("still")};
  const PoseHistory::Id arm = moving.history.track("arm");
  moving.run(5 * kSecond);
  for (const Nanoseconds stamp : {3000 * kMs, 3000 * kMs + 250'000, 4321 * kMs + 1, 5000 * kMs}) {
    Pose X[2];
    double q = 0.0;
    ASSERT_EQ(moving.history.poses_at(ids, stamp, X), nullptr);
    ASSERT_EQ(moving.history.joints_at(arm, stamp, {&q, 1}), nullptr);
    EXPECT_NEAR(X[0].p.x(), seconds(stamp), 1e-12);
    EXPECT_NEAR(log_so3(X[0].R).z(), std::remainder(0.5 * seconds(stamp), 2 * M_PI), 1e-9);
    EXPECT_EQ(X[1].p, Eigen::Vector3d::Zero());
    EXPECT_NEAR(q, 2.0 * seconds(stamp), 1e-12);
  }
}

TEST(PoseHistory, AMomentOutOfItsReachIsRefusedAndSaysWhy) {
  Moving moving;
  const auto hand = moving.history.track("hand"), arm = moving.history.track("arm");
  EXPECT_EQ(refusal(moving.history, hand, 0), "nothing was recorded yet");
  moving.now = kSecond;
  moving.run(2 * kSecond);
  EXPECT_EQ(refusal(moving.history, hand, kSecond - 1), "that is before the first record");
  EXPECT_EQ(refusal(moving.history, hand, 2 * kSecond + 1), "that is later than the last record");
  EXPECT_EQ(refusal(moving.history, hand, -1), "that is more than 2 s ago");
  moving.run(4 * kSecond);
  EXPECT_EQ(refusal(moving.history, hand, 2 * kSecond), "");
  EXPECT_EQ(refusal(moving.history, hand, 2 * kSecond - 1), "that is more than 2 s ago");
  EXPECT_EQ(refusal(moving.history, arm, 3 * kSecond),
            "it is a group of joints, which has no pose");
  double q = 0.0;
  EXPECT_STREQ(moving.history.joints_at(hand, 3 * kSecond, {&q, 1}),
               "it is a frame, which has no joints");
  try {
    moving.history.track("hnad");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "where 'hnad' was is not known; did you mean 'hand'?");
  }
}

TEST(PoseHistory, RecordsAndAnswersWithoutHeap_AllocAndASnapshotGoesOn) {
  Moving moving, other;
  const auto hand = moving.history.track("hand");
  other.history.track("hand");
  moving.run(kSecond);
  const test::AllocationCount allocations;
  moving.run(3 * kSecond);
  Pose X;
  EXPECT_EQ(moving.history.pose_at(hand, 2 * kSecond, X), nullptr);
  EXPECT_EQ(allocations.count(), 0U);
  std::vector<std::byte> bytes;
  StateArchive save(bytes);
  moving.history.state(save);
  StateArchive load{std::span<const std::byte>(bytes)};
  other.history.state(load);
  Pose X_other;
  EXPECT_EQ(other.history.pose_at(hand, 2 * kSecond, X_other), nullptr);
  EXPECT_EQ(X.p, X_other.p);
}

}  // namespace pose_history_test
}  // namespace handspan
