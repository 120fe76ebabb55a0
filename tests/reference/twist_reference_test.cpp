// A twist: to what it integrates, its limits, where the arm does not follow, who has which axis.
#include "reference/twist_reference.hpp"

#include <gtest/gtest.h>

#include "core/random.hpp"
#include "reference/twist_support.hpp"
#include "support/alloc.hpp"

namespace handspan {
namespace twist_reference_test {

using test::TwistRig;
using test::TwistSource;
using test::TwistWish;

Vector6d twist(double vx, double vy, double vz, double wx = 0, double wy = 0, double wz = 0) {
  return (Vector6d() << vx, vy, vz, wx, wy, wz).finished();
}

struct Driven : TwistRig {
  explicit Driven(const std::string& arms_text, const std::string& reference = "{type: twist}",
                  const std::string& scene_text = test::kTwistScene)
      : TwistRig(arms_text, reference, scene_text) {
    source = arbiter.add_source("stick", std::make_unique<TwistSource>(wish));
    give(source);
  }
  TwistWish wish;
  SourceIndex source;
};

class TwistReferenceOf : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Controllers, TwistReferenceOf,
                         testing::Values(test::kTwistQp, test::kTwistLaw),
                         [](const auto& of) { return of.index == 0 ? "Qp" : "ResolvedRate"; });

TEST_P(TwistReferenceOf, IntegratesToThePoseOfTheArm) {
  Driven rig(GetParam());
  const Pose start = rig.measured().X_WE;
  Eigen::Vector3d p = start.p;
  Eigen::Matrix3d R = start.R;
  rig.wish.V_WE = twist(-0.05, 0.08, 0.05, 0.0, 0.1, 0.3);
  const auto integrate = [&] {
    const Vector6d& V = rig.reference().V_WE;
    p += 1e-3 * V.head<3>();
    R = exp_so3(1e-3 * V.tail<3>()) * R;
  };
  rig.run(2.0, integrate);
  EXPECT_TRUE(rig.reference().V_WE.isApprox(rig.wish.V_WE, 1e-9));
  EXPECT_TRUE(rig.arbiter.reference(rig.hand).arrived());
  rig.wish.V_WE.setZero();
  rig.run(1.0, integrate);
  EXPECT_TRUE(rig.arbiter.reference(rig.hand).at_rest());
  EXPECT_GT((p - start.p).norm(), 0.19);
  // the sum of its ticks, to rounding; the arm itself to what its drives and friction leave
  EXPECT_LT((rig.reference().X_WE.p - p).norm(), 1e-9);
  EXPECT_LT(angle_between(rig.reference().X_WE.R, R), 1e-9);
  EXPECT_LT((rig.measured().X_WE.p - p).norm(), 5e-3);
  EXPECT_LT(angle_between(rig.measured().X_WE.R, R), 0.02);
  EXPECT_LT(rig.arbiter.reference(rig.hand).leash_figures().distance, 0.08);
}

// 2.2 rad from its start joint7 is at its end: the twist goes on asking for 3 s more
TEST_P(TwistReferenceOf, AfterPushingAgainstTheEndOfAJointItMovesBackAtOnce) {
  Driven rig(GetParam());
  rig.wish.V_WE = twist(0, 0, 0, 0, 0, -1.0);
  double beyond = -HUGE_VAL, speed = 0.0;
  const auto look = [&] {
    const auto [b, s] = rig.beyond_limits();
    beyond = std::max(beyond, b);
    speed = std::max(speed, s);
  };
  rig.run(5.0, look);
  // the arm stands before the end, and the pose is where its way lets it be
  EXPECT_GT(beyond, -0.2);
  EXPECT_LT(std::abs(rig.measured().V_WE[5]), 0.2);
  EXPECT_LT(angle_between(rig.reference().X_WE.R, rig.measured().X_WE.R), 0.26);
  rig.wish.V_WE = twist(0, 0, 0, 0, 0, 1.0);
  rig.run(0.3, look);
  EXPECT_GT(rig.measured().V_WE[5], 0.5);
  rig.run(1.0, look);
  EXPECT_NEAR(rig.measured().V_WE[5], 1.0, 0.1);
  EXPECT_LT(beyond, 2e-3);
  EXPECT_LT(speed, 1.0);
}

// stretched out beyond reach and back
TEST_P(TwistReferenceOf, NothingWindsUpBeforeASingularPose) {
  Driven rig(GetParam());
  rig.wish.V_WE = twist(0.25, 0, 0);
  double beyond = -HUGE_VAL;
  const auto look = [&] { beyond = std::max(beyond, rig.beyond_limits().first); };
  rig.run(5.0, look);
  EXPECT_LT(rig.measured().V_WE.head<3>().norm(), 0.1);
  EXPECT_LT((rig.reference().X_WE.p - rig.measured().X_WE.p).norm(), 0.081);
  rig.wish.V_WE = twist(-0.25, 0, 0);
  const double x = rig.measured().X_WE.p.x();
  rig.run(1.0, look);
  EXPECT_LT(rig.measured().X_WE.p.x(), x - 0.05);
  EXPECT_LT(beyond, 2e-3);
}

// a wall that control does not know, 5 cm beside the plate
TEST_P(TwistReferenceOf, AfterPushingAgainstAWallItMovesBackAtOnce) {
  Driven rig(GetParam(), "{type: twist}",
             std::string(test::kTwistScene) +
                 "fixtures: {wall: {pose: {position: [0.4, 0.4, 0.5]}, shapes: [{type: box, size: "
                 "[1.0, 0.1, 1.0]}]}}\n");
  const double start = rig.measured().X_WE.p.y();
  rig.wish.V_WE = twist(0, 0.2, 0);
  rig.run(5.0);
  const Pose pressed = rig.measured().X_WE;
  // a metre was asked for, and the wall was in the way
  ASSERT_LT(pressed.p.y(), start + 0.45);
  EXPECT_LT(std::abs(rig.measured().V_WE[1]), 0.02);
  EXPECT_LT((rig.reference().X_WE.p - rig.task().X_WE().p).norm(), 0.081);
  // what control takes for its state is not far beyond the wall
  EXPECT_LT((rig.task().X_WE().p - pressed.p).norm(), 0.1);
  rig.wish.V_WE = twist(0, -0.2, 0);
  // the command comes back from beyond the wall; joint springs are 0.15 s behind it
  rig.run(0.8);
  EXPECT_LT(rig.measured().X_WE.p.y(), pressed.p.y() - 0.03);
}

TEST_P(TwistReferenceOf, ComesToRestWhenItIsStoppedAndStaysThere) {
  Driven rig(GetParam());
  rig.wish.V_WE = twist(0.0, 0.2, 0.0);
  rig.run(1.0);
  ASSERT_GT(rig.measured().V_WE[1], 0.15);
  rig.arbiter.stop("somebody pressed stop");
  rig.run(1.0);
  EXPECT_TRUE(rig.arbiter.reference(rig.hand).at_rest());
  const Pose rests = rig.measured().X_WE;
  EXPECT_LT(rig.measured().V_WE.norm(), 0.02);
  rig.run(1.0);
  EXPECT_LT((rig.measured().X_WE.p - rests.p).norm(), 1e-3);
  rig.arbiter.resume(rig.moment);
  rig.run(0.5);
  EXPECT_GT(rig.measured().V_WE[1], 0.15);
}

TEST_P(TwistReferenceOf, SilenceAndNonsenseBrakeIt) {
  for (const bool nonsense : {false, true}) {
    Driven rig(GetParam());
    rig.wish.V_WE = twist(0.0, 0.2, 0.0);
    rig.run(0.5);
    if (nonsense)
      rig.wish.V_WE[0] = std::nan("");
    else
      rig.wish.status = SourceStatus::kSilent;
    rig.run(1.0);
    EXPECT_TRUE(rig.arbiter.holding(rig.hand));
    EXPECT_TRUE(rig.arbiter.reference(rig.hand).at_rest()) << nonsense;
    EXPECT_TRUE(rig.reference().X_WE.p.allFinite());
  }
}

TEST_P(TwistReferenceOf, ATickAllocatesNothingOnTheHeap) {
  Driven rig(GetParam());
  rig.wish.V_WE = twist(0.1, 0.05, 0.05, 0.2, 0.1, 0.3);
  rig.run(0.05);
  for (int i = 0; i < 200; ++i) {
    rig.arms->observe(rig.plant.read(), rig.moment.tick);
    const test::AllocationCount allocations;
    rig.arbiter.update(rig.moment);
    rig.arms->solve(rig.command);
    ASSERT_EQ(allocations.count(), 0U) << "tick " << i;
    rig.plant.write(rig.command);
    rig.plant.advance();
    ++rig.moment.tick;
  }
}

TEST(TwistReference, KeepsItsLimitsWhateverIsAsked) {
  for (int run = 0; run < 10; ++run) {
    Driven rig(test::kTwistLaw,
               "{type: twist, speed: 0.3, acceleration: 2, jerk: 50, angular_speed: 1, "
               "angular_acceleration: 5, angular_jerk: 100}");
    RandomStream random(static_cast<std::uint64_t>(run), "twist");
    Vector6d V = Vector6d::Zero(), A = Vector6d::Zero();
    for (int i = 0; i < 3000; ++i) {
      if (i % 70 == 0)
        for (double& x : rig.wish.V_WE) x = random.uniform(-1.0, 1.0);
      rig.tick();
      const Vector6d V_next = rig.reference().V_WE, A_next = (V_next - V) / 1e-3;
      const double eps = 1e-6;
      // turning at full speed, a velocity goes round by no more than what braking across takes
      ASSERT_LE(V_next.head<3>().norm(), 0.3 * 1.05) << "run " << run << ", tick " << i;
      ASSERT_LE(V_next.tail<3>().norm(), 1.0 * 1.05) << "run " << run << ", tick " << i;
      ASSERT_LE(A_next.head<3>().norm(), 2.0 + eps) << "run " << run << ", tick " << i;
      ASSERT_LE(A_next.tail<3>().norm(), 5.0 + eps) << "run " << run << ", tick " << i;
      ASSERT_LE((A_next - A).head<3>().norm(), 0.05 + eps) << "run " << run << ", tick " << i;
      ASSERT_LE((A_next - A).tail<3>().norm(), 0.1 + eps) << "run " << run << ", tick " << i;
      V = V_next;
      A = A_next;
    }
  }
}

TEST(TwistReference, AuthorityIsByAxes) {
  TwistRig rig(test::kTwistLaw);
  TwistWish one, other;
  one.V_WE = twist(0.1, 0.1, 0.1, 0.1, 0.1, 0.1);
  other.V_WE = twist(-0.1, 0.05, 0.2, 0, 0, 0);
  const Authority authorities[] = {
      {rig.arbiter.add_source("one", std::make_unique<TwistSource>(one)),
       {true, true, false, false, false, false}},
      {rig.arbiter.add_source("other", std::make_unique<TwistSource>(other)),
       {false, true, true, false, false, false},
       3.0}};
  rig.arbiter.give_authority(rig.hand, authorities, rig.moment);
  rig.run(1.0);
  const Vector6d expected = twist(0.1, 0.25 * 0.1 + 0.75 * 0.05, 0.2);
  EXPECT_LT((rig.reference().V_WE - expected).norm(), 1e-9) << rig.reference().V_WE.transpose();
  // in the axes of the tool: along its x alone
  const Authority x{authorities[0].source, {true, false, false, false, false, false}};
  rig.arbiter.give_authority(rig.hand, {&x, 1}, rig.moment,
                             {AxesOf::kTool, Eigen::Matrix3d::Identity()});
  rig.run(1.0);
  const Eigen::Vector3d along = rig.reference().X_WE.R.col(0);
  const Eigen::Vector3d v = rig.reference().V_WE.head<3>();
  EXPECT_LT((v - along * along.dot(v)).norm(), 1e-9);
  EXPECT_NEAR(along.dot(v), along.dot(Eigen::Vector3d::Constant(0.1)), 1e-9);
}

std::string error_of(const std::string& arms, const std::string& reference) {
  try {
    TwistRig rig(arms, reference);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

std::string with_hand(const std::string& hand) {
  return "\narms: {left.arm: {feedback: commanded}}\ntasks:\n  hand: " + hand + "\n";
}

TEST(TwistReference, WhatIsWrongIsToldWithPlaceCauseAndHint) {
  EXPECT_EQ(error_of(test::kTwistQp, "{type: twist, leash: 0 m}"),
            "reference.yaml:1: leash is 0 m; it must be > 0");
  EXPECT_EQ(error_of(test::kTwistQp, "{type: twist, sped: 1}"),
            "reference.yaml:1: unknown key 'sped'; did you mean 'speed'?");
  EXPECT_EQ(error_of(with_hand("{type: twist, frame: left.tcp, stiffness: 0}"), "{type: twist}"),
            "arms.yaml:4: tasks.hand cannot be made: the task 'hand' has neither stiffness nor "
            "damping, so that "
            "nothing makes its frame move; give it a damping, such as 20");
  EXPECT_EQ(error_of(with_hand("{type: twist, frame: left.tpc}"), "{type: twist}"),
            "arms.yaml:4: tasks.hand cannot be made: there is no frame 'left.tpc'; did you mean "
            "'left.tcp'?");
  EXPECT_EQ(error_of(with_hand("{type: twist, frame: left.tcp, axes: [false, false, false, false, "
                               "false, false]}"),
                     "{type: twist}"),
            "arms.yaml:4: tasks.hand cannot be made: the task 'hand' controls no axis; set one of "
            "its axes to "
            "true");
}

}  // namespace twist_reference_test
}  // namespace handspan
