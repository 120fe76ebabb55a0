// A frame keeps to its way where joints' limits or a singular pose bind: it goes slower.
#include "control/direction.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "control/joint_rows.hpp"
#include "control/posture_task.hpp"
#include "control/problem.hpp"
#include "model_run.hpp"

namespace handspan {
namespace direction_test {

using test::kSeed;
using test::random_vector;

const Scene& robots() {
  static const Scene scene = test::scene_of(
      "robots:\n"
      "  fr3: {robot: fr3, pose: ready}\n"
      "  ur5: {robot: ur5, pose: stance, base: {position: [2, 0, 0]}}\n"
      "  ur10: {robot: ur10, pose: stance, base: {position: [4, 0, 0]}}\n");
  return scene;
}

/// One robot of the scene under a pose task of its flange, without a plant.
struct Arm {
  explicit Arm(const std::string& name, std::optional<bool> keep, double stiffness = 100.0,
               StiffnessUnit unit = StiffnessUnit::kPerSecondSquared) {
    const RobotInstance& robot = *robots().robot(name);
    MechanismDescription m{name, robot.description, {}, {}, robot.limits, true};
    m.actuated = robot.groups.front().joints;
    run.system.add_mechanism(std::move(m));
    run.seal();
    set(robot.q_start);
    FrameTaskConfig config = test::pose_of(name + ".flange", stiffness);
    config.orientation_weight = 0.1;
    config.keep_direction = keep;
    config.stiffness_unit = unit;
    task = &run.add<FrameTask>("hand", config);
    if (robot.groups.front().joints.size() > 6) {
      PostureTaskConfig posture;
      posture.robot = name;
      posture.stiffness = 10.0;
      posture.weight = 1e-4;
      run.add<PostureTask>("posture", posture);
    }
    run.constrain(std::make_unique<JerkLimits>(run.system));
    run.state->dt = run.state->mechanisms[0].dt = 1.0 / robot.limits.rate.hz();
  }
  void set(const Eigen::VectorXd& q) {
    const Mechanism& m = run.system.mechanisms()[0];
    for (std::size_t j = 0; j < m.actuated.size(); ++j)
      run.state->mechanisms[0].q[m.actuated_q[j]] = q[static_cast<Eigen::Index>(j)];
  }
  MechanismState& state() { return run.state->mechanisms[0]; }

