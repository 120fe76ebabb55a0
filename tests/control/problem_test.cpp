// The whole problem on the model alone: what it follows, keeps and gives up, and how it fails.
#include "control/problem.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <numbers>

#include "control/model_run.hpp"
#include "support/alloc.hpp"

namespace handspan {
namespace problem_test {

using namespace test;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

TEST(Problem, TwoArmsWithAllTheirLimitsFollowCircles) {
  TwoArms arms;
  const Pose start[] = {arms.hands[0]->reference().X_WE, arms.hands[1]->reference().X_WE};
  double worst = 0.0, turned = 0.0, nearest = 1.0;
  for (int k = 0; k < 6000; ++k) {
    // 0.1 m of radius, 3 s a turn, reached within a second
    const double t = arms.run.time, s = std::min(t, 1.0), w = 2.0 * std::numbers::pi / 3.0;
    const double phi = w * (s * s * s - 0.5 * s * s * s * s + (t - s)),
                 rate = w * (3.0 * s * s - 2.0 * s * s * s), more = w * 6.0 * (s - s * s);
    const Eigen::Vector3d radial(0.0, std::cos(phi), std::sin(phi)),
        tangent(0.0, -std::sin(phi), std::cos(phi));
    for (std::size_t i = 0; i < 2; ++i) {
      PoseReference reference;
      reference.X_WE = start[i];
      reference.X_WE.p += 0.1 * (radial - Eigen::Vector3d::UnitY());
      reference.V_WE.head<3>() = 0.1 * rate * tangent;
      reference.A_WE.head<3>() = 0.1 * (more * tangent - rate * rate * radial);
      arms.hands[i]->set_reference(reference);
    }
    const Eigen::VectorXd before = arms.run.state->mechanisms[0].qdd;
    arms.run.tick();
    for (std::size_t i = 0; i < 2; ++i) {
      worst = std::max(worst, arms.hands[i]->pose_error().head<3>().norm());
      turned = std::max(turned, arms.hands[i]->pose_error().tail<3>().norm());
    }
    nearest = std::min(nearest, arms.nearest());
    for (Eigen::Index j = 0; j < 7; ++j) {
      const JointLimits& limits =
          arms.run.system.mechanisms()[0].limits[static_cast<std::size_t>(j)];
      EXPECT_LE(std::abs(arms.run.state->mechanisms[0].tau[j]), limits.torque * (1.0 + 1e-6));
      EXPECT_LE(std::abs(arms.run.state->mechanisms[0].qdd[j] - before[j]),
                limits.jerk * 0.001 + 1e-6 * limits.acceleration);
    }
  }
  std::printf("circles: %.2e m, %.2e rad, nearest %.3f m\n", worst, turned, nearest);
  EXPECT_LT(worst, 1e-3);
  EXPECT_LT(turned, 5e-3);
  EXPECT_GT(nearest, 0.01);
  EXPECT_EQ(arms.run.problem->counts().relaxed, 0U);
  EXPECT_EQ(arms.run.problem->counts().failed, 0U);
  EXPECT_EQ(arms.run.problem->counts().empty_boxes, 0U);
  EXPECT_EQ(arms.run.problem->counts().ticks, 6000U);
}

// The bracket of twists of a body in its own axes, linear first.
Vector6d bracket(const Vector6d& a, const Vector6d& b) {
  const Eigen::Vector3d va = a.head<3>(), wa = a.tail<3>(), vb = b.head<3>(), wb = b.tail<3>();
  Vector6d out;
  out << wa.cross(vb) + va.cross(wb), wa.cross(wb);
  return out;
}

// One step of fourth order (Munthe-Kaas) of q'' = solve(q, v), of a free base's mechanism alone:
// what is kept is then kept by the equations that the QP solves, not by the step.
void runge_kutta(ModelRun& run, double h, const std::function<void(double)>& reference) {
  MechanismState& s = run.state->mechanisms[0];
  const Eigen::VectorXd q = s.q, v = s.v;
  std::vector<Eigen::VectorXd> du, dv;
  for (const double c : {0.0, 0.5, 0.5, 1.0}) {
    Eigen::VectorXd u = Eigen::VectorXd::Zero(v.size());
    s.q = q;
    s.v = v;
    if (!du.empty()) {
      u = c * h * du.back();
      run.move(0, u);
      s.v += c * h * dv.back();
    }
    reference(run.time + c * h);
    run.problem->solve(*run.state);
    Eigen::VectorXd rate = s.v;
    const Vector6d u6 = u.head<6>(), v6 = s.v.head<6>();
    rate.head<6>() += 0.5 * bracket(u6, v6) + bracket(u6, bracket(u6, v6)) / 12.0;
    du.push_back(rate);
    dv.push_back(s.qdd);
  }
  s.q = q;
  run.move(0, h / 6.0 * (du[0] + 2.0 * du[1] + 2.0 * du[2] + du[3]));
  s.v = v + h / 6.0 * (dv[0] + 2.0 * dv[1] + 2.0 * dv[2] + dv[3]);
  run.time += h;
}

TEST(Problem, AFloatingArmKeepsItsMomentumWhileItsHandFollows) {
  ModelRun run(Eigen::Vector3d::Zero());
  MechanismDescription floating = unlimited_arm();
  floating.description = with_base(std::move(floating.description), BaseType::kFree);
  run.system.add_mechanism(std::move(floating));
  run.seal();
  FrameTask& hand = run.add<FrameTask>("hand", pose_of("left.tcp"));
  MechanismState& s = run.state->mechanisms[0];
  s.v.head<6>() << 0.01, -0.005, 0.015, 0.03, -0.02, 0.04;
  ProblemConfig config;
  config.error_damping = 0.0;
  run.start(config);
  const RobotModel& model = *run.system.mechanisms()[0].model;
  RobotData data(model);
  const Vector6d before = centroidal_momentum(model, data, s.q, s.v);
  const Pose start = hand.reference().X_WE;
  const auto reference = [&](double t) {
    PoseReference r;
    r.X_WE = start;
    r.X_WE.p += 0.02 * Eigen::Vector3d(std::sin(3.0 * t), 1.0 - std::cos(3.0 * t), 0.5 * t);
    hand.set_reference(r);
  };
  double worst = 0.0;
  for (int k = 0; k < 1000; ++k) {
    runge_kutta(run, 0.001, reference);
    worst = std::max(worst, (centroidal_momentum(model, data, s.q, s.v) - before).norm());
  }
  std::printf("momentum: %.1e N s of %.2f\n", worst, before.norm());
  EXPECT_GT(before.norm(), 0.1);
  EXPECT_LT(s.v.norm(), 2.0);
  EXPECT_LT(worst, 1e-9);
  EXPECT_LT(hand.pose_error().head<3>().norm(), 0.03);  // 0.06 m/s that it is not told: kd / kp
  EXPECT_EQ(run.problem->counts().failed, 0U);
}

TEST(Problem, ARollingBaseDoesNotSlipSidewaysAndTakesItsHandThere) {
  ModelRun run;
  MechanismDescription m = unlimited_arm();
  m.description = with_base(std::move(m.description), BaseType::kPlanar);
  add_frame(m.description, "left.wheel", "left.base", {});
  m.description.rollings.push_back({"left.wheel"});
  for (const char* axis : {"_x", "_y", "_yaw"}) {
    const std::string joint = m.description.name + ".base" + axis;
    m.actuated.push_back(joint);
    m.limits.joints.emplace_back(joint, wide_limits());
  }
  run.system.add_mechanism(std::move(m));
  run.seal();
  FrameTaskConfig config = pose_of("left.tcp", 25.0);
  config.speed = 0.3;
  FrameTask& hand = run.add<FrameTask>("hand", config);
  run.start();
  PoseReference reference = hand.reference();
  reference.X_WE.p += Eigen::Vector3d(0.5, 0.3, 0.0);
  hand.set_reference(reference);
  double slip = 0.0, speed = 0.0;
  for (int k = 0; k < 6000; ++k) {
    run.tick();
    const auto [X, V] = run.frame("left.wheel");
    slip = std::max(slip, std::abs(X.R.col(1).dot(V.head<3>())));
    speed = std::max(speed, V.head<3>().norm());
  }
  std::printf("rolling: slip %.1e m/s at up to %.2f m/s\n", slip, speed);
  EXPECT_GT(speed, 0.05);
  EXPECT_LT(slip, 1e-5);  // a tick's turn of the wheel's axis, against 40 1/s of stabilisation
  EXPECT_LT(hand.pose_error().norm(), 1e-3);
  EXPECT_EQ(run.problem->counts().failed, 0U);
}

// a palm with two fingers; the second one mimics the first
MechanismDescription gripper() {
  MechanismDescription m;
  m.name = "gripper";
  m.description.name = "gripper";
  const auto add = [&](const std::string& name, int parent) {
    BodyDescription body;
    body.name = name;
    body.parent = parent;
    body.inertial.mass = 0.1;
    body.inertial.principal.setConstant(1e-4);
    if (parent >= 0) {
      JointDescription joint;
      joint.name = name + ".slide";
      joint.type = JointType::kPrismatic;
      joint.axis = Eigen::Vector3d::UnitZ();
      body.joints.push_back(joint);
    }
    m.description.bodies.push_back(body);
  };
  add("palm", -1);
  add("first", 0);
  add("second", 0);
  m.description.mimics.push_back({"second.slide", "first.slide", -2.0, 0.01});
  m.actuated = {"first.slide"};
  m.limits.joints.emplace_back("first.slide", wide_limits());
  m.limits.rate = Rate::of(1000);
  return m;
}

TEST(Problem, AMimicFingerFollowsBesideAnArmWithoutMultipliers) {
  ModelRun run;
  run.system.add_mechanism(gripper());
  run.system.add_mechanism(unlimited_arm());
  run.seal();
  run.state->mechanisms[0].q << 0.0, 0.01;
  PostureTaskConfig config;
  config.robot = "gripper";
  PostureTask& grip = run.add<PostureTask>("grip", config);
  run.start();
  const Eigen::VectorXd zero = Eigen::VectorXd::Zero(1);
  grip.set_reference(Eigen::VectorXd::Constant(1, 0.03), zero, zero);
  const MechanismState& s = run.state->mechanisms[0];
  for (int k = 0; k < 2000; ++k) {
    run.tick();
    EXPECT_NEAR(s.q[1], 0.01 - 2.0 * s.q[0], 1e-12) << k;
    // virtual work: what drives the first finger moves both against their weights
    EXPECT_NEAR(s.tau[0], 0.1 * (s.qdd[0] + 9.81) - 2.0 * 0.1 * (s.qdd[1] + 9.81), 1e-9) << k;
    if (HasFailure()) return;
  }
  EXPECT_NEAR(s.q[0], 0.03, 1e-6);
  EXPECT_EQ(run.problem->counts().failed, 0U);
}

// asks one joint for at least, or at most, so much
class Wants : public Constraint {
 public:
  Wants(ConstraintKind kind, double lower, double upper)
      : kind_(kind), lower_(lower), upper_(upper) {}
  std::vector<ConstraintRow> rows() const override { return {{name_of(kind_), kind_, 1.0}}; }
  void update(const ControlSystem&, ControlState&, RowBlock rows) override {
    rows.A(0, 0) = 1.0;
    rows.lower[0] = lower_;
    rows.upper[0] = upper_;
  }

