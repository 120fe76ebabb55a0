// Two FR3s that hold one box between their pads: what joins them, how hard they squeeze, and what
// carries the box.
#include <gtest/gtest.h>

#include <numbers>

#include "control/model_run.hpp"
#include "control/wrench_task.hpp"

namespace handspan {
namespace holding_test {

using namespace test;

constexpr double kMass = 0.5;
constexpr double kHalf = 0.145;  // of the box across the hands [m]

// The box stands between the hands, its face frames where the tcps are; z of each face into the
// box, as z of a pad is out of the pad.
class Holding : public testing::Test {
 protected:
  Holding() {
    run.system.add_mechanism(arm("left"));
    run.system.add_mechanism(arm("right"));
    Inertial inertial;
    inertial.mass = kMass;
    inertial.principal = Eigen::Vector3d(0.006, 0.005, 0.006);
    MechanismDescription m;
    m.name = "box";
    m.description = free_body("box", inertial);
    m.limits.rate = Rate::of(1000);
    const double right_angle = 0.5 * std::numbers::pi;
    add_frame(m.description, "box.left_face", "box",
              Placement::from({exp_so3({right_angle, 0.0, 0.0}), {0.0, kHalf, 0.0}}));
    add_frame(m.description, "box.right_face", "box",
              Placement::from({exp_so3({-right_angle, 0.0, 0.0}), {0.0, -kHalf, 0.0}}));
    run.system.add_mechanism(std::move(m));
    run.system.add_loop_closure("left hand", "left.tcp", "box.left_face");
    run.system.add_loop_closure("right hand", "right.tcp", "box.right_face");
    run.seal();
    MechanismState& s = run.state->mechanisms[2];
    s.q << kCentre, 0.0, 0.0, 0.0, 1.0;
    bring("left", 0, "box.left_face");
    bring("right", 1, "box.right_face");
  }

  // joint angles at which a hand is on its face, by Newton's method
  void bring(const std::string& side, std::size_t m, const std::string& face) {
    const RobotModel& model = *run.system.mechanisms()[m].model;
    MechanismState& s = run.state->mechanisms[m];
    s.q[0] = side == "left" ? -0.6 : 0.6;
    const Pose goal = run.frame(face).first;
    RobotData data(model);
    Matrix6Xd J(6, 7);
    for (int i = 0; i < 500; ++i) {
      update_kinematics(model, data, s.q, Eigen::VectorXd::Zero(7));
      const Pose X = frame_pose(model, data, model.frame(side + ".tcp"));
      frame_jacobian(model, data, model.frame(side + ".tcp"), J);
      Vector6d e;
      e << goal.p - X.p, orientation_error(X.R, goal.R);
      const Eigen::MatrixXd JJ = J * J.transpose() + 1e-8 * Eigen::MatrixXd::Identity(6, 6);
      const Eigen::VectorXd step = J.transpose() * JJ.ldlt().solve(e);
      s.q += step * std::min(1.0, 0.1 / step.norm());
      if (e.norm() < 1e-13) break;
    }
    ASSERT_LT((run.frame(side + ".tcp").first.p - goal.p).norm(), 1e-10);
  }

  void start(double squeeze_weight = 1.0) {
    FrameTaskConfig carry = pose_of("box", 100.0);
    carry.orientation_weight = 1.0;
    carry.weight = 100.0;
    box = &run.add<FrameTask>("box", carry);
    // of 12 components six are the box's own motion: one hand's six say the rest
    WrenchTaskConfig wrench;
    wrench.loop_closure = "left hand";
    wrench.wrench << 0.0, 0.0, 20.0, 0.0, 0.0, 0.0;
    wrench.weight = squeeze_weight;
    squeeze = &run.add<WrenchTask>("squeeze", wrench);
    for (const char* side : {"left", "right"}) {
      PostureTaskConfig posture;
      posture.robot = side;
      posture.stiffness = 10.0;
      posture.weight = 1e-3;
      run.add<PostureTask>(std::string(side) + "_posture", posture);
    }
    run.constrain(std::make_unique<TorqueLimits>(run.system, false));
    update_state(run.system, *run.state);
    for (int j = 0; j < 2; ++j) set_loop_closure(run.system, *run.state, j, true);
    ProblemConfig config;
    config.error_damping = 0.0;
    run.start(config);
  }

  Pose across(int j) const {
    const char* names[2][2] = {{"left.tcp", "box.left_face"}, {"right.tcp", "box.right_face"}};
    return run.frame(names[j][0]).first.inverse() * run.frame(names[j][1]).first;
  }

  // what the QP says of the last tick against Newton and Euler for the box
  double equation_of_motion(const Pose& X, const Vector6d& V) const {
    const Eigen::VectorXd& x = run.problem->solution().x;
    const MechanismState& s = run.state->mechanisms[2];
    const Eigen::Vector3d omega = V.tail<3>();
    const Eigen::Vector3d a = X.R * s.qdd.head<3>() + omega.cross(Eigen::Vector3d(V.head<3>())),
                          alpha = X.R * s.qdd.tail<3>();
    const Eigen::Matrix3d I =
        X.R * Eigen::Vector3d(0.006, 0.005, 0.006).asDiagonal() * X.R.transpose();
    Eigen::Vector3d force = -kMass * (a - run.system.gravity()),
                    torque = -(I * alpha + omega.cross(I * omega));
    for (const LoopClosure& loop_closure : run.system.loop_closures()) {
      const double side = loop_closure.name == "left hand" ? 1.0 : -1.0;
      const Eigen::Vector3d r = X.R * Eigen::Vector3d(0.0, side * kHalf, 0.0),
                            f = x.segment<3>(loop_closure.offset);
      force += f;
      torque += r.cross(f) + x.segment<3>(loop_closure.offset + 3);
    }
    return std::max(force.norm(), torque.norm());
  }

