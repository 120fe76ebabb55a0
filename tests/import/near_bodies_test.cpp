#include "import/near_bodies.hpp"

#include <gtest/gtest.h>

#include <numbers>

#include "robot/model.hpp"

namespace handspan {
namespace near_bodies_test {

constexpr int kTimes = 2000;

int add_body(ModelDescription& d, const std::string& name, int parent, const Eigen::Vector3d& p,
             double radius) {
  BodyDescription body;
  body.name = name;
  body.parent = parent;
  body.X_PB.p = p;
  body.inertial.mass = 1.0;
  body.inertial.principal.setOnes();
  Shape ball;
  ball.name = name + "_ball";
  ball.size[0] = radius;
  body.shapes.push_back(ball);
  d.bodies.push_back(body);
  return static_cast<int>(d.bodies.size()) - 1;
}

void slide(ModelDescription& d, int body, double lower, double upper) {
  JointDescription joint;
  joint.name = d.bodies[static_cast<std::size_t>(body)].name + "_slide";
  joint.type = JointType::kPrismatic;
  joint.axis = Eigen::Vector3d::UnitX();
  joint.range = {lower, upper};
  d.bodies[static_cast<std::size_t>(body)].joints.push_back(joint);
}

// a post at the origin, and a ball beside it that slides along x from 0 to 1 m; both of radius 0.1
ModelDescription post_and_slider() {
  ModelDescription d;
  d.name = "sliders";
  const int root = add_body(d, "root", -1, {0.0, 0.0, -5.0}, 0.01);
  add_body(d, "post", root, {0.0, 0.0, 5.0}, 0.1);
  slide(d, add_body(d, "slider", root, {0.0, 0.0, 5.0}, 0.1), 0.0, 1.0);
  return d;
}

using Pair = std::pair<int, int>;

// a slider that is anywhere from 0 to 1 m overlaps up to 0.2 m: a fifth of all times
TEST(NearBodies, OverlapsAreAsOftenAsTheRangeHasThem) {
  const auto counts = near_counts(post_and_slider(), kTimes, 0.0);
  ASSERT_EQ(counts.size(), 1U);
  ASSERT_EQ(counts.begin()->first, Pair(1, 2));
  // five standard deviations
  EXPECT_NEAR(counts.at({1, 2}), 0.2 * kTimes, 5.0 * std::sqrt(0.16 * kTimes));
}

TEST(NearBodies, NearerThanIsMeasuredBetweenSurfaces) {
  const auto counts = near_counts(post_and_slider(), kTimes, 0.3);
  EXPECT_NEAR(counts.at({1, 2}), 0.5 * kTimes, 5.0 * std::sqrt(0.25 * kTimes));
  // all of the way
  EXPECT_EQ(near_counts(post_and_slider(), 100, 0.81).at({1, 2}), 100);
}

TEST(NearBodies, ConfigurationsAreTheSameEachTimeAndBeginWithNeutral) {
  EXPECT_EQ(near_counts(post_and_slider(), 300, 0.1), near_counts(post_and_slider(), 300, 0.1));
  EXPECT_EQ(near_counts(post_and_slider(), 1, 0.0).at({1, 2}), 1);
  EXPECT_TRUE(near_counts(post_and_slider(), 0, 0.0).empty());
}

TEST(NearBodies, ParentsAndWhatDoesNotCollideAreLeftOut) {
  ModelDescription d = post_and_slider();
  // a child that always overlaps its parent, and a drawing that overlaps all
  const int child = add_body(d, "child", 1, {0.0, 0.0, 0.05}, 0.1);
  const int drawn = add_body(d, "drawn", 0, {0.0, 0.0, 5.0}, 3.0);
  d.bodies[static_cast<std::size_t>(drawn)].shapes[0].collides = false;
  const auto counts = near_counts(d, 200, 0.0);
  EXPECT_FALSE(counts.contains({1, child}));
  for (const auto& [pair, count] : counts) EXPECT_NE(pair.second, drawn);
  // the child meets the slider as the post does, or nearly
  EXPECT_GT(counts.at({2, child}), 0);
}

// a mimic is where its master puts it: it runs away from the post, or along with the other
TEST(NearBodies, MimicsGoWithTheirMasters) {
  ModelDescription d = post_and_slider();
  const int follower = add_body(d, "follower", 0, {0.0, 0.0, 5.0}, 0.1);
  slide(d, follower, -3.0, 3.0);
  d.mimics.push_back({"follower_slide", "slider_slide", 1.0, 0.25});
  const auto counts = near_counts(d, kTimes, 0.0);
  // a quarter of a metre ahead of the slider at any time (neutral apart, where both are at zero)
  EXPECT_LE(counts.contains({2, follower}) ? counts.at({2, follower}) : 0, 1);
  // and so never at the post, but for neutral
  EXPECT_LE(counts.contains({1, follower}) ? counts.at({1, follower}) : 0, 1);
}

TEST(NearBodies, AJointWithoutARangeTurnsHalfATurnEachWay) {
  ModelDescription d;
  d.name = "turner";
  const int root = add_body(d, "root", -1, {0.0, 0.0, -5.0}, 0.01);
  // on a circle of 1 m; the post on it is met within 0.2 m of chord
  add_body(d, "post", root, {1.0, 0.0, 5.0}, 0.1);
  const int arm = add_body(d, "arm", root, {0.0, 0.0, 5.0}, 0.1);
  d.bodies[static_cast<std::size_t>(arm)].shapes[0].X_BG.p = {1.0, 0.0, 0.0};
  JointDescription joint;
  joint.name = "turn";
  d.bodies[static_cast<std::size_t>(arm)].joints.push_back(joint);
  const double share = 2.0 * 2.0 * std::asin(0.1) / (2.0 * std::numbers::pi);
  const auto counts = near_counts(d, kTimes, 0.0);
  EXPECT_NEAR(counts.at({1, 2}), share * kTimes, 5.0 * std::sqrt(share * (1 - share) * kTimes));
}

}  // namespace near_bodies_test
}  // namespace handspan
