// In whose axes authority is given, shares that change while a reference moves, and when a plan
// that a person shares is at its end.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "math/so3.hpp"
#include "reference/frame_reference.hpp"
#include "reference_support.hpp"
#include "support/alloc.hpp"

namespace handspan {
namespace authority_test {

const char* const kScene = R"(
robots:
  left: {robot: fr3, tool: plate, pose: ready}
)";
const char* const kArms = R"(
arms:
  left.arm: {feedback: commanded}
tasks:
  hand: {type: pose, frame: left.tcp, stiffness: 100}
  posture: {type: posture, robot: left, stiffness: 10, weight: 1.0e-3}
)";
constexpr Axes kFirst = {true, false, false, false, false, false};
constexpr Axes kOthers = {false, true, true, true, true, true};

class AuthorityTest : public ::testing::Test, protected test::ReferenceRig {
 protected:
  AuthorityTest()
      : ReferenceRig(kScene, kArms),
        hand(arbiter.find_reference("hand")),
        X_start(motion(hand).pose.X_WE) {
    for (int s = 0; s < 2; ++s) add_source("s" + std::to_string(s));
  }
  static Authority by(std::size_t source, const Axes& axes = kAllAxes, double share = 1.0) {
    return {SourceIndex{source}, axes, share, false};
  }
  Eigen::Vector3d moved() const { return motion(hand).pose.X_WE.p - X_start.p; }

  ReferenceIndex hand;
  Pose X_start;
};

// what the first source wants along R's first axis, and the second across it
Eigen::Vector3d split(const Eigen::Matrix3d& R, const Eigen::Vector3d& first,
                      const Eigen::Vector3d& second) {
  const Eigen::Matrix3d along = R.col(0) * R.col(0).transpose();
  return along * first + (Eigen::Matrix3d::Identity() - along) * second;
}

TEST_F(AuthorityTest, OfAFrameThatStandsStillItsAxesCount) {
  const Eigen::Matrix3d R_WA = exp_so3(Eigen::Vector3d(0.3, -0.2, 0.9));
  wishes[0].p = {0.1, 0.05, -0.02};
  wishes[1].p = {-0.04, 0.08, 0.03};
  wishes[1].turn = {0.0, 0.1, 0.2};
  give(hand, {by(0, kFirst), by(1, kOthers)}, {AxesOf::kFixed, R_WA});
  run(3.0);
  const Eigen::Vector3d expected = split(R_WA, wishes[0].p, wishes[1].p);
  EXPECT_TRUE(moved().isApprox(expected, 1e-6)) << moved().transpose();
  const Eigen::Vector3d turned = log_so3(motion(hand).pose.X_WE.R * X_start.R.transpose());
  EXPECT_TRUE(turned.isApprox(wishes[1].turn, 1e-6)) << turned.transpose();
}

TEST_F(AuthorityTest, OfTheToolTheyAreThoseOfTheReference) {
  wishes[0].p = {0.1, 0.05, -0.02};
  give(hand, {by(0, kFirst)}, {AxesOf::kTool, Eigen::Matrix3d::Identity()});
  run(3.0);
  const Eigen::Vector3d expected = split(X_start.R, wishes[0].p, Eigen::Vector3d::Zero());
  EXPECT_TRUE(moved().isApprox(expected, 1e-6))
      << moved().transpose() << " is not " << expected.transpose() << "; turned by "
      << log_so3(motion(hand).pose.X_WE.R * X_start.R.transpose()).transpose();
  EXPECT_GT(moved().norm(), 0.01);
}

TEST_F(AuthorityTest, OfTheOperatorTheyAreThoseOfTheFirstWhoIsNoPlan) {
  wishes[0].ends = true;  // its axes are nobody's
  wishes[0].R_WO = exp_so3(Eigen::Vector3d(1.0, 0.0, 0.0));
  wishes[1].R_WO = exp_so3(Eigen::Vector3d(0.0, 0.0, 0.7));
  wishes[0].p = {0.02, -0.06, 0.05};
  wishes[1].p = {0.1, 0.04, 0.0};
  give(hand, {by(0, kOthers), by(1, kFirst)}, {AxesOf::kOperator, Eigen::Matrix3d::Identity()});
  run(3.0);
  const Eigen::Vector3d expected = split(wishes[1].R_WO, wishes[1].p, wishes[0].p);
  EXPECT_TRUE(moved().isApprox(expected, 1e-6)) << moved().transpose();
}