  static inline const Eigen::Vector3d kCentre{0.5, 0.0, 0.45};
  ModelRun run;
  FrameTask* box = nullptr;
  WrenchTask* squeeze = nullptr;
};

TEST_F(Holding, TheBoxIsCarriedAlongItsTrajectorySqueezedAsCommandedAndTheHandsStayOnIt) {
  start();
  const Pose held[] = {across(0), across(1)};
  double slid = 0.0, turned = 0.0, motion = 0.0, missed = 0.0, off = 0.0, torque = 0.0;
  for (int k = 0; k < 3000; ++k) {
    const double t = run.time, w = 2.0;
    PoseReference r;
    const double c = 1.0 - std::cos(w * t), s = std::sin(w * t), cc = std::cos(w * t);
    const Eigen::Vector3d way(0.02, 0.015, 0.03);
    r.X_WE.p = kCentre + c * way;
    r.V_WE.head<3>() = w * s * way;
    r.A_WE.head<3>() = w * w * cc * way;
    box->set_reference(r);
    const auto [X, V] = run.frame("box");
    const Eigen::VectorXd q = run.state->mechanisms[2].q;
    run.tick();
    motion = std::max(motion, equation_of_motion(X, V));
    // in the axes of the tick's start: the box hardly turns
    const Vector6d F = squeeze->wrench(run.system, *run.state, run.problem->solution().x);
    missed = std::max(missed, (F - 20.0 * Vector6d::Unit(2)).norm() / 20.0);
    off = std::max(off, box->pose_error().norm());
    for (int j = 0; j < 2; ++j) {
      slid = std::max(slid, (across(j).p - held[j].p).norm());
      turned = std::max(turned, angle_between(across(j).R, held[j].R));
    }
    for (std::size_t m = 0; m < 2; ++m)
      for (Eigen::Index j = 0; j < 7; ++j)
        torque = std::max(
            torque, std::abs(run.state->mechanisms[m].tau[j]) /
                        run.system.mechanisms()[m].limits[static_cast<std::size_t>(j)].torque);
  }
  std::printf(
      "holding: slid %.1e m, turned %.1e rad, equation of motion %.1e, squeeze missed by %.1e, box "
      "off by %.1e m, torque %.2f of its limit\n",
      slid, turned, motion, missed, off, torque);
  EXPECT_LT(slid, 1e-6);
  EXPECT_LT(turned, 1e-6);
  EXPECT_LT(motion, 1e-8);
  EXPECT_LT(missed, 1e-6);
  EXPECT_LT(off, 1e-3);
  EXPECT_LT(torque, 1.0 + 1e-6);
  EXPECT_EQ(run.problem->counts().failed, 0U);
  EXPECT_EQ(run.problem->counts().relaxed, 0U);
}

TEST_F(Holding, AJoinThatIsPulledApartComesTogetherAsACriticallyDampedSpring) {
  start();
  const Pose held = across(0);
  // the left hand off by 1 mm: e = (1 + 20 t) exp(-20 t) mm
  MechanismState& s = run.state->mechanisms[0];
  s.q[6] += 1e-3;
  const double before = angle_between(across(0).R, held.R);
  EXPECT_NEAR(before, 1e-3, 1e-9);
  for (int k = 1; k <= 500; ++k) {
    run.tick();
    const double t = 0.001 * k;
    // q'' held over a tick delays by half of it: 20 / 2000 of the error
    EXPECT_NEAR(angle_between(across(0).R, held.R) / before, (1.0 + 20.0 * t) * std::exp(-20.0 * t),
                0.01);
  }
}

TEST_F(Holding, AnOpenJoinCarriesNothing) {
  start();
  run.run(50);
  const auto& loop_closures = run.system.loop_closures();
  EXPECT_GT(run.problem->solution().x.segment<6>(loop_closures[0].offset).norm(), 10.0);
  set_loop_closure(run.system, *run.state, 0, false);
  run.run(20);
  EXPECT_EQ(run.problem->counts().failed, 0U);
  const Eigen::VectorXd& x = run.problem->solution().x;
  EXPECT_LT(x.segment<6>(loop_closures[0].offset).norm(), 1e-9);
  // the other hand carries the box alone
  const Eigen::Vector3d force = x.segment<3>(loop_closures[1].offset);
  EXPECT_LT((force - kMass * 9.81 * Eigen::Vector3d::UnitZ()).norm(), 1.0);
  EXPECT_LT((across(1).p).norm(), 1e-6);
  set_loop_closure(run.system, *run.state, 1, false);
  run.tick();
  EXPECT_LT(run.problem->solution().x.segment<6>(loop_closures[1].offset).norm(), 1e-9);
  EXPECT_LT((run.state->mechanisms[2].qdd.head<3>() - run.system.gravity()).norm(), 1e-3);
}

TEST_F(Holding, TheTorquesThatArmsAndSqueezeNeedAreWhatJacobiansSay) {
  start();
  run.run(10);
  const Eigen::VectorXd x = run.problem->solution().x;
  for (int m = 0; m < 2; ++m) {
    const MechanismState& s = run.state->mechanisms[static_cast<std::size_t>(m)];
    const LoopClosureState& loop_closure = run.state->loop_closures[static_cast<std::size_t>(m)];
    const Eigen::VectorXd tau =
        s.M * s.qdd + s.h +
        loop_closure.J_a.transpose() *
            x.segment<6>(run.system.loop_closures()[static_cast<std::size_t>(m)].offset);
    EXPECT_LT((s.tau - tau).norm(), 1e-9);
  }
}

}  // namespace holding_test
}  // namespace handspan
