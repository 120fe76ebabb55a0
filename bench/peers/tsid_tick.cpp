// tsid_tick URDF: what one tick of TSID's inverse dynamics costs with the two-arm problem of
// bench/peer_process.hpp, and that header's JSON about it. W world, E hand. The solver is TSID's
// default; eiquadprog-rt, with sizes fixed when compiled, is 2 % faster.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <numbers>
#include <pinocchio/algorithm/frames.hpp>
#include <tsid/formulations/inverse-dynamics-formulation-acc-force.hpp>
#include <tsid/math/utils.hpp>
#include <tsid/robots/robot-wrapper.hpp>
#include <tsid/solvers/solver-HQP-base.hpp>
#include <tsid/solvers/solver-HQP-factory.hpp>
#include <tsid/tasks/task-actuation-bounds.hpp>
#include <tsid/tasks/task-joint-posVelAcc-bounds.hpp>
#include <tsid/tasks/task-joint-posture.hpp>
#include <tsid/tasks/task-se3-equality.hpp>

namespace {

using Eigen::Vector3d;
using Eigen::VectorXd;

// the problem, as bench/peer_process.hpp has it
constexpr int kUnknowns = 14;
constexpr double kStep = 0.001, kAcceleration = 10.0;
constexpr double kRadius = 0.1, kFrequency = 0.5;
constexpr int kWarmUp = 2000, kTicks = 20000;

constexpr double kHandStiffness = 400.0, kPostureStiffness = 10.0;  // [1/s^2], critically damped
constexpr double kHandWeight = 1.0, kPostureWeight = 1e-5;

/// A hand's task and the circle that it follows.
class Hand {
 public:
  Hand(const std::string& frame, tsid::robots::RobotWrapper& robot, pinocchio::Data& data)
      : task_("hand." + frame, robot, frame), reference_(12, 6) {
    const auto id = robot.model().getFrameId(frame);
    start_ = pinocchio::updateFramePlacement(robot.model(), data, id);
    task_.Kp(VectorXd::Constant(6, kHandStiffness));
    task_.Kd(VectorXd::Constant(6, 2.0 * std::sqrt(kHandStiffness)));
  }

  void set_reference(double t) {
    const double w = 2.0 * std::numbers::pi * kFrequency, c = std::cos(w * t), s = std::sin(w * t);
    pinocchio::SE3 X_WE = start_;
    X_WE.translation() += kRadius * Vector3d(0.0, c - 1.0, s);
    VectorXd value(12), derivative = VectorXd::Zero(6), second = VectorXd::Zero(6);
    tsid::math::SE3ToVector(X_WE, value);
    derivative.head<3>() = kRadius * w * Vector3d(0.0, -s, c);
    second.head<3>() = kRadius * w * w * Vector3d(0.0, -c, -s);
    reference_.setValue(value);
    reference_.setDerivative(derivative);
    reference_.setSecondDerivative(second);
    task_.setReference(reference_);
  }

  /// Distance from the reference at the state of the last tick [m].
  double error() const { return task_.position_error().head<3>().norm(); }
  tsid::tasks::TaskSE3Equality& task() { return task_; }

