// Belts and kinematic bodies: what rides on them and what they push.
#include <gtest/gtest.h>

#include <cmath>

#include "plant_support.hpp"

namespace handspan {
namespace belt_test {

using test::advance;
using test::scene_of;

constexpr double kGravity = 9.81, kMu = 0.6;

// A parcel on a belt turned by `yaw`, with friction kMu between them.
Scene parcel_on_belt(double speed, double yaw = 0.0, const std::string& law = "friction: 0.6") {
  const std::string turn = std::to_string(yaw), v = std::to_string(speed);
  return scene_of(
      "objects:\n  parcel:\n    pose: {position: [0, 0, 0.057], rpy: [0, 0, " + turn +
      "]}\n    mass: 0.566\n"
      "    shapes: [{type: box, size: [0.272, 0.155, 0.114], material: cardboard}]\n"
      "belts:\n  conveyor: {pose: {position: [0, 0, -0.42], rpy: [0, 0, " +
      turn + "]}, size: [8, 1, 0.84], speed: " + v +
      "}\ncontact:\n  default: {friction: 1.2}\n  pairs: [{materials: [belt, cardboard], " + law +
      "}]\n");
}

// Where a thing put down at rest at time 0 is: friction drives it until it has the belt's speed.
double carried(double speed, double time) {
  const double a = kMu * kGravity, t_a = speed / a;
  return time < t_a ? 0.5 * a * time * time : 0.5 * a * t_a * t_a + speed * (time - t_a);
}

TEST(Belt, CarriesToTheAnalyticPosition) {
  for (const double speed : {0.4, 1.5, -0.4})
    for (const double yaw : {0.0, 0.7}) {
      const Scene scene = parcel_on_belt(speed, yaw);
      MujocoPlant plant(scene);
      const int parcel = plant.body("parcel");
      const Pose start = plant.body_pose(parcel);
      advance(plant, 1000);
      const Eigen::Vector3d moved = start.R.transpose() * (plant.body_pose(parcel).p - start.p);
      const double sign = speed > 0 ? 1.0 : -1.0;
      EXPECT_NEAR(moved[0], sign * carried(std::abs(speed), 1.0), 1e-3) << speed;
      EXPECT_LT(std::abs(moved[1]), 1e-4) << speed;
      const Vector6d V = plant.body_velocity(parcel);
      EXPECT_NEAR((start.R.transpose() * Eigen::Vector3d(V.head<3>()))[0], speed,
                  1e-3 * std::abs(speed));
    }
}

TEST(Belt, StopsWithWhatLiesOnIt) {
  const Scene scene = parcel_on_belt(1.5);
  MujocoPlant plant(scene);
  const int parcel = plant.body("parcel");
  advance(plant, 1000);
  const double x = plant.body_pose(parcel).p[0];
  plant.set_belt_speed("conveyor", 0.0);
  EXPECT_EQ(plant.belt_speed("conveyor"), 0.0);
  advance(plant, 1000);
  EXPECT_NEAR(plant.body_pose(parcel).p[0] - x, 1.5 * 1.5 / (2 * kMu * kGravity), 1e-3);
  EXPECT_LT(plant.body_velocity(parcel).norm(), 1e-4);
}

// MuJoCo ignores surface velocities when all were zero at compile time.
TEST(Belt, StartsFromRestWhileRunning) {
  const Scene scene = parcel_on_belt(0.0);
  MujocoPlant plant(scene);
  const int parcel = plant.body("parcel");
  advance(plant, 200);
  EXPECT_LT(std::abs(plant.body_pose(parcel).p[0]), 1e-6);
  plant.set_belt_speed("conveyor", 0.4);
  advance(plant, 1000);
  EXPECT_NEAR(plant.body_pose(parcel).p[0], carried(0.4, 1.0), 1e-3);
  plant.reset();
  EXPECT_EQ(plant.belt_speed("conveyor"), 0.0);
}

TEST(Belt, IsNamed) {
  const Scene scene = parcel_on_belt(0.4);
  MujocoPlant plant(scene);
  EXPECT_THROW(plant.set_belt_speed("parcel", 1.0), std::out_of_range);
  EXPECT_THROW(plant.belt_speed("belt"), std::out_of_range);
  EXPECT_THROW(plant.set_belt_speed("conveyor", std::nan("")), InputError);
  EXPECT_EQ(plant.belt_speed("conveyor"), 0.4);
}

// A puck shot across the belt: friction acts against the velocity relative to the surface, so the
// path is bent. The reference integrates a point with Coulomb friction at 1 us.
TEST(Belt, BendsADiagonalSlideAsCoulombSays) {
  for (const double belt : {0.4, 1.5}) {
    const Scene scene = scene_of(
        "objects:\n  puck:\n    pose: {position: [0, -0.6, 0.005]}\n    mass: 1\n"
        // flat, so that the normal load stays even
        "    shapes: [{type: cylinder, radius: 0.1, length: 0.01, material: steel}]\n"
        "belts:\n  conveyor: {pose: {position: [0, 0, -0.5]}, size: [8, 3, 1], speed: " +
        std::to_string(belt) +
        "}\ncontact:\n  pairs: [{materials: [belt, steel], friction: 0.25}]\n");
    MujocoPlant plant(scene);
    const int puck = plant.body("puck");
    Vector6d V = Vector6d::Zero();
    V[0] = -0.3;
    V[1] = 1.5;
    plant.set_object("puck", Pose::translation({0, -0.6, 0.005}), V);
    Eigen::Vector2d p(0, -0.6), v(-0.3, 1.5);
    const double h = 1e-5;
    for (int k = 0; k < 50000; ++k) {
      const Eigen::Vector2d slip = v - Eigen::Vector2d(belt, 0);
      const double drop = 0.25 * kGravity * h;
      v -= slip.norm() > drop ? Eigen::Vector2d(drop * slip.normalized()) : slip;
      p += h * v;
    }
    advance(plant, 500);
    const Eigen::Vector2d moved = plant.body_pose(puck).p.head<2>() - Eigen::Vector2d(0, -0.6);
    const Eigen::Vector2d expected = p - Eigen::Vector2d(0, -0.6);
    EXPECT_LT((moved - expected).norm(), 0.01 * expected.norm())
        << belt << ": " << moved.transpose() << " against " << expected.transpose();
    EXPECT_LT((plant.body_velocity(puck).head<2>() - v).norm(), 0.01 * 1.5) << belt;
  }
}

// A wall that moves along x from 0.2 s to 2.2 s at 0.25 m/s, against a box of 5 kg on a table.
const std::string kPusher =
    "objects:\n  box:\n    pose: {position: [0.3, 0, 0.1]}\n    mass: 5\n    shapes: [{type: box, "
    "size: [0.2, 0.2, 0.2]}]\n"
    "fixtures:\n  table:\n    pose: {position: [0, 0, -0.5]}\n    shapes: [{type: box, size: [4, "
    "4, 1]}]\n"
    "kinematic:\n  pusher:\n    shapes: [{type: box, size: [0.1, 0.6, 0.2]}]\n    motion:\n"
    "      - {time: 0.2, pose: {position: [0, 0, 0.1]}}\n      - {time: 2.2, pose: {position: "
    "[0.5, 0, 0.1]}}\n";

TEST(Kinematic, PushesWithItsOwnVelocity) {
  const Scene scene = scene_of(kPusher);
  MujocoPlant plant(scene);
  const int box = plant.body("box"), pusher = plant.body("pusher");
  double worst = 0.0, x = 0.0;
  for (int step = 1; step <= 3000; ++step) {
    plant.advance();
    const double t = std::clamp(1e-3 * step, 0.2, 2.2);
    worst = std::max(
        worst, (plant.body_pose(pusher).p - Eigen::Vector3d(0.25 * (t - 0.2), 0, 0.1)).norm());
    if (step < 1100 || step > 2100 || step % 100 != 0) continue;
    if (step > 1100) {
      EXPECT_NEAR((plant.body_pose(box).p[0] - x) / 0.1, 0.25, 0.0025) << step;
    }
    x = plant.body_pose(box).p[0];
  }
  EXPECT_LT(worst, 1e-9);  // not deflected by the box
  // the box met it at x = 0.15, rode until the end, and coasted on by friction 0.5
  EXPECT_NEAR(plant.body_pose(box).p[0], 0.5 + 0.05 + 0.1 + 0.25 * 0.25 / (2 * 0.5 * kGravity),
              2e-3);
  EXPECT_LT(plant.body_velocity(box).norm(), 1e-3);
  EXPECT_LT(plant.body_velocity(pusher).norm(), 1e-9);  // stands at its last waypoint
}

TEST(Kinematic, PassesThroughWhatNothingMoves) {
  const Scene scene = scene_of(
      kPusher +
      "  sunk:\n    shapes: [{type: box, size: [0.5, 0.5, 0.5], pose: {position: [0, 1, 0]}}]\n"
      "    motion: [{time: 0, pose: {}}]\n");
  MujocoPlant plant(scene);
  for (int step = 0; step < 100; ++step) {
    plant.advance();
    for (const Contact& contact : plant.contacts())
      EXPECT_TRUE(contact.body_a == plant.body("box") || contact.body_b == plant.body("box"));
  }
}

TEST(Kinematic, TurnsAlongTheShortestWay) {
  const Scene scene = scene_of(
      "kinematic:\n  arm:\n    shapes: [{type: box, size: [1, 0.1, 0.1]}]\n    motion:\n"
      "      - {time: 0, pose: {}}\n      - {time: 1, pose: {rpy: [0, 0, 90 deg]}}\n      - {time: "
      "2, pose: {rpy: [0, 0, 180 deg]}}\n");
  MujocoPlant plant(scene);
  const int arm = plant.body("arm");
  advance(plant, 500);
  EXPECT_NEAR(plant.body_velocity(arm)[5], M_PI / 2, 1e-9);
  EXPECT_NEAR(std::atan2(plant.body_pose(arm).R(1, 0), plant.body_pose(arm).R(0, 0)), M_PI / 4,
              1e-9);
  advance(plant, 1000);
  EXPECT_NEAR(std::atan2(plant.body_pose(arm).R(1, 0), plant.body_pose(arm).R(0, 0)), 3 * M_PI / 4,
              1e-9);
  advance(plant, 600);
  EXPECT_NEAR(plant.body_velocity(arm)[5], 0.0, 1e-12);
}

}  // namespace belt_test
}  // namespace handspan
