// Two hands that hold one thing: when one is lost, the other holds in the same tick.
#include <gtest/gtest.h>

#include <cmath>

#include "core/error.hpp"
#include "reference_support.hpp"
#include "support/alloc.hpp"

namespace handspan {
namespace hold_together_test {

const char* const kScene = R"(
robots:
  left: {robot: fr3, tool: plate, base: {position: [0.0, 0.8, 0.0]}, pose: ready}
  right: {robot: fr3, tool: plate, pose: ready}
)";
const char* const kArms = R"(
arms:
  left.arm: {feedback: commanded}
  right.arm: {feedback: commanded}
tasks:
  left_hand: {type: pose, frame: left.tcp, stiffness: 100}
  right_hand: {type: pose, frame: right.tcp, stiffness: 100}
)";

class Together : public ::testing::Test, protected test::ReferenceRig {
 protected:
  Together()
      : ReferenceRig(kScene, kArms),
        left(arbiter.find_reference("left_hand")),
        right(arbiter.find_reference("right_hand")) {
    arbiter.hold_together({left, right});
    by_left = add_source("left");
    by_right = add_source("right");
    engage(left, by_left);
    engage(right, by_right);
  }
  void engage(ReferenceIndex hand, SourceIndex source) {
    give(hand, {{.source = source, .reengages = true}});
  }
  const Eigen::Vector3d& p(ReferenceIndex hand) const { return motion(hand).pose.X_WE.p; }
  double apart() const { return (p(left) - p(right)).norm(); }

  ReferenceIndex left, right;
  SourceIndex by_left, by_right;
};

TEST_F(Together, TheOtherHoldsInTheSameTickAndSaysBecauseOfWhom) {
  for (auto& wish : wishes) wish.v = {0.0, 0.0, 0.2};
  run(0.5);
  ASSERT_FALSE(arbiter.holding(left));
  ASSERT_FALSE(arbiter.holding(right));
  const double before = apart();
  wishes[0].status = SourceStatus::kSilent;
  run(0.001);
  EXPECT_TRUE(arbiter.holding(left));
  EXPECT_TRUE(arbiter.holding(right));
  EXPECT_EQ(arbiter.reason(left), "left: the clutch is open");
  EXPECT_EQ(arbiter.reason(right), "holds together with left_hand (left: the clutch is open)");
  ASSERT_EQ(events.events().size(), 2U);
  // today's other hand is 0.2 m away in a second
  run(2.0);
  EXPECT_LT(std::abs(apart() - before), 1e-6);
  EXPECT_TRUE(arbiter.reference(left).at_rest());
  EXPECT_TRUE(arbiter.reference(right).at_rest());
}

TEST_F(Together, GoingOnNeedsBothAndIsNoJump) {
  for (auto& wish : wishes) wish.v = {0.0, 0.0, 0.2};
  run(0.5);
  wishes[1].status = SourceStatus::kLost;
  run(0.8);
  const Eigen::Vector3d stays = p(left);
  run(1.0);
  EXPECT_EQ(p(left), stays);
  wishes[1].status = SourceStatus::kActive;
  run(0.001);
  EXPECT_FALSE(arbiter.holding(left));
  EXPECT_FALSE(arbiter.holding(right));
  // where the one that was held went meanwhile does not count
  run(0.1);
  EXPECT_LT((p(left) - stays).norm(), 0.021);
  EXPECT_GT((p(left) - stays).norm(), 0.005);
}

TEST_F(Together, OneMayBeFollowedAloneBeforeAndAfter) {
  wishes[1].status = SourceStatus::kSilent;
  wishes[0].v = {0.0, 0.0, 0.1};
  run(0.5);
  EXPECT_FALSE(arbiter.holding(left));
  wishes[1].status = SourceStatus::kActive;
  run(0.1);
  // both open their clutches, and hold nothing any more
  for (auto& wish : wishes) wish.status = SourceStatus::kSilent;
  run(0.9);
  wishes[0].status = SourceStatus::kActive;
  run(0.01);
  EXPECT_TRUE(arbiter.holding(left)) << "sooner than after a second";
  wishes[0].status = SourceStatus::kSilent;
  run(1.1);
  wishes[0].status = SourceStatus::kActive;
  run(0.01);
  EXPECT_FALSE(arbiter.holding(left));
}

TEST_F(Together, WithoutAuthorityOverOneTheOtherIsFreeAndANewOneBeginsAnew) {
  run(0.1);
  give(right, {});
  run(0.1);
  EXPECT_FALSE(arbiter.holding(left));
  engage(right, by_right);
  wishes[1].status = SourceStatus::kSilent;
  run(0.1);
  EXPECT_FALSE(arbiter.holding(left));
}

TEST_F(Together, AStopStopsBothAndASnapshotKeepsWhatTheyHold) {
  for (auto& wish : wishes) wish.v = {0.0, 0.1, 0.0};
  run(0.3);
  arbiter.stop("red button");
  run(0.5);
  EXPECT_EQ(arbiter.reason(right), "red button");
  arbiter.resume(moment);
  run(0.1);
  std::vector<std::byte> bytes;
  {
    StateArchive archive(bytes);
    arbiter.state(archive);
  }
  for (auto& wish : wishes) wish.status = SourceStatus::kSilent;
  run(2.0);
  StateArchive archive{std::span<const std::byte>(bytes)};
  arbiter.state(archive);
  wishes[0].status = SourceStatus::kActive;
  run(0.01);
  EXPECT_TRUE(arbiter.holding(left));
}

TEST_F(Together, AllocatesNothing) {
  run(0.1);
  wishes[0].status = SourceStatus::kSilent;
  const test::AllocationCount count;
  run(0.1);
  wishes[0].status = SourceStatus::kActive;
  run(0.1);
  EXPECT_EQ(count.count(), 0U);
}

TEST_F(Together, NoneHoldsTwice) {
  try {
    arbiter.hold_together({right, left});
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "'right_hand' is to hold together with others twice; name it once");
  }
}

}  // namespace hold_together_test
}  // namespace handspan
