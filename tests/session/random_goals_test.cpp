#include "session/random_goals.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "math/so3.hpp"
#include "session_support.hpp"
#include "support/alloc.hpp"

namespace handspan {
namespace random_goals_test {

App pair_app(const test::AppFolder& folder) { return folder.app(test::kPairArms); }

class RandomGoalsOfAPair : public testing::Test {
 protected:
  RandomGoalsOfAPair() : app_(pair_app(folder_)), session_(app_) {}
  RandomGoalsConfig config() const {
    RandomGoalsConfig config;
    config.task = "hand";
    config.centre = {0.4, 0.1, 0.5};
    config.radius = 0.3;
    config.max_turn = 0.8;
    config.period = 2.0;
    return config;
  }
  WholeArm& arms() { return *session_.whole_arm(); }
  const test::AppFolder folder_;
  const App app_;
  Session session_;
};

TEST_F(RandomGoalsOfAPair, AGoalLastsItsPeriod) {
  RandomGoals goals(config(), arms(), 1);
  EXPECT_EQ(goals.goals(), 0U);
  goals.update(5 * kSecond);
  EXPECT_EQ(goals.goals(), 1U);
  EXPECT_EQ(goals.since(), 5 * kSecond);
  const Eigen::Vector3d p = goals.task().reference().X_WE.p;
  goals.update(7 * kSecond - 1);
  EXPECT_EQ(goals.goals(), 1U);
  EXPECT_EQ(goals.task().reference().X_WE.p, p);
  goals.update(7 * kSecond);
  EXPECT_EQ(goals.goals(), 2U);
  EXPECT_EQ(goals.since(), 7 * kSecond);
  EXPECT_NE(goals.task().reference().X_WE.p, p);
}

// of points that are uniform in a ball the share within r is (r / R)^3, and no side is preferred
TEST_F(RandomGoalsOfAPair, GoalsAreUniformInTheBallAndTurnedUpToTheMost) {
  RandomGoals goals(config(), arms(), 2);
  const Eigen::Matrix3d start = goals.task().reference().X_WE.R;
  constexpr int kGoals = 4000;
  int inner = 0, turned_little = 0;
  Eigen::Vector3d mean = Eigen::Vector3d::Zero();
  for (int i = 0; i < kGoals; ++i) {
    goals.update(2 * kSecond * i);
    const PoseReference& goal = goals.task().reference();
    const Eigen::Vector3d d = goal.X_WE.p - config().centre;
    ASSERT_LE(d.norm(), 0.3 + 1e-12);
    inner += d.norm() < 0.15 ? 1 : 0;
    mean += d / kGoals;
    const double turn = angle_between(goal.X_WE.R, start);
    ASSERT_LE(turn, 0.8 + 1e-9);
    turned_little += turn < 0.4 ? 1 : 0;
    ASSERT_TRUE(goal.V_WE.isZero(0.0));
  }
  EXPECT_EQ(goals.goals(), static_cast<std::uint64_t>(kGoals));
  // five standard deviations
  EXPECT_NEAR(inner, kGoals / 8.0, 5.0 * std::sqrt(kGoals * 7.0 / 64.0));
  EXPECT_NEAR(turned_little, kGoals / 2.0, 5.0 * std::sqrt(kGoals / 4.0));
  // of each axis: a fifth of R^2
  EXPECT_LT(mean.lpNorm<Eigen::Infinity>(), 5.0 * 0.3 / std::sqrt(5.0 * kGoals));
}

TEST_F(RandomGoalsOfAPair, ASeedSaysAllAndASnapshotGoesOn) {
  const auto goal_after = [&](RandomGoals& goals, int first, int count) {
    for (int i = first; i < first + count; ++i) goals.update(2 * kSecond * i);
    return goals.task().reference().X_WE.p;
  };
  RandomGoals a(config(), arms(), 3), b(config(), arms(), 3), c(config(), arms(), 4);
  const Eigen::Vector3d fifth = goal_after(a, 0, 5);
  std::vector<std::byte> bytes;
  StateArchive save(bytes);
  a.state(save);
  const Eigen::Vector3d ninth = goal_after(a, 5, 4);
  EXPECT_EQ(goal_after(b, 0, 5), fifth);
  EXPECT_NE(goal_after(c, 0, 5), fifth);
  StateArchive load{std::span<const std::byte>(bytes)};
  c.state(load);
  EXPECT_EQ(goal_after(c, 5, 4), ninth);
  EXPECT_EQ(c.goals(), 9U);
}

TEST_F(RandomGoalsOfAPair, AreOfTasksThatAreFramesOnly) {
  RandomGoalsConfig posture = config();
  posture.task = "posture";
  try {
    RandomGoals goals(posture, arms(), 1);
    ADD_FAILURE();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(),
                 "goals are for tasks of type position or pose; 'posture' is another");
  }
  posture.task = "hend";
  try {
    RandomGoals goals(posture, arms(), 1);
    ADD_FAILURE();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("did you mean 'hand'?"), std::string::npos)
        << error.what();
  }
}

TEST_F(RandomGoalsOfAPair, AnUpdateAllocatesNothing) {
  RandomGoals goals(config(), arms(), 5);
  const test::AllocationCount allocations;
  for (int i = 0; i < 100; ++i) goals.update(kSecond * i);
  EXPECT_EQ(allocations.count(), 0U);
  EXPECT_EQ(goals.goals(), 50U);
}

}  // namespace random_goals_test
}  // namespace handspan