 private:
  tsid::tasks::TaskSE3Equality task_;
  tsid::trajectories::TrajectorySample reference_;
  pinocchio::SE3 start_;
};

double quantile(std::vector<double> samples, double share) {
  const auto rank =
      static_cast<std::ptrdiff_t>(std::ceil(share * static_cast<double>(samples.size()))) - 1;
  std::nth_element(samples.begin(), samples.begin() + rank, samples.end());
  return samples[static_cast<std::size_t>(rank)];
}

VectorXd start() {
  constexpr double kPi = std::numbers::pi;
  VectorXd q(kUnknowns);
  q.head<7>() << 0.0, -kPi / 4, 0.0, -3 * kPi / 4, 0.0, kPi / 2, kPi / 4;
  q.tail<7>() = q.head<7>();
  return q;
}

nlohmann::json measure(const std::string& urdf) {
  tsid::robots::RobotWrapper robot(urdf, {}, false);
  if (robot.nv() != kUnknowns || robot.nq() != kUnknowns)
    throw std::runtime_error(fmt::format("{} has {} degrees of freedom; the problem is of {}", urdf,
                                         robot.nv(), kUnknowns));
  VectorXd q = start(), v = VectorXd::Zero(kUnknowns);

  tsid::InverseDynamicsFormulationAccForce tick("tick", robot, false);
  tick.computeProblemData(0.0, q, v);
  Hand left("left.flange", robot, tick.data()), right("right.flange", robot, tick.data());
  for (Hand* hand : {&left, &right}) tick.addMotionTask(hand->task(), kHandWeight, 1);

  tsid::tasks::TaskJointPosture posture("posture", robot);
  posture.Kp(VectorXd::Constant(kUnknowns, kPostureStiffness));
  posture.Kd(VectorXd::Constant(kUnknowns, 2.0 * std::sqrt(kPostureStiffness)));
  tsid::trajectories::TrajectorySample rest(kUnknowns);
  rest.setValue(q);
  posture.setReference(rest);
  tick.addMotionTask(posture, kPostureWeight, 1);

  const auto& model = robot.model();
  tsid::tasks::TaskJointPosVelAccBounds motion("motion limits", robot, kStep, false);
  motion.setPositionBounds(model.lowerPositionLimit, model.upperPositionLimit);
  motion.setVelocityBounds(model.upperVelocityLimit);
  motion.setAccelerationBounds(VectorXd::Constant(kUnknowns, kAcceleration));
  motion.setImposeBounds(true, true, true, true);
  tick.addMotionTask(motion, 1.0, 0);
  tsid::tasks::TaskActuationBounds torque("torque limits", robot);
  torque.setBounds(-model.upperEffortLimit, model.upperEffortLimit);
  tick.addActuationTask(torque, 1.0, 0);

  const std::unique_ptr<tsid::solvers::SolverHQPBase> solver(
      tsid::solvers::SolverHQPFactory::createNewSolver(tsid::solvers::SOLVER_HQP_EIQUADPROG_FAST,
                                                       "qp"));
  solver->resize(tick.nVar(), tick.nEq(), tick.nIn());

  std::vector<double> samples;
  samples.reserve(kTicks);
  double largest_error = 0.0;
  int limited_ticks = 0;
  for (int k = 0; k < kWarmUp + kTicks; ++k) {
    const double t = k * kStep;
    left.set_reference(t);
    right.set_reference(t);
    const auto begin = std::chrono::steady_clock::now();
    const auto& problem = tick.computeProblemData(t, q, v);
    const auto& solution = solver->solve(problem);
    const VectorXd& tau = tick.getActuatorForces(solution);
    const VectorXd& dv = tick.getAccelerations(solution);
    const auto end = std::chrono::steady_clock::now();
    if (solution.status != tsid::solvers::HQP_STATUS_OPTIMAL || !tau.allFinite())
      throw std::runtime_error(fmt::format("tick {}: the solver ended with status {}", k,
                                           static_cast<int>(solution.status)));
    if (k >= kWarmUp) {
      samples.push_back(std::chrono::duration<double, std::micro>(end - begin).count());
      largest_error = std::max({largest_error, left.error(), right.error()});
      limited_ticks += solution.activeSet.size() > 0;
    }
    q += kStep * v + 0.5 * kStep * kStep * dv;
    v += kStep * dv;
  }
  return {{"median_us", quantile(samples, 0.5)},
          {"p99_us", quantile(samples, 0.99)},
          {"n", samples.size()},
          {"name", fmt::format("TSID {}, eiquadprog-fast", TSID_VERSION_TEXT)},
          {"tracking_mm", 1e3 * largest_error},
          {"limited_ticks", limited_ticks}};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: tsid_tick URDF\n", stderr);
    return 2;
  }
  try {
    std::puts(measure(argv[1]).dump().c_str());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "tsid_tick: %s\n", error.what());
    return 1;
  }
  return 0;
}
