// That what the bench times is the problem that it says, and does what it should.
#include "bench/control/two_arm_loop.hpp"

#include <gtest/gtest.h>

#include "bench/two_arms.hpp"
#include "support/alloc.hpp"

namespace handspan {
namespace two_arm_loop_test {

const std::filesystem::path kRoot = HANDSPAN_SOURCE_DIR;

constexpr TwoArmProblem kProblems[] = {TwoArmProblem::kWithoutCollision, TwoArmProblem::kAllLimits,
                                       TwoArmProblem::kManyPairs};

void step(TwoArmLoop& loop) {
  loop.refer();
  loop.tick();
  loop.integrate();
}

TEST(TwoArmLoop, IsOfTheRivalsRobot) {
  TwoArmLoop loop(TwoArmProblem::kWithoutCollision, kRoot);
  loop.refer();
  loop.tick();
  const RobotFolder arm = load_robot_folder(kRoot / "robots/fr3");
  const RobotModel both(two_arms(arm));
  RobotData data(both);
  Eigen::VectorXd q(14);
  q << arm.pose("ready")->q, arm.pose("ready")->q;
  const Eigen::MatrixXd M = mass_matrix(both, data, q);
  const ControlState& state = loop.arms().state();
  ASSERT_EQ(state.mechanisms.size(), 2U);
  EXPECT_LT((state.mechanisms[0].M - M.topLeftCorner(7, 7)).norm(), 1e-13);
  EXPECT_LT((state.mechanisms[1].M - M.bottomRightCorner(7, 7)).norm(), 1e-13);
  EXPECT_EQ(loop.arms().problem().qp().unknowns(), 14);
}

TEST(TwoArmLoop, HasAllLimitsAndEveryPairIsMeasured) {
  TwoArmLoop loop(TwoArmProblem::kAllLimits, kRoot);
  for (int i = 0; i < 100; ++i) step(loop);
  EXPECT_EQ(loop.pairs_near(), TwoArmLoop::kCollisionPairs);
  std::array<int, kConstraintKinds> rows{};
  const ControlProblem& problem = loop.arms().problem();
  for (int i = 0; i < static_cast<int>(problem.rows().size()); ++i)
    ++rows[static_cast<std::size_t>(problem.kind(i))];
  const auto of = [&](ConstraintKind kind) { return rows[static_cast<std::size_t>(kind)]; };
  EXPECT_EQ(of(ConstraintKind::kJointBox), 14);
  EXPECT_EQ(of(ConstraintKind::kTorque), 14);
  EXPECT_EQ(of(ConstraintKind::kJerk), 14);
  EXPECT_EQ(of(ConstraintKind::kCartesian), 16);
  EXPECT_GE(of(ConstraintKind::kCollision), TwoArmLoop::kCollisionPairs);
}

TEST(TwoArmLoop, WithManyPairsMeasuresEveryOneOfThem) {
  TwoArmLoop loop(TwoArmProblem::kManyPairs, kRoot);
  for (int i = 0; i < 1000; ++i) {
    step(loop);
    if (i % 100 == 0) {
      EXPECT_EQ(loop.pairs_near(), TwoArmLoop::kManyCollisionPairs) << i;
    }
  }
}

// TSID's hands remain within 0.006 mm of the circle; without the reference's acceleration they
// would be 2.5 mm away.
TEST(TwoArmLoop, AllProblemsFollowTheCircles) {
  for (const auto problem : kProblems) {
    TwoArmLoop loop(problem, kRoot);
    double largest = 0.0;
    for (int i = 0; i < 4000; ++i) {
      step(loop);
      if (i >= 2000) largest = std::max(largest, loop.error());
    }
    EXPECT_LT(largest, 1e-5);
    EXPECT_EQ(loop.arms().problem().counts().relaxed, 0U);
    EXPECT_EQ(loop.arms().problem().counts().failed, 0U);
  }
}

TEST(TwoArmLoopHeap, TheTimedTickDoesNotTouchTheHeap) {
  for (const auto problem : kProblems) {
    TwoArmLoop loop(problem, kRoot);
    step(loop);
    loop.refer();
    const test::AllocationCount allocations;
    for (int i = 0; i < 500; ++i) loop.tick();
    EXPECT_EQ(allocations.count(), 0U);
  }
}

// whoever runs the bench outside the tree: shipped robots are found by name from anywhere
TEST(TwoArmLoop, RunsFromAFolderWithoutRobots) {
  EXPECT_NO_THROW(TwoArmLoop(TwoArmProblem::kAllLimits, "/nonexistent"));
}

}  // namespace two_arm_loop_test
}  // namespace handspan
