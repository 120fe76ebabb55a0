// How bodies meet in a simulated scene: Coulomb friction a pair of materials, restitution, contact
// lists.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "plant_support.hpp"

namespace handspan {
namespace contact_test {

using test::advance;
using test::scene_of;

constexpr double kGravity = 9.81;

// A block on a plane inclined by `angle`, of materials ice and wood, whose row (if any) has
// `friction`. The plane sinks along -x: a slide goes there.
Scene incline(double angle, const std::string& contact) {
  const double h = 0.05;  // half height of the block
  const Eigen::AngleAxisd R(-angle, Eigen::Vector3d::UnitY());
  const Eigen::Vector3d p = R * Eigen::Vector3d(0, 0, h + 0.25);
  const auto f = [](double x) { return std::to_string(x); };
  return scene_of(
      "objects:\n  block:\n    pose: {position: [" + f(p[0]) + ", 0, " + f(p[2]) + "], rpy: [0, " +
      f(-angle) +
      ", 0]}\n    mass: 3\n    shapes: [{type: box, size: [0.3, 0.3, 0.1], material: ice}]\n"
      "fixtures:\n  plane:\n    pose: {rpy: [0, " +
      f(-angle) + ", 0]}\n    shapes: [{type: box, size: [20, 2, 0.5], material: wood}]\n" +
      contact);
}

// Distance slid down the plane over `seconds`, after a tenth of a second in which the contact
// settles, and the speed then and at the end.
struct Slide {
  double distance, v_start, v_end;
};
Slide slide(const Scene& scene, double angle, int milliseconds) {
  MujocoPlant plant(scene);
  const int block = plant.body("block");
  const Eigen::Vector3d down(-std::cos(angle), 0.0, -std::sin(angle));
  advance(plant, 100);
  const Pose start = plant.body_pose(block);
  const double v = down.dot(plant.body_velocity(block).head<3>());
  advance(plant, milliseconds);
  return {down.dot(plant.body_pose(block).p - start.p), v,
          down.dot(plant.body_velocity(block).head<3>())};
}

std::string row(double friction) {
  return "contact:\n  default: {friction: 1.5}\n  pairs: [{materials: [ice, wood], friction: " +
         std::to_string(friction) + "}]\n";
}

TEST(Friction, OfAPairHoldsBelowItsAngle) {
  for (const double mu : {0.1, 0.3, 0.6, 1.0}) {
    const double angle = std::atan(0.97 * mu);
    const Slide s = slide(incline(angle, row(mu)), angle, 1000);
    // what creeps is the regularisation's: 1/100 of the normal direction's
    EXPECT_LT(std::abs(s.distance), 1e-3) << mu;
    EXPECT_LT(std::abs(s.v_end), 1e-3) << mu;
  }
}

TEST(Friction, OfAPairLetsSlideAboveItsAngle) {
  for (const double mu : {0.0, 0.1, 0.3, 0.6}) {
    const double angle = std::atan(mu + 0.2);
    const Slide s = slide(incline(angle, row(mu)), angle, 1000);
    const double a = kGravity * (std::sin(angle) - mu * std::cos(angle));
    // of the friction's own acceleration, or of the slope's without any
    const double one_percent =
        0.01 * kGravity * (mu > 0.0 ? mu * std::cos(angle) : std::sin(angle));
    EXPECT_NEAR(s.v_end - s.v_start, a, one_percent) << mu;
    EXPECT_NEAR(s.distance, s.v_start + 0.5 * a, one_percent) << mu;
  }
}

// MuJoCo's friction lifts what slides fast; with less damping of slip it stays on the ground, and
// still holds at rest.
TEST(Friction, WithLittleDampingSlidesWithoutHops) {
  const double mu = 0.6, angle = std::atan(mu + 0.2),
               a = kGravity * (std::sin(angle) - mu * std::cos(angle));
  const auto law = [](const char* more) {
    return std::string("contact: {pairs: [{materials: [ice, wood], friction: 0.6") + more + "}]}\n";
  };
  const auto lost = [&](const char* more) {
    const Scene scene = incline(angle, law(more));
    MujocoPlant plant(scene);
    int steps = 0;
    for (int step = 0; step < 1000; ++step) {
      plant.advance();
      steps += step > 50 && plant.contacts().empty();
    }
    return steps;
  };
  EXPECT_LT(4 * lost(", friction_damping: 5"), lost(""));
  const Slide s = slide(incline(angle, law(", friction_damping: 5")), angle, 1000);
  EXPECT_NEAR(s.v_end - s.v_start, a, 0.01 * a);
  const double below = std::atan(0.97 * mu);
  EXPECT_LT(std::abs(slide(incline(below, law(", friction_damping: 5")), below, 1000).distance),
            1e-3);
}

// MuJoCo would take the larger of two geoms' coefficients, so that a low one next to a high default
// would be lost.
TEST(Friction, WithoutARowIsTheDefault) {
  const double mu = 0.4, angle = std::atan(mu + 0.2),
               a = kGravity * (std::sin(angle) - mu * std::cos(angle));
  const Slide s = slide(incline(angle, "contact: {default: {friction: 0.4}}\n"), angle, 1000);
  EXPECT_NEAR(s.v_end - s.v_start, a, 0.01 * a);
}

// A ball of radius 0.1 m dropped by `height` through a scene file.
Scene drop(const std::string& law, double height, const std::string& more = "") {
  return scene_of("objects:\n  ball:\n    pose: {position: [0, 0, " + std::to_string(0.1 + height) +
                  "]}\n    mass: 0.7\n    shapes: [{type: sphere, radius: 0.1, material: rubber}]\n"
                  "fixtures:\n  floor:\n    pose: {position: [0, 0, -0.5]}\n    shapes: [{type: "
                  "box, size: [2, 2, 1], material: stone}]\n"
                  "contact:\n  pairs: [{materials: [stone, rubber], " +
                  law + "}]\n" + more);
}

// Speed after the first impact over the speed before it.
double rebound(const Scene& scene) {
  MujocoPlant plant(scene);
  const int ball = plant.body("ball");
  double before = 0.0, v = 0.0;
  bool touched = false;
  for (int step = 0; step < 3000; ++step) {
    const double v_before_step = v;
    plant.advance();  // contacts are those that acted in it
    v = plant.body_velocity(ball)[2];
    if (touched && plant.contacts().empty()) return -v_before_step / before;
    if (!touched && !plant.contacts().empty()) {
      touched = true;
      before = v_before_step;
    }
  }
  EXPECT_TRUE(touched);
  return -v / before;
}

// Over eight heights about 1.3 m, which fall into a step's phases by chance.
struct Rebound {
  double mean = 0.0, least = 1e9, most = -1e9;
};
Rebound rebounds(const std::string& law, const std::string& more = "") {
  Rebound out;
  for (int i = 0; i < 8; ++i) {
    const double e = rebound(drop(law, 1.3 + 0.0123 * i, more));
    out.mean += e / 8;
    out.least = std::min(out.least, e);
    out.most = std::max(out.most, e);
  }
  return out;
}

TEST(Restitution, OfADroppedBallIsAsked) {
  for (const double e : {0.0, 0.15, 0.5, 0.9}) {
    const Rebound r = rebounds("restitution: " + std::to_string(e));
    EXPECT_NEAR(r.mean, e, 0.02) << e;
    // a step's phase and the weight during the contact
    EXPECT_NEAR(r.least, e, 0.05) << e;
    EXPECT_NEAR(r.most, e, 0.05) << e;
  }
}

TEST(Restitution, HoldsForOtherStepsStiffnessAndImpedance) {
  EXPECT_NEAR(rebounds("restitution: 0.5, stiffness: 1e4").mean, 0.5, 0.02);
  EXPECT_NEAR(rebounds("restitution: 0.5, impedance: [0.5, 0.6, 0.001]").mean, 0.5, 0.02);
  EXPECT_NEAR(rebounds("restitution: 0.15, stiffness: 1e5", "physics: {timestep: 0.25 ms}\n").mean,
              0.15, 0.02);
}

// A box, sharp or rounded by balls in its corners, meets a belt without weight, turned by `tilt`
// about y: the speed of what touches after the impact over that before.
double box_rebound(double e, double tilt, bool rounded, double phase) {
  std::string shapes = "{type: box, size: [0.2, 0.16, 0.12], material: rubber}";
  if (rounded) {
    shapes.clear();
    for (int i = 0; i < 8; ++i)
      shapes += std::string(i > 0 ? ", " : "") +
                "{type: sphere, radius: 0.005, material: rubber, pose: {position: [" +
                (i & 1 ? "" : "-") + "0.095, " + (i & 2 ? "" : "-") + "0.075, " +
                (i & 4 ? "" : "-") + "0.055]}}";
  }
  const Scene scene = scene_of(
      "objects:\n  box:\n    pose: {position: [0, 0, 1]}\n    mass: 0.5\n"
      "    inertia: [[1.7e-3, 0, 0], [0, 2.3e-3, 0], [0, 0, 2.7e-3]]\n    center_of_mass: [0, 0, 0]"
      "\n    shapes: [" +
      shapes +
      "]\n"
      "belts:\n  belt:\n    pose: {position: [0, 0, -0.5]}\n    size: [4, 2, 1]\n    speed: 0\n"
      "    material: stone\n"
      "contact:\n  pairs: [{materials: [stone, rubber], friction: 0, restitution: " +
      std::to_string(e) + "}]\nphysics: {gravity: [0, 0, 0]}\n");
  MujocoPlant plant(scene);
  const int box = plant.body("box");
  const Pose start = Pose::from_rpy({0, 0, 0}, {0, tilt, 0});
  // the edge that is lowest with this tilt, or the middle of the face
  const double r = rounded ? 0.005 : 0.0, x = tilt > 0.0 ? 0.1 - r : 0.0;
  const Eigen::Vector3d ball_B(x, 0, -0.06 + r);
  const auto arm = [&](const Eigen::Matrix3d& R) {
    return Eigen::Vector3d(R * ball_B - r * Eigen::Vector3d::UnitZ());
  };
  constexpr double kSpeed = 0.1;
  Vector6d V = Vector6d::Zero();
  V[2] = -kSpeed;
  plant.set_object(
      "box", {start.R, Eigen::Vector3d(0, 0, -arm(start.R)[2] + (3 + phase) * 1e-3 * kSpeed)}, V);
  bool touched = false;
  for (int i = 0; i < 500; ++i) {
    plant.advance();
    if (!plant.contacts().empty()) touched = true;
    if (touched && plant.contacts().empty()) break;
  }
  EXPECT_TRUE(touched);
  const Vector6d after = plant.body_velocity(box);
  return (after[2] + after.tail<3>().cross(arm(plant.body_pose(box).R))[2]) / kSpeed;
}

// Slowly: a contact lasts pi / sqrt(k) = 16 ms, and a box that turns at w meanwhile lifts its
// corner, l from the middle, by w^2 l times that.
TEST(Restitution, OfABoxIsAskedFlatAndOnItsEdge) {
  for (const bool rounded : {false, true})
    for (const double tilt : {0.0, 0.3})
      for (const double e : {0.05, 0.15, 0.5}) {
        double mean = 0.0;
        for (int i = 0; i < 8; ++i) mean += box_rebound(e, tilt, rounded, i / 8.0) / 8;
        EXPECT_NEAR(mean, e, 0.02) << (rounded ? "rounded " : "sharp ") << tilt << " " << e;
      }
}

TEST(Gravity, MayBeZeroOrElsewhere) {
  const Scene nowhere = drop("friction: 1", 1.0, "physics: {gravity: [0, 0, 0]}\n");
  MujocoPlant weightless(nowhere);
  advance(weightless, 1000);
  EXPECT_EQ(weightless.body_pose(weightless.body("ball")).p, Eigen::Vector3d(0, 0, 1.1));
  const Scene sideways = drop("friction: 1", 1.0, "physics: {gravity: [1, 2, 0]}\n");
  MujocoPlant plant(sideways);
  advance(plant, 1000);
  EXPECT_LT((plant.body_velocity(plant.body("ball")).head<3>() - Eigen::Vector3d(1, 2, 0)).norm(),
            1e-12);
}

TEST(Contacts, SumToTheWeightAndPointFromAIntoB) {
  const Scene scene = scene_of(
      "objects:\n  box:\n    pose: {position: [0.3, 0.2, 0.1], rpy: [0, 0, 0.4]}\n    mass: 2\n"
      "    shapes: [{type: box, size: [0.2, 0.3, 0.2]}]\n"
      "fixtures:\n  table:\n    pose: {position: [0, 0, -0.1]}\n    shapes: [{type: box, size: [2, "
      "2, 0.2]}]\n");
  MujocoPlant plant(scene);
  advance(plant, 1000);
  ASSERT_GE(plant.contacts().size(), 3U);
  const int box = plant.body("box"), table = plant.body("table");
  const Pose X_WB = plant.body_pose(box);
  Eigen::Vector3d force = Eigen::Vector3d::Zero(), moment = Eigen::Vector3d::Zero();
  for (const Contact& contact : plant.contacts()) {
    ASSERT_EQ(std::minmax(contact.body_a, contact.body_b), std::minmax(box, table));
    const double sign = contact.body_b == box ? 1.0 : -1.0;  // of the force on the box
    EXPECT_NEAR(contact.n_W.norm(), 1.0, 1e-12);
    EXPECT_NEAR(sign * contact.n_W[2], 1.0, 1e-6);  // from the table up into the box
    EXPECT_GE(contact.f_W.dot(contact.n_W), 0.0);   // pushes apart
    EXPECT_NEAR(contact.p_W[2], 0.0, 1e-3);
    const Eigen::Vector3d p_B = X_WB.inverse() * contact.p_W;
    EXPECT_NEAR(std::abs(p_B[0]), 0.1, 1e-6);
    EXPECT_NEAR(std::abs(p_B[1]), 0.15, 1e-6);
    EXPECT_GT(contact.depth, 0.0);
    EXPECT_LT(contact.depth, 1e-3);
    force += sign * contact.f_W;
    moment += (contact.p_W - X_WB.p).cross(sign * contact.f_W);
  }
  EXPECT_LT((force - Eigen::Vector3d(0, 0, 2 * kGravity)).norm(), 1e-4 * 2 * kGravity);
  EXPECT_LT(moment.norm(), 1e-4);
  EXPECT_EQ(plant.contacts_left_out(), 0U);
}

// A ball rolls down the slope of a tray and is held by the wall; a marble in the middle of the tray
// stays.
TEST(Tray, KeepsWhatIsInItByItsEdges) {
  const Scene scene = scene_of(
      "objects:\n  ball:\n    pose: {position: [0, 0, 0.03]}\n    mass: 0.1\n    shapes: [{type: "
      "sphere, radius: 0.03}]\n"
      "fixtures:\n  tray:\n    shapes: [{type: tray, size: [0.4, 0.3, 0.05], wall: 0.02}]\n"
      "physics: {gravity: [1, 0, -9.81]}\n");
  MujocoPlant plant(scene);
  advance(plant, 3000);
  const Pose X_WB = plant.body_pose(plant.body("ball"));
  EXPECT_NEAR(X_WB.p[0], 0.2 - 0.03, 2e-3);  // rests at the wall
  EXPECT_NEAR(X_WB.p[2], 0.03, 1e-3);
}

TEST(Mesh, RestsOnItsHull) {
  const test::TemporaryFolder folder;
  // a wedge, wide at its base
  folder.write("wedge.obj",
               "v -0.1 -0.1 0\nv 0.1 -0.1 0\nv 0.1 0.1 0\nv -0.1 0.1 0\nv -0.1 0 0.1\nv 0.1 0 0.1\n"
               "f 1 3 2\nf 1 4 3\nf 1 2 6\nf 1 6 5\nf 3 4 5\nf 3 5 6\nf 1 5 4\nf 2 3 6\n");
  const Scene scene = scene_of(
      "objects:\n  wedge:\n    pose: {position: [0, 0, 0.002]}\n    mass: 1\n    shapes: [{type: "
      "mesh, file: " +
      (folder.path() / "wedge.obj").string() +
      "}]\nfixtures:\n  floor:\n    pose: {position: [0, 0, -0.5]}\n    shapes: [{type: box, size: "
      "[2, 2, 1]}]\n");
  MujocoPlant plant(scene);
  advance(plant, 2000);
  const Pose X_WB = plant.body_pose(plant.body("wedge"));
  EXPECT_LT((X_WB.p - Eigen::Vector3d::Zero()).norm(), 1e-3);
  EXPECT_LT((X_WB.R - Eigen::Matrix3d::Identity()).norm(), 1e-3);
  double force = 0.0;
  for (const Contact& contact : plant.contacts()) force += std::abs(contact.f_W[2]);
  EXPECT_NEAR(force, kGravity, 1e-3 * kGravity);
}

}  // namespace contact_test
}  // namespace handspan
