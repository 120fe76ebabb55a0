// A simulated scene against closed forms, its sensors and its cups.
#include "mujoco/mujoco_plant.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "plant/plant_support.hpp"
#include "plant/swing.hpp"
#include "support/random_model.hpp"

namespace handspan {
namespace mujoco_plant_test {

using test::advance;
using test::hold;
using test::scene_of;

constexpr double kGravity = 9.81, kStep = 0.001;

TEST(MujocoPlant, FallsFreelyAsItsIntegratorSays) {
  const Scene scene = scene_of(
      "objects:\n  ball:\n    pose: {position: [0, 0, 9]}\n    mass: 3\n    shapes: [{type: "
      "sphere, radius: 0.1}]\n");
  MujocoPlant plant(scene);
  const int ball = plant.body("ball");
  for (const int n : {1, 999}) advance(plant, n);
  const double t = 1.0;
  EXPECT_EQ(plant.time(), kSecond);
  EXPECT_EQ(plant.read().stamp, kSecond);
  EXPECT_EQ(plant.read().sequence, 1000U);
  EXPECT_NEAR(plant.body_velocity(ball)[2], -kGravity * t, 1e-12);
  // semi-implicit Euler: half a step of velocity beyond the parabola
  EXPECT_NEAR(plant.body_pose(ball).p[2], 9.0 - 0.5 * kGravity * t * (t + kStep), 1e-11);
}

TEST(MujocoPlant, SwingsWithThePendulumsPeriod) {
  const test::TemporaryFolder folder;
  const std::string robot = test::write_swing(folder);
  for (const double amplitude : {0.1, 1.5}) {
    const Scene scene =
        scene_of("robots:\n  it: {robot: " + robot + ", q: [" + std::to_string(amplitude) + "]}\n");
    MujocoPlant plant(scene);
    plant.write(Command::zero(plant.layout()));  // until then the drive holds the bar
    // K by the arithmetic-geometric mean
    double a = 1.0, g = std::cos(amplitude / 2);
    for (int i = 0; i < 30; ++i) std::tie(a, g) = std::pair((a + g) / 2, std::sqrt(a * g));
    const double inertia = test::kBarInertia + test::kBarMass * test::kBarLength * test::kBarLength;
    const double period =
        2 * M_PI / a * std::sqrt(inertia / (test::kBarMass * kGravity * test::kBarLength));
    // time of the fourth crossing of the lowest point, between steps
    const double start = plant.energy();
    int crossings = 0;
    double before = amplitude, crossed = 0.0, worst = 0.0;
    for (int step = 1; crossings < 5; ++step) {
      ASSERT_LT(step, 20000);
      plant.advance();
      const double q = plant.read().groups[0].q[0];
      if (before * q < 0.0) {
        ++crossings;
        if (crossings == 1 || crossings == 5) {
          const double at = kStep * (step - 1 + before / (before - q));
          crossed = crossings == 1 ? at : at - crossed;
        }
      }
      before = q;
      worst = std::max(worst, std::abs(plant.energy() - start));
    }
    EXPECT_NEAR(crossed, 2 * period, 1e-4 * period) << amplitude;
    // the integrator's energy oscillates within a step's worth, and does not drift
    EXPECT_LT(worst, 5e-3 * test::kBarMass * kGravity * test::kBarLength) << amplitude;
  }
}

TEST(MujocoPlant, KeepsMomentumInCollisionsAndSpins) {
  const Scene scene = scene_of(
      "physics: {gravity: [0, 0, 0]}\nobjects:\n"
      "  a:\n    pose: {position: [0, 0, 0], rpy: [0.3, 0.2, 0.1]}\n    mass: 2\n    shapes: "
      "[{type: box, size: [0.1, 0.2, 0.3]}]\n"
      "  b:\n    pose: {position: [0.5, 0.05, 0]}\n    mass: 1\n    center_of_mass: [0, 0, 0]\n"
      // principal axes turned by 30 deg about x
      "    inertia: [[0.02, 0, 0], [0, 0.015, 0.00433], [0, 0.00433, 0.01]]\n    shapes: [{type: "
      "sphere, radius: 0.1}]\n");
  MujocoPlant plant(scene);
  const int a = plant.body("a"), b = plant.body("b");
  Vector6d V = Vector6d::Zero();
  V << 1.0, 0.1, 0.0, 0.4, -0.6, 0.5;
  plant.set_object("a", plant.body_pose(a), V);
  EXPECT_LT((plant.body_velocity(a) - V).norm(), 1e-14);
  const auto momentum = [&] {
    Vector6d sum = Vector6d::Zero();
    for (std::size_t i = 0; i < 2; ++i) {
      const Inertial& body = scene.objects[i].inertial;
      const int id = i == 0 ? a : b;
      const Pose X = plant.body_pose(id);
      const Vector6d v = plant.body_velocity(id);
      const Eigen::Vector3d p = body.mass * Eigen::Vector3d(v.head<3>());
      sum.head<3>() += p;
      sum.tail<3>() +=
          X.p.cross(p) + X.R * body.inertia_B() * X.R.transpose() * Eigen::Vector3d(v.tail<3>());
    }
    return sum;
  };
  const Vector6d start = momentum();
  bool touched = false;
  for (int step = 0; step < 1000; ++step) {
    plant.advance();
    touched = touched || !plant.contacts().empty();
    EXPECT_LT((momentum() - start).head<3>().norm(), 1e-11) << step;
    EXPECT_LT((momentum() - start).tail<3>().norm(), 2e-3 * start.tail<3>().norm()) << step;
  }
  EXPECT_TRUE(touched);
  EXPECT_GT(plant.body_velocity(b).head<3>().norm(), 0.1);
}

TEST(MujocoPlant, SeesLinksWhereTheyAreNow) {
  const Scene scene = scene_of("robots:\n  it: {robot: ur10}\n");
  MujocoPlant plant(scene);
  Command command = Command::zero(plant.layout());
  command.groups[0] << 0.5, -0.4, 0.3, 1.0, -1.0, 2.0;
  hold(plant, command, 200);
  const RobotModel model(scene.robots.front().description);
  RobotData data(model);
  Eigen::VectorXd q(model.nq()), v(model.nv());
  plant.robot_state("it", q, v);
  EXPECT_EQ(q, plant.read().groups[0].q);
  EXPECT_EQ(v, plant.read().groups[0].v);
  update_kinematics(model, data, q, v);
  for (const auto& body : scene.robots.front().description.bodies) {
    const Pose X = frame_pose(model, data, model.frame(body.name)),
               Y = plant.body_pose(plant.body(body.name));
    EXPECT_LT((X.p - Y.p).norm() + (X.R - Y.R).norm(), 1e-12) << body.name;
    EXPECT_LT((frame_velocity(model, data, model.frame(body.name)) -
               plant.body_velocity(plant.body(body.name)))
                  .norm(),
              1e-11)
        << body.name;
  }
  EXPECT_THROW(plant.robot_state("that", q, v), std::out_of_range);
  EXPECT_THROW(plant.body("it.elbow"), std::out_of_range);
}

// An arm whose motors rise from nothing at a limited rate would fall first.
TEST(MujocoPlant, HoldsTorqueDrivenArmsUntilTheyAreCommanded) {
  const Scene scene = scene_of("robots:\n  it: {robot: fr3, tool: plate}\n");
  MujocoPlant plant(scene);
  const Eigen::VectorXd q = plant.read().groups[0].q;
  advance(plant, 200);
  EXPECT_LT((plant.read().groups[0].q - q).cwiseAbs().maxCoeff(), 1e-5);
  test::Gravity gravity(scene, "it");
  EXPECT_LT((plant.read().groups[0].tau - gravity.torques(plant)).cwiseAbs().maxCoeff(), 1e-3);
  hold(plant, Command::zero(plant.layout()), 500);
  EXPECT_GT((plant.read().groups[0].q - q).cwiseAbs().maxCoeff(), 0.1);
  plant.reset();
  advance(plant, 200);
  EXPECT_LT((plant.read().groups[0].q - q).cwiseAbs().maxCoeff(), 1e-5);
}

// a servo that nobody commanded yet: what gravity asks of it is what it gives, also when it is
// first seen
TEST(MujocoPlant, DrivesHoldBeforeTheyAreFirstObserved) {
  const Scene scene = scene_of("robots:\n  it: {robot: ur10, pose: stance}\n");
  MujocoPlant plant(scene);
  const Eigen::VectorXd first = plant.read().groups[0].tau;
  EXPECT_GT(first.cwiseAbs().maxCoeff(), 10.0);
  advance(plant, 2);
  EXPECT_LT((plant.read().groups[0].tau - first).cwiseAbs().maxCoeff(), 0.5) << first.transpose();
}

TEST(MujocoPlant, PutsObjectsOnly) {
  const Scene scene = scene_of(
      "objects:\n  ball:\n    mass: 1\n    shapes: [{type: sphere, radius: 0.1}]\n"
      "kinematic:\n  k:\n    shapes: [{type: sphere, radius: 0.1}]\n    motion: [{time: 0, pose: "
      "{position: [1, 0, 0]}}]\n");
  MujocoPlant plant(scene);
  const Pose X = Pose::from_rpy({0, 0, 3}, {0.1, 0.2, 0.3});
  plant.set_object("ball", X, Vector6d::Zero());
  EXPECT_LT((plant.body_pose(plant.body("ball")).R - X.R).norm(), 1e-14);
  EXPECT_THROW(plant.set_object("k", X, Vector6d::Zero()), std::out_of_range);
  EXPECT_THROW(plant.set_object("none", X, Vector6d::Zero()), std::out_of_range);
  advance(plant, 10);
  plant.reset();
  EXPECT_EQ(plant.time(), 0);
  EXPECT_EQ(plant.body_pose(plant.body("ball")).p, Eigen::Vector3d::Zero());
}

// ---- force/torque sensor

// The bar holds the plate with its pad upwards (or turned by q), by a stiff servo.
struct Pad {
  explicit Pad(const test::TemporaryFolder& folder, double q, const std::string& more = "")
      : scene(scene_of("robots:\n  it: {robot: " +
                       test::write_swing(folder, {"velocity, lag: 0.02 s", "", "1000", 400.0}) +
                       ", tool: plate, q: [" + std::to_string(q) +
                       "], base: {position: [0, 0, 1]}}\n" + more)),
        plant(scene) {}
  void settle(int steps = 1500) { hold(plant, Command::zero(plant.layout()), steps); }
  Scene scene;
  MujocoPlant plant;
};

TEST(ForceTorqueSensor, ReadsAWeightOnTheUpturnedPad) {
  const test::TemporaryFolder folder;
  // the pad's face is at z = 1 + 0.6 + 0.036 with the bar upside down
  Pad pad(folder, M_PI,
          "objects:\n  weight:\n    pose: {position: [0.02, -0.03, 1.661]}\n    mass: 1.7\n    "
          "shapes: [{type: box, size: [0.05, 0.05, 0.05]}]\n");
  pad.settle();
  const MujocoPlant& plant = pad.plant;
  const int body = plant.body("it.pad_body");
  const Pose X_WS = plant.body_pose(body);  // the sensor's frame is the pad body's
  EXPECT_NEAR(X_WS.R(2, 2), 1.0, 1e-6);
  const double F = 1.7 * kGravity;
  const Vector6d& wrench = pad.plant.read().wrenches[0];
  // on the tool, downwards, in the sensor's frame
  EXPECT_NEAR(wrench[2], -F, 1e-3 * F);
  EXPECT_LT(wrench.head<2>().norm(), 1e-3 * F);
  const Eigen::Vector3d p_S = X_WS.inverse() * plant.body_pose(plant.body("weight")).p;
  const Eigen::Vector3d moment = p_S.cross(Eigen::Vector3d(wrench.head<3>()));
  EXPECT_NEAR(p_S.head<2>().norm(), std::hypot(0.02, 0.03), 1e-4);
  EXPECT_LT((Eigen::Vector3d(wrench.tail<3>()) - moment).norm(), 1e-3 * moment.norm());
}

TEST(ForceTorqueSensor, IsTared) {
  const test::TemporaryFolder folder;
  Pad pad(folder, M_PI,
          "objects:\n  weight:\n    pose: {position: [0, 0, 1.661]}\n    mass: 1\n    shapes: "
          "[{type: box, size: [0.05, 0.05, 0.05]}]\n");
  pad.settle();
  pad.plant.tare(0);
  EXPECT_EQ(pad.plant.read().wrenches[0], Vector6d::Zero());
  pad.settle(50);
  EXPECT_LT(pad.plant.read().wrenches[0].norm(), 1e-3);
  // the weight gone, the tare is read the other way round
  pad.plant.set_object("weight", Pose::translation({0, 0, 9}), Vector6d::Zero());
  pad.settle(200);
  EXPECT_NEAR(pad.plant.read().wrenches[0][2], kGravity, 1e-3 * kGravity);
  pad.plant.reset();
  pad.plant.set_object("weight", Pose::translation({0, 0, 9}), Vector6d::Zero());
  pad.settle(200);
  EXPECT_LT(pad.plant.read().wrenches[0].norm(), 1e-3);
}

TEST(ForceTorqueSensor, ReadsNoToolWeightInAnyOrientation) {
  std::mt19937_64 random(7);
  for (int trial = 0; trial < 6; ++trial) {
    const std::string q = "[" + std::to_string(test::random_vector(1, random)[0]) + ", " +
                          std::to_string(0.6 * test::random_vector(1, random)[0]) +
                          ", 0.3, -1.5, " + std::to_string(2 * test::random_vector(1, random)[0]) +
                          ", " + std::to_string(2.0 + test::random_vector(1, random)[0]) + ", 0.4]";
    const Scene scene = scene_of("robots:\n  it: {robot: fr3, tool: plate, q: " + q + "}\n");
    MujocoPlant plant(scene);
    test::Gravity gravity(scene, "it");
    Command command = Command::zero(plant.layout());
    for (int step = 0; step < 1000; ++step) {
      // some damping against what friction alone would let creep
      command.groups[0] = gravity.torques(plant) - 10.0 * plant.read().groups[0].v;
      hold(plant, command, 1);
    }
    EXPECT_LT(plant.read().wrenches[0].head<3>().norm(), 1e-3) << q;
    EXPECT_LT(plant.read().wrenches[0].tail<3>().norm(), 1e-4) << q;
  }
}

// ---- vacuum cup

// A UR10 above a box whose top is `gap` under the lip, and another box beside it.
class Cup : public testing::Test {
 protected:
  Cup() {
    const Scene empty =
        scene_of("robots:\n  it: {robot: ur10, tool: vacuum, base: {position: [0, 0, 1]}}\n");
    const MujocoPlant probe(empty);
    const RobotModel model(empty.robots.front().description);
    RobotData data(model);
    update_kinematics(model, data, empty.robots.front().q_start, Eigen::VectorXd::Zero(6));
    tip_ = frame_pose(model, data, model.frame("it.suction"));
    const auto at = [&](double x, double z) {
      return "[" + std::to_string(tip_.p[0] + x) + ", " + std::to_string(tip_.p[1]) + ", " +
             std::to_string(tip_.p[2] + z) + "]";
    };
    scene_ = scene_of(
        "robots:\n  it: {robot: ur10, tool: vacuum, base: {position: [0, 0, 1]}}\n"
        "objects:\n  other:\n    pose: {position: " +
        at(0.25, -0.055) +
        "}\n    mass: 1\n    shapes: [{type: box, size: [0.2, 0.2, 0.1]}]\n"
        "  box:\n    pose: {position: " +
        at(0.02, -0.055) +
        "}\n    mass: 2\n    shapes: [{type: box, size: [0.2, 0.2, 0.1]}]\n"
        "fixtures:\n  table:\n    pose: {position: " +
        at(0.12, -0.155) + "}\n    shapes: [{type: box, size: [0.7, 0.3, 0.1]}]\n");
  }