TEST_F(AuthorityTest, BeforeAnyForceAContactHasTheWorldsAxes) {
  wishes[0].p = {0.1, 0.05, -0.02};
  give(hand, {by(0, kFirst)}, {AxesOf::kContact, Eigen::Matrix3d::Identity()});
  run(3.0);
  EXPECT_TRUE(moved().isApprox(Eigen::Vector3d(0.1, 0.0, 0.0), 1e-6)) << moved().transpose();
}

// A hand-over in a motion: what is left of it along an axis that nobody has any more.
// A reference whose arm feels a force that the test says.
class PressedReference : public FrameReference {
 public:
  using FrameReference::FrameReference;
  Eigen::Vector3d felt_force() const override { return F; }
  Eigen::Vector3d F = Eigen::Vector3d::Zero();
};

TEST_F(AuthorityTest, OfAContactTheThirdIsAlongTheForceThatWasFeltLast) {
  Arbiter pressed(events);
  auto made = std::make_unique<PressedReference>(task<FrameTask>("hand"), PoseReferenceLimits{});
  PressedReference& reference = *made;
  const ReferenceIndex r = pressed.add(std::move(made));
  test::Wish wish;
  const Authority along{
      pressed.add_source("s", std::make_unique<test::WishSource>(wish, kPoseKind)),
      {false, false, true, false, false, false}};
  pressed.start();
  const auto run_pressed = [&] {
    for (int i = 0; i < 3000; ++i) pressed.update(moment);
    return Eigen::Vector3d(reference.motion().pose.X_WE.p - X_start.p);
  };
  wish.p = {0.1, 0.05, -0.02};
  reference.F = {0.0, 20.0, 0.0};
  pressed.give_authority(r, {&along, 1}, moment, {AxesOf::kContact, Eigen::Matrix3d::Identity()});
  EXPECT_TRUE(run_pressed().isApprox(Eigen::Vector3d(0.0, 0.05, 0.0), 1e-6));
  // too small to be a force: the axes stay
  reference.F = {1.0, 0.0, 0.0};
  wish.p = {0.1, 0.02, -0.02};
  EXPECT_TRUE(run_pressed().isApprox(Eigen::Vector3d(0.0, 0.02, 0.0), 1e-6));
  // another one turns them
  reference.F = {20.0, 0.0, 0.0};
  EXPECT_TRUE(run_pressed().isApprox(Eigen::Vector3d(0.1, 0.02, 0.0), 1e-6));
}

TEST_F(AuthorityTest, AnAxisThatIsTakenAwayBrakesWhateverTheOthersDo) {
  for (const double dy : {1e-4, 1e-3, 0.05}) {
    wishes[0].p = {0.0, dy, 0.0};
    give(hand, {by(0)});
    run(0.03);
    const double y = moved().y(), v = std::abs(motion(hand).pose.V_WE[1]),
                 a = std::abs(motion(hand).pose.A_WE[1]);
    wishes[0].p = {0.1, -0.05, -0.02};
    give(hand, {by(0, kFirst)});
    double farthest = 0.0, y_after = 0.0;
    for (int i = 0; i < 1000; ++i) {
      run(0.001);
      farthest = std::max(farthest, std::abs(moved().y() - y));
      const PoseReference& now = motion(hand).pose;
      EXPECT_LE(now.A_WE.head<3>().norm(), 10.0 * (1.0 + 1e-6));
      if (i == 500) y_after = moved().y();
    }
    // with 0.6 of the limits of 10 m/s^2 and 500 m/s^3, from what it had, its acceleration first
    const double u = v + 0.5 * a * a / 300.0;
    EXPECT_LT(farthest, u * u / 12.0 + u * 6.0 / 600.0 + (u + v) * (a / 300.0 + 0.002) + 1e-9)
        << dy << ": " << v << " m/s, " << a << " m/s^2";
    EXPECT_DOUBLE_EQ(moved().y(), y_after);
    // back to where it began
    wishes[0].p = -moved();
    give(hand, {by(0)});
    run(2.0);
  }
}