 private:
  ConstraintKind kind_;
  double lower_, upper_;
};

TEST(Problem, OfTwoLimitsThatConflictTheOneThatComesLaterInThePriorityGivesWay) {
  using enum ConstraintKind;
  const std::vector<ConstraintKind> usual = ProblemConfig().priority;
  const std::vector<ConstraintKind> orders[] = {
      usual, {usual.rbegin(), usual.rend()}, {kCollision, kJerk, kTorque, kCartesian, kJointBox}};
  EXPECT_EQ(usual, (std::vector{kTorque, kJointBox, kCollision, kCartesian, kJerk}));
  for (const auto& order : orders)
    for (std::size_t first = 0; first < order.size(); ++first)
      for (std::size_t later = first + 1; later < order.size(); ++later)
        for (const double sign : {1.0, -1.0}) {
          ModelRun run;
          run.system.add_mechanism(unlimited_arm());
          run.seal();
          run.constrain(std::make_unique<Wants>(order[later], -kNoBound, -5.0 * sign));
          run.constrain(std::make_unique<Wants>(order[first], 5.0 * sign, kNoBound));
          ProblemConfig config;
          config.priority = order;
          run.start(config);
          run.tick();
          const double x = run.problem->solution().x[0];
          const ProblemCounts& counts = run.problem->counts();
          if (sign < 0.0) {  // both hold at once
            EXPECT_EQ(run.problem->solution().status, QpStatus::kSolved);
            continue;
          }
          EXPECT_NEAR(x, 5.0, 1e-5) << name_of(order[first]) << " over " << name_of(order[later]);
          EXPECT_EQ(counts.by_kind[static_cast<std::size_t>(order[later])], 1U);
          EXPECT_EQ(counts.by_kind[static_cast<std::size_t>(order[first])], 0U);
          EXPECT_EQ(counts.relaxed, order[later] == kJerk ? 0U : 1U);
          EXPECT_EQ(counts.failed, 0U);
        }
}

TEST(Problem, KindsThatArePriorityOfNobodyShareTheLastPlace) {
  ModelRun run;
  run.system.add_mechanism(unlimited_arm());
  run.seal();
  run.constrain(std::make_unique<Wants>(ConstraintKind::kCollision, -kNoBound, -5.0));
  run.constrain(std::make_unique<Wants>(ConstraintKind::kJerk, 5.0, kNoBound));
  ProblemConfig config;
  config.priority = {ConstraintKind::kTorque};
  run.start(config);
  run.tick();
  EXPECT_NEAR(run.problem->solution().x[0], 0.0, 1e-3);  // half way
  EXPECT_EQ(run.problem->counts().by_kind[static_cast<std::size_t>(ConstraintKind::kCollision)],
            1U);
  EXPECT_EQ(run.problem->counts().by_kind[static_cast<std::size_t>(ConstraintKind::kJerk)], 1U);
}

TEST(Problem, WhatCannotGiveWayFailsAndBrakesAtTheJointsDeceleration) {
  ModelRun run;
  run.system.add_mechanism(arm());
  run.seal();
  run.constrain(std::make_unique<Wants>(ConstraintKind::kDynamics, 5.0, 5.0));
  run.constrain(std::make_unique<Wants>(ConstraintKind::kDynamics, 6.0, 6.0));
  run.start();
  MechanismState& s = run.state->mechanisms[0];
  s.v << 0.5, -0.5, 0.0, 0.001, 0.5, 0.5, -0.5;
  run.tick();
  EXPECT_EQ(run.problem->solution().status, QpStatus::kFailed);
  EXPECT_EQ(run.problem->counts().failed, 1U);
  const auto& limits = run.system.mechanisms()[0].limits;
  const double expected[] = {-limits[0].braking, limits[1].braking, 0.0, -1.0, -limits[4].braking,
                             -limits[5].braking, limits[6].braking};
  for (Eigen::Index j = 0; j < 7; ++j) EXPECT_NEAR(s.qdd[j], expected[j], 1e-12);
  run.run(1000);
  EXPECT_LT(s.v.norm(), 1e-9);  // at rest
}

TEST(Problem, AStateThatIsNoNumberGivesFiniteCommandsBrakesAndIsOverWhenTheStateIsGoodAgain) {
  for (const bool position : {true, false}) {
    TwoArms arms;
    auto& states = arms.run.state->mechanisms;
    arms.run.run(10);
    const Eigen::VectorXd q = states[0].q;
    for (auto& s : states) s.v.setConstant(0.1);
    (position ? states[0].q : states[0].v)[3] = kNaN;
    arms.run.problem->solve(*arms.run.state);
    EXPECT_EQ(arms.run.problem->counts().failed, 1U);
    for (const auto& s : states) {
      EXPECT_TRUE(s.qdd.allFinite()) << s.qdd.transpose();
      EXPECT_TRUE(s.tau.allFinite()) << s.tau.transpose();
      EXPECT_TRUE(s.tau_before.allFinite());
    }
    EXPECT_LT(states[0].qdd[0], -1.0);
    EXPECT_LT(states[0].qdd[3], position ? -1.0 : 1e-9);  // where its speed is known
    EXPECT_LT(states[1].qdd.maxCoeff(), -1.0);            // the other arm brakes too
    states[0].q = q;
    states[0].v.setConstant(0.05);
    arms.run.run(100);
    EXPECT_EQ(arms.run.problem->counts().failed, 1U);
  }
}

TEST(Problem, AMechanismThatIsNotDueKeepsItsLastCommand) {
  TwoArms arms;
  PoseReference reference = arms.hands[0]->reference();
  reference.X_WE.p.z() += 0.05;
  arms.hands[0]->set_reference(reference);
  arms.run.run(5);
  MechanismState& s = arms.run.state->mechanisms[0];
  s.due = false;
  const Eigen::VectorXd qdd = s.qdd, tau = s.tau;
  EXPECT_GT(qdd.norm(), 0.1);
  arms.run.run(3);
  EXPECT_LT((s.qdd - qdd).norm(), 1e-9);
  EXPECT_EQ(s.tau, tau);
}

TEST(ProblemErrors, SayWhichTasksThereAre) {
  TwoArms arms;
  EXPECT_EQ(&arms.run.problem->task("left_hand"), arms.hands[0]);
  EXPECT_EQ(message_of([&] { arms.run.problem->task("left_hnad"); }),
            "there is no task 'left_hnad'; did you mean 'left_hand'?");
  EXPECT_EQ(message_of([&] { arms.run.problem->task("elbow"); }),
            "there is no task 'elbow'; there are: left_hand, left_posture, right_hand, "
            "right_posture");
}

TEST(ProblemHeap, SolveAllocatesNothingSolvedRelaxedOrFailed) {
  TwoArms arms;
  ControlProblem& problem = *arms.run.problem;
  ControlState& state = *arms.run.state;
  RandomStream random(kSeed, "heap");
  std::size_t allocations = 0;
  for (int k = 0; k < 400; ++k) {
    PoseReference reference = arms.hands[0]->reference();
    reference.X_WE.p = 0.6 * random.direction();
    const Eigen::VectorXd q = state.mechanisms[1].q;
    if (k % 50 == 49) state.mechanisms[1].q[2] = kNaN;
    if (k % 20 == 0) state.mechanisms[0].v = random_vector(7, random, 3.0);
    {
      const AllocationCount count;
      if (k % 30 == 0) arms.hands[0]->set_reference(reference);
      if (k % 40 == 0) arms.hands[1]->set_weight(random.uniform(0.0, 3.0));
      problem.solve(state);
      allocations += count.count();
    }
    state.mechanisms[1].q = q;
    for (auto& s : state.mechanisms) {
      s.q += 0.001 * s.v + 0.5e-6 * s.qdd;
      s.v += 0.001 * s.qdd;
    }
  }
  EXPECT_EQ(allocations, 0U);
  EXPECT_GE(problem.counts().failed, 8U);
  EXPECT_GT(problem.counts().relaxed, 0U);
}

}  // namespace problem_test
}  // namespace handspan