  test::ModelRun run;
  FrameTask* task = nullptr;
};

// an identity: the closed form is the bias that Pinocchio has
TEST(Direction, BiasAlongAChainIsThatOfTheModel) {
  for (const auto& robot : robots().robots) {
    RandomStream random(kSeed, "bias " + robot.name);
    const RobotModel model(robot.description);
    RobotData data(model);
    Matrix6Xd J = Matrix6Xd::Zero(6, model.nv());
    const FrameId frame = model.frame(robot.name + ".flange");
    for (int i = 0; i < test::sized(1000); ++i) {
      const Eigen::VectorXd q = random_vector(model.nq(), random, 3.0),
                            v = random_vector(model.nv(), random, 2.0);
      update_kinematics(model, data, q, v);
      frame_jacobian(model, data, frame, J);
      const Vector6d expected = frame_bias_acceleration(model, data, frame);
      EXPECT_LT((bias_along(J, v) - expected).norm(), 1e-13 * (1.0 + expected.norm()))
          << robot.name << " " << i;
    }
  }
}

// a keeper at a posture, for a wanted twist of the flange
struct Asked {
  Asked(const std::string& name, const Eigen::VectorXd& q, const Eigen::Vector3d& v)
      : arm(name, true), keeper(arm.run.system.mechanisms()[0]) {
    arm.set(q);
    update_state(arm.run.system, *arm.run.state);
    const RobotModel& model = *arm.run.system.mechanisms()[0].model;
    Matrix6Xd J = Matrix6Xd::Zero(6, model.nv());
    frame_jacobian(model, arm.state().data, model.frame(name + ".flange"), J);
    Vector6d roots, V = Vector6d::Zero();
    roots << 1, 1, 1, 0.3, 0.3, 0.3;
    V.head<3>() = v;
    keeper.update(J, roots, V, v.norm(), V, arm.state().q, 0.008);
  }
  Arm arm;
  DirectionKeeper keeper;
};

Eigen::VectorXd stance() { return robots().robot("ur5")->q_start; }

TEST(Direction, NothingBindsInTheMiddleOfTheWorkspace) {
  const Asked asked("ur5", stance(), {0.1, 0.1, 0.0});
  EXPECT_EQ(asked.keeper.share(), 1.0);
  EXPECT_EQ(asked.keeper.bound(), WayBound::kNone);
  EXPECT_EQ(asked.keeper.allowed(), HUGE_VAL);
}

TEST(Direction, AJointAtItsSpeedLimitBindsAndIsNamed) {
  // the pan joint turns the flange at 0.49 m from its axis
  const Asked asked("ur5", stance(), {0.0, 10.0, 0.0});
  EXPECT_LT(asked.keeper.share(), 1.0);
  EXPECT_NE(asked.keeper.bound(), WayBound::kNone);
  EXPECT_GE(asked.keeper.joint(), 0);
}

TEST(Direction, AStretchedElbowBindsOutwardsAndInwardsOnlyByWhatTheJointCan) {
  Eigen::VectorXd q = stance();
  // nearly straight: shoulder and elbow of one sign
  q[1] = -2.5;
  q[2] = -0.05;
  Arm arm("ur5", true);
  arm.set(q);
  update_state(arm.run.system, *arm.run.state);
  const Eigen::Vector3d out = arm.run.frame("ur5.flange").first.p - Eigen::Vector3d(2, 0, 0.089);
  const Asked outwards("ur5", q, 0.5 * out.normalized());
  EXPECT_LT(outwards.keeper.share(), 0.3);
  EXPECT_NE(outwards.keeper.bound(), WayBound::kNone);
  EXPECT_EQ(outwards.keeper.joint(), 2);
}

TEST(Direction, AStraightElbowIsSingularOutwards) {
  Eigen::VectorXd q = robots().robot("ur10")->q_start;
  q << 0.0, -M_PI / 2, 0.0, -M_PI / 2, 0.0, 0.0;  // upright
  const Asked asked("ur10", q, {0.0, 0.0, -0.1});
  EXPECT_LT(asked.keeper.share(), 1e-3);
  EXPECT_EQ(asked.keeper.bound(), WayBound::kSingular);
}

TEST(Direction, NearAJointsEndItsStoppingSpeedBinds) {
  Eigen::VectorXd q = stance();
  q[0] = 2.0 * M_PI - 0.02;
  const Asked towards("ur5", q, {0.0, 0.6, 0.0}), away("ur5", q, {0.0, -0.6, 0.0});
  const bool first = towards.keeper.bound() == WayBound::kEnd;
  const Asked& bound = first ? towards : away;
  const Asked& free = first ? away : towards;
  EXPECT_EQ(bound.keeper.bound(), WayBound::kEnd);
  EXPECT_EQ(bound.keeper.joint(), 0);
  EXPECT_NE(free.keeper.bound(), WayBound::kEnd);
}

// what an arm did on a straight way out, and back
struct Way {
  double turn = 0.0, fastest = 0.0, off = 0.0, out = 0.0, back = 0.0;
};

Way straight_way(Arm& arm, const Eigen::Vector3d& direction, double speed, double length) {
  arm.run.start();
  const PoseReference start = arm.task->reference();
  const std::string frame = arm.task->frame_name();
  const double dt = arm.run.state->dt;
  const double time = length / speed + 1.0;
  double r = 0.0, v = 0.0;
  Way way;
  for (double t = 0.0; t < 2.0 * time + 2.0; t += dt) {
    const auto [X, V] = arm.run.frame(frame);
    const Eigen::Vector3d moved = X.p - start.X_WE.p;
    const double x = moved.dot(direction), goal = t < time ? length : 0.0;
    const double lead = std::min(0.15, std::max(0.002, 0.5 * arm.task->way().allowed()));
    const double to = std::clamp(goal, std::min(r, x - lead), std::max(r, x + lead));
    const double wanted = std::clamp((to - r) / 0.1, -speed, speed);
    const double a = std::clamp((wanted - v) / dt, -1.0, 1.0);
    v += a * dt;
    r += v * dt;
    PoseReference reference = start;
    reference.X_WE.p += r * direction;
    reference.V_WE.head<3>() = v * direction;
    reference.A_WE.head<3>() = a * direction;
    arm.task->set_reference(reference);
    arm.run.tick();
    const double fast = V.head<3>().norm();
    if (fast > 0.01)
      way.turn =
          std::max(way.turn, std::acos(std::min(1.0, std::abs(V.head<3>().dot(direction)) / fast)));
    way.fastest = std::max(way.fastest, fast / speed);
    way.off = std::max(way.off, (moved - x * direction).norm());
    way.out = std::max(way.out, x);
    way.back = moved.norm();
  }
  return way;
}

constexpr double kDegree = M_PI / 180.0;

// the case of the issue: a UR5 past its shoulder
TEST(Direction, AWayPastTheShoulderIsKept) {
  for (const bool keep : {false, true}) {
    Arm arm("ur5", keep);
    Eigen::VectorXd q = stance();
    q[1] = -1.0;
    q[2] = -2.3;
    arm.set(q);
    const Way way = straight_way(arm, Eigen::Vector3d(-1, 0, 0), 0.2, 0.5);
    SCOPED_TRACE(keep ? "kept" : "as without");
    if (keep) {
      EXPECT_LT(way.turn, 10.0 * kDegree);
      EXPECT_LT(way.fastest, 1.2);
      EXPECT_LT(way.back, 0.005);
    } else {
      EXPECT_GT(way.turn, 8.0 * kDegree);
    }
  }
}

TEST(Direction, OutOfReachTheToolStaysWhereTheWayEnds) {
  for (const std::string name : {"ur5", "ur10"}) {
    Arm arm(name, true);
    const Way way = straight_way(arm, Eigen::Vector3d(0.8, 0.6, 0.0), 0.3, 1.5);
    EXPECT_LT(way.turn, 10.0 * kDegree) << name;
    EXPECT_LT(way.off, 0.005) << name;
    EXPECT_LT(way.fastest, 1.2) << name;
    EXPECT_LT(way.back, 0.005) << name;
    Arm without(name, false);
    EXPECT_GT(straight_way(without, Eigen::Vector3d(0.8, 0.6, 0.0), 0.3, 1.5).off, 0.05) << name;
  }
}

// what the arm's flange gives way by, pushed by a constant force [m]
Eigen::Vector3d given_way(Arm& arm, const Eigen::Vector3d& force, Eigen::Vector3d& by_inertia) {
  arm.run.start();
  const RobotModel& model = *arm.run.system.mechanisms()[0].model;
  MechanismState& s = arm.state();
  const Eigen::Vector3d start = arm.run.frame(arm.task->frame_name()).first.p;
  Matrix6Xd J = Matrix6Xd::Zero(6, model.nv());
  Vector6d f = Vector6d::Zero();
  f.head<3>() = force;
  for (double t = 0.0; t < 3.0; t += arm.run.state->dt) {
    arm.run.problem->solve(*arm.run.state);
    frame_jacobian(model, s.data, arm.task->frame().frame, J);
    const Eigen::VectorXd pushed = s.M.llt().solve(J.transpose() * f);
    if (t == 0.0) by_inertia = (J * pushed).head<3>();
    const Eigen::VectorXd qdd = s.qdd + pushed;
    arm.run.move(0, arm.run.state->dt * s.v + 0.5 * arm.run.state->dt * arm.run.state->dt * qdd);
    s.v += arm.run.state->dt * qdd;
  }
  return arm.run.frame(arm.task->frame_name()).first.p - start;
}

double angle(const Eigen::Vector3d& a, const Eigen::Vector3d& b) {
  return std::acos(std::clamp(a.normalized().dot(b.normalized()), -1.0, 1.0));
}

// K e = f for a spring in N/m; e = K^-1 J M^-1 J^T f for gains in 1/s^2
TEST(Direction, APushedArmGivesWayAsItsStiffnessSays) {
  // of an FR3 a push also moves the elbow, which its limits on acceleration do not hold against it
  for (const std::string name : {"ur5", "ur10"})
    for (const Eigen::Vector3d& force :
         {Eigen::Vector3d(-15, 0, 0), Eigen::Vector3d(0, 10, 5), Eigen::Vector3d(3, 4, -12)}) {
      SCOPED_TRACE(name);
      Eigen::Vector3d by_inertia;
      Arm spring(name, true, 1000.0, StiffnessUnit::kNewtonPerMetre);
      const Eigen::Vector3d given = given_way(spring, force, by_inertia);
      EXPECT_LT(angle(given, force), 5.0 * kDegree) << given.transpose();
      EXPECT_NEAR(given.norm(), force.norm() / 1000.0, 0.1 * force.norm() / 1000.0);
      Arm gains(name, true, 100.0);
      const Eigen::Vector3d accelerated = given_way(gains, force, by_inertia);
      EXPECT_LT(angle(accelerated, by_inertia), 10.0 * kDegree) << accelerated.transpose();
    }
}

// a spring that is let go comes back without swinging through
TEST(Direction, ASpringIsCriticallyDamped) {
  Arm arm("ur5", false, 1000.0, StiffnessUnit::kNewtonPerMetre);
  arm.run.start();
  PoseReference reference = arm.task->reference();
  const Eigen::Vector3d start = reference.X_WE.p, way(0.01, -0.005, 0.01);
  reference.X_WE.p += way;
  arm.task->set_reference(reference);
  double beyond = 0.0;
  for (int i = 0; i < 250; ++i) {
    arm.run.tick();
    const Eigen::Vector3d moved = arm.run.frame("ur5.flange").first.p - start;
    beyond = std::max(beyond, moved.dot(way) / way.squaredNorm() - 1.0);
  }
  EXPECT_LT(beyond, 0.02);
  EXPECT_LT((arm.run.frame("ur5.flange").first.p - start - way).norm(), 2e-4);
}

TEST(Direction, ASpringThatPlansItsSpeedIsRefused) {
  test::ModelRun run;
  run.system.add_mechanism(test::arm());
  run.seal();
  FrameTaskConfig config = test::pose_of("left.tcp");
  config.stiffness_unit = StiffnessUnit::kNewtonPerMetre;
  config.speed = 1.0;
  EXPECT_EQ(test::message_of([&] { FrameTask(config, TaskContext{run.system, "hand"}); }),
            "the task 'hand' is a spring (stiffness_unit: N/m) and has a speed or deceleration, "
            "which need a stiffness in 1/s^2; leave them out, or limit its reference");
}

TEST(Direction, WhatBindsIsTold) {
  const Asked asked("ur5", stance(), {0.0, 10.0, 0.0});
  char text[80];
  const std::string told(asked.keeper.tell(text));
  EXPECT_EQ(told.find("ur5."), 0U) << told;
  const Asked free("ur5", stance(), {0.1, 0.1, 0.0});
  EXPECT_TRUE(free.keeper.tell(text).empty());
}

}  // namespace direction_test
}  // namespace handspan
