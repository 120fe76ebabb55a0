#include "learn/pose_promp.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "core/error.hpp"
#include "learn/grab_demonstrations.hpp"
#include "support/message_of.hpp"

namespace handspan {
namespace pose_promp_test {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using test::grab_demonstrations;
using test::kBoxAxes;
using test::kHandNames;
using test::message_of;

Pose any_pose(RandomStream& random, double most_turn) {
  return {exp_so3(random.uniform(0.0, most_turn) * random.direction()),
          random.uniform(0.0, 1.0) * random.direction()};
}

TEST(PosePromp, CoordinatesComeBack) {
  for (int run = 0; run < 200; ++run) {
    SCOPED_TRACE(run);
    RandomStream random(static_cast<std::uint64_t>(run), "pose");
    const Pose X = any_pose(random, 2.7);
    const Matrix3d R_WM = exp_so3(random.uniform(0.0, 3.0) * random.direction());
    const Pose turned{X.R * R_WM, X.p};
    const Pose back = pose_of_coordinates(pose_coordinates(turned, R_WM), R_WM);
    EXPECT_LT((back.R - turned.R).norm() + (back.p - turned.p).norm(), 1e-13);
  }
}

TEST(PosePromp, TwistsAreThoseOfThePoses) {
  for (int run = 0; run < 100; ++run) {
    SCOPED_TRACE(run);
    RandomStream random(static_cast<std::uint64_t>(run), "twist");
    Vector6d at, rate;
    at << random.direction(), random.uniform(0.0, 2.7) * random.direction();
    rate << random.direction(), random.direction();
    const Matrix3d R_WM = exp_so3(2.0 * random.direction());
    const double h = 1e-6;
    const Pose low = pose_of_coordinates(at - h * rate, R_WM),
               high = pose_of_coordinates(at + h * rate, R_WM);
    EXPECT_LT((pose_difference(low, high) / (2.0 * h) - twist_of_coordinates(at, rate)).norm(),
              1e-8);
  }
}

TEST(PosePromp, MeanOrientationIsInTheMiddle) {
  const Matrix3d R = exp_so3({0.3, -1.0, 2.0});
  std::vector<Matrix3d> all;
  for (const double angle : {-0.4, -0.1, 0.1, 0.4})
    all.push_back(exp_so3(Vector3d(0.0, angle, 0.0)) * R);
  EXPECT_LT((mean_orientation(all) - R).norm(), 1e-14);
  EXPECT_EQ(message_of([] { mean_orientation({}); }),
            "there is no orientation to take the mean of; give one at least, all finite");
  EXPECT_EQ(message_of([] {
              mean_orientation({Matrix3d::Identity(), exp_so3({M_PI, 0, 0}), exp_so3({0, M_PI, 0}),
                                exp_so3({0, 0, M_PI})});
            }),
            "orientations point in all directions and have no mean; learn from movements that "
            "turn less");
}

TEST(PosePromp, HandsGoToABoxThatIsElsewhere) {
  const auto grabs = grab_demonstrations(20, 1, 600);
  const auto [ante, post] = learn_impact_promps(grabs.all, grabs.impacts, kHandNames, kBoxAxes);
  // within and a little beyond where the boxes were
  for (const Vector3d& off : {Vector3d(0.05, 0.0, 0.0), Vector3d(-0.05, 0.05, 0.1)}) {
    const Pose X_WB = Pose::from_rpy({0.6 + off[0], 0.4 + off[1], 0.29}, {0, 0, 0.5 + off[2]});
    const PosePromp before = conditioned_on_box(ante, X_WB), after = conditioned_on_box(post, X_WB);
    EXPECT_EQ(before.promp.context_count(), 0);
    PrompState state(before.promp), state_after(after.promp);
    promp_at(before.promp, 1.0, before.promp.duration, state);
    promp_at(after.promp, 0.0, after.promp.duration, state_after);
    for (int hand = 0; hand < 2; ++hand) {
      const Pose side = X_WB * Pose::from_rpy({0.0, hand == 0 ? 0.15 : -0.15, 0.0}, {M_PI_2, 0, 0});
      const Pose X_WE = mean_pose(before, state, hand);
      // rotation vectors curve a little where the box turns: by 3 mrad at 0.1 rad
      EXPECT_LT((X_WE.p - side.p).norm(), 2e-3);
      EXPECT_LT(angle_between(X_WE.R, side.R), 0.01);
      // ante ends where post begins, and velocities jump there
      EXPECT_LT((mean_pose(after, state_after, hand).p - X_WE.p).norm(), 2e-3);
      const Vector3d inward = X_WB.R.col(1) * (hand == 0 ? -1.0 : 1.0);
      EXPECT_NEAR(inward.dot(mean_twist(state, hand).head<3>()), 0.3 / 1.05, 0.03);
      EXPECT_NEAR(mean_twist(state_after, hand)[2], 0.2, 0.02);
    }
  }
}

TEST(PosePromp, GoesOnBeyondTheImpactAtItsVelocity) {
  const auto grabs = grab_demonstrations(10, 2);
  const auto movement = learn_impact_promps(grabs.all, grabs.impacts, kHandNames, kBoxAxes).ante;
  PrompState at(movement.promp), beyond(movement.promp);
  const double duration = movement.promp.duration;
  promp_at(movement.promp, 1.0, duration, at);
  promp_at(movement.promp, 1.0 + 0.05 / duration, duration, beyond);
  EXPECT_LT((beyond.position - at.position - 0.05 * at.velocity).norm(), 1e-12);
  EXPECT_GT(at.velocity.norm(), 0.2);
}

TEST(PosePromp, PassesAPose) {
  const auto grabs = grab_demonstrations(20, 3);
  const auto movement = learn_pose_promp(grabs.all, kHandNames, {});
  PrompState state(movement.promp);
  promp_at(movement.promp, 0.5, 1.0, state);
  Pose X_WE = mean_pose(movement, state, 1);
  X_WE.p.x() += 0.02;
  const PosePromp given{movement.frames,
                        conditioned(movement.promp, via_pose(movement, 1, 0.5, X_WE))};
  promp_at(given.promp, 0.5, 1.0, state);
  EXPECT_LT((mean_pose(given, state, 1).p - X_WE.p).norm(), 1e-9);
  EXPECT_LT(angle_between(mean_pose(given, state, 1).R, X_WE.R), 1e-9);
}

TEST(PosePromp, EqualDemonstrationsGiveEqualBits) {
  const auto grabs = grab_demonstrations(6, 4);
  const auto a = learn_pose_promp(grabs.all, kHandNames, kBoxAxes),
             b = learn_pose_promp(grabs.all, kHandNames, kBoxAxes);
  EXPECT_TRUE(a.promp.mean == b.promp.mean);
  EXPECT_TRUE(a.promp.covariance == b.promp.covariance);
}

template <class F>
std::string refusal(F&& change) {
  auto grabs = grab_demonstrations(6, 5);
  auto hands = kHandNames;
  auto axes = kBoxAxes;
  change(grabs, hands, axes);
  return message_of([&] { learn_impact_promps(grabs.all, grabs.impacts, hands, axes); });
}

TEST(PosePromp, BadDemonstrationsAreNamed) {
  EXPECT_EQ(refusal([](auto&, auto&, auto&) {}), "no error");
  EXPECT_EQ(refusal([](auto& g, auto&, auto&) { g.all.clear(), g.impacts.clear(); }),
            "there are 0 demonstrations of 2 hands; give two demonstrations at least, and a hand");
  EXPECT_EQ(refusal([](auto& g, auto&, auto&) { g.all[2].hands.pop_back(); }),
            "demonstration 'grab 2' has 1 hands and 2 are named; name each");
  EXPECT_EQ(refusal([](auto& g, auto&, auto&) { g.all[1].hands[1].pop_back(); }),
            "demonstration 'grab 1' has 150 times and 149 poses of hand 'right'; give a pose for "
            "each time");
  EXPECT_EQ(refusal([](auto& g, auto&, auto&) { g.all[1].hands[0][0].p.x() = std::nan(""); }),
            "demonstration 'grab 1': the pose of hand 'left' at 0 s is not finite; leave out what "
            "was not measured");
  EXPECT_EQ(refusal([](auto& g, auto&, auto&) { g.all[3].X_WB.reset(); }),
            "demonstration 'grab 3' does not say where its box was; give its pose, or learn "
            "without the box");
  EXPECT_EQ(refusal([](auto& g, auto&, auto&) {
              Pose& X = g.all[4].hands[1][80];
              X.R = (X.R * exp_so3({3.1, 0.0, 0.0})).eval();
            }).substr(0, 44),
            "demonstration 'grab 4': an orientation is 17");
  EXPECT_EQ(refusal([](auto& g, auto&, auto&) { g.impacts.pop_back(); }),
            "there are 6 demonstrations and 5 times of impacts; give one for each");
  EXPECT_EQ(refusal([](auto&, auto&, auto& axes) { axes = {1, 0}; }),
            "number 2 of the box's axes is 0; give each once and rising, from 0 for x to 5 for rz");
  EXPECT_EQ(refusal([](auto&, auto&, auto& axes) { axes = {0, 1, 2}; }),
            "context 3 is 0.29 in all demonstrations; nothing can be learned about it: leave it "
            "out");
  EXPECT_EQ(refusal([](auto& g, auto&, auto&) { g.all.resize(4), g.impacts.resize(4); }),
            "there are 4 demonstrations for a covariance with 3 numbers of context; give 5 at "
            "least, or less context");
}

TEST(PosePromp, ThereIsNoThirdHand) {
  const auto movement = learn_pose_promp(grab_demonstrations(6, 5).all, kHandNames, {});
  EXPECT_EQ(message_of([&] { via_pose(movement, 2, 0.5, Pose()); }),
            "a pose is asked of hand 2; the movement has the hands 0 to 1");
}

}  // namespace pose_promp_test
}  // namespace handspan