  // joint velocities that move the cup with V_WS
  static void move(MujocoPlant& plant, const Scene& scene, Command& command, const Vector6d& V_WS,
                   int steps) {
    const RobotModel model(scene.robots.front().description);
    RobotData data(model);
    Eigen::VectorXd q(6), v(6);
    Matrix6Xd J(6, 6);
    for (int step = 0; step < steps; ++step) {
      plant.robot_state("it", q, v);
      update_kinematics(model, data, q, v);
      frame_jacobian(model, data, model.frame("it.suction"), J);
      command.groups[0] = J.partialPivLu().solve(V_WS);
      hold(plant, command, 1);
    }
  }

  static Vector6d along(double z) {
    Vector6d V = Vector6d::Zero();
    V[2] = z;
    return V;
  }

  Pose tip_;
  Scene scene_;
};

TEST_F(Cup, LooksDown) { EXPECT_LT((tip_.R.col(2) + Eigen::Vector3d::UnitZ()).norm(), 1e-6); }

TEST_F(Cup, HoldsWhatItTouchesAsItLay) {
  MujocoPlant plant(scene_);
  Command command = Command::zero(plant.layout());
  ASSERT_EQ(plant.layout().group("it.cup"), 1);
  command.groups[1][0] = 1.0;
  hold(plant, command, 20);
  EXPECT_FALSE(plant.cup(0).holds);  // on, but nothing touches
  move(plant, scene_, command, along(-0.02), 400);
  ASSERT_TRUE(plant.cup(0).holds);
  const int cup = plant.body("it.lip"), box = plant.body("box"), other = plant.body("other");
  const Pose X_GB = plant.body_pose(cup).inverse() * plant.body_pose(box);
  const Pose X_WO = plant.body_pose(other);
  const double z = plant.body_pose(box).p[2];
  Vector6d V = along(0.2);
  move(plant, scene_, command, V, 1000);
  V << 0.2, 0.1, 0.1, 0.3, -0.3, 0.5;
  move(plant, scene_, command, V, 500);
  EXPECT_GT(plant.body_pose(box).p[2], z + 0.15);
  const Pose X_now = plant.body_pose(cup).inverse() * plant.body_pose(box);
  EXPECT_LT((X_now.p - X_GB.p).norm(), 1e-4);
  EXPECT_LT(angle_between(X_GB.R, X_now.R), 1e-3);
  // the other box lies where it lay
  EXPECT_LT((plant.body_pose(other).p - X_WO.p).norm(), 1e-4);
  // let go: it falls
  command.groups[1][0] = 0.0;
  command.groups[0].setZero();
  const double height = plant.body_pose(box).p[2];
  hold(plant, command, 200);
  EXPECT_FALSE(plant.cup(0).holds);
  EXPECT_LT(plant.body_pose(box).p[2], height - 0.1);
}

TEST_F(Cup, OffHoldsNothing) {
  MujocoPlant plant(scene_);
  Command command = Command::zero(plant.layout());
  move(plant, scene_, command, along(-0.02), 400);
  const double z = plant.body_pose(plant.body("box")).p[2];
  move(plant, scene_, command, along(0.2), 500);
  EXPECT_FALSE(plant.cup(0).holds);
  EXPECT_NEAR(plant.body_pose(plant.body("box")).p[2], z, 1e-3);
}

}  // namespace mujoco_plant_test
}  // namespace handspan