TEST_F(AuthorityTest, AxesOfTheWorldGiveTheSameAsAFixedFrameOfIts) {
  wishes[0].p = {0.1, 0.05, -0.02};
  wishes[1].p = {-0.04, 0.08, 0.03};
  give(hand, {by(0, kFirst), by(1, kOthers)});
  run(0.2);
  const Eigen::Vector3d in_world = moved();
  test::ReferenceRig other(kScene, kArms);
  for (int s = 0; s < 2; ++s) {
    other.add_source("s" + std::to_string(s));
    other.wishes.back().p = wishes[static_cast<std::size_t>(s)].p;
  }
  const ReferenceIndex same = other.arbiter.find_reference("hand");
  other.give(same, {by(0, kFirst), by(1, kOthers)}, {AxesOf::kFixed, Eigen::Matrix3d::Identity()});
  other.run(0.2);
  EXPECT_TRUE((other.motion(same).pose.X_WE.p - X_start.p).isApprox(in_world, 1e-12));
  EXPECT_GT(in_world.norm(), 1e-3);
}

TEST_F(AuthorityTest, AShareMayChangeFromOneTickToTheNext) {
  wishes[0].p = {0.08, 0.0, 0.0};
  wishes[1].p = {0.0, 0.08, 0.0};
  give(hand, {by(0), by(1)});
  run(2.0);
  EXPECT_TRUE(moved().isApprox(Eigen::Vector3d(0.04, 0.04, 0.0), 1e-9)) << moved().transpose();
  wishes[0].share = 3.0;
  run(2.0);
  EXPECT_TRUE(moved().isApprox(Eigen::Vector3d(0.06, 0.02, 0.0), 1e-9)) << moved().transpose();
  // none: the other has all of it
  wishes[0].share = 0.0;
  run(2.0);
  EXPECT_TRUE(moved().isApprox(Eigen::Vector3d(0.0, 0.08, 0.0), 1e-9)) << moved().transpose();
}

TEST_F(AuthorityTest, AShareThatIsNoneHolds) {
  for (const double share :
       {-1.0, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    wishes[0].share = share;
    give(hand, {by(0)});
    run(0.1);
    EXPECT_TRUE(arbiter.holding(hand));
    EXPECT_NE(arbiter.reason(hand).find("not a number from 0 on"), std::string_view::npos)
        << arbiter.reason(hand);
  }
}

TEST_F(AuthorityTest, APersonBesideAPlanDoesNotKeepItFromItsEnd) {
  wishes[0].ends = true;
  wishes[0].p = {0.05, 0.0, 0.0};
  give(hand, {by(0, kFirst), by(1, kOthers)});
  run(2.0);
  EXPECT_FALSE(arbiter.done(hand));
  wishes[0].status = SourceStatus::kDone;
  run(0.1);
  EXPECT_TRUE(arbiter.done(hand));
  // not while the person moves it away from where both want it
  wishes[1].p = {0.0, 0.05, 0.0};
  run(0.01);
  EXPECT_FALSE(arbiter.done(hand));
  run(2.0);
  EXPECT_TRUE(arbiter.done(hand));
}

TEST_F(AuthorityTest, APersonAloneHasNoEnd) {
  give(hand, {by(0)});
  run(1.0);
  EXPECT_FALSE(arbiter.done(hand));
}

TEST_F(AuthorityTest, NoTickInTurnedAxesTouchesTheHeap) {
  const Eigen::Matrix3d R_WA = exp_so3(Eigen::Vector3d(0.3, -0.2, 0.9));
  wishes[0].p = {0.1, 0.05, -0.02};
  give(hand, {by(0, kFirst), by(1, kOthers)}, {AxesOf::kFixed, R_WA});
  run(0.01);
  const test::AllocationCount count;
  run(0.1);
  EXPECT_EQ(count.count(), 0U);
}

}  // namespace authority_test
}  // namespace handspan
