#pragma once
// A QP that controls the model alone, without a plant or a drive: each tick solves, then q and v
// are integrated exactly with its q'', so that claims about the controller can be exact.
#include <fmt/format.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "control/cartesian_limits.hpp"
#include "control/collision.hpp"
#include "control/frame_task.hpp"
#include "control/joint_rows.hpp"
#include "control/posture_task.hpp"
#include "control/problem.hpp"
#include "core/error.hpp"
#include "core/random.hpp"
#include "support/message_of.hpp"
#include "support/scenes.hpp"
#include "support/sized.hpp"

namespace handspan::test {

inline constexpr std::uint64_t kSeed = 20260204;
inline const std::vector<bool> kAllAxes(6, true);
inline const std::vector<bool> kTranslation = {true, true, true, false, false, false};
inline const std::vector<bool> kRotation = {false, false, false, true, true, true};

inline Eigen::VectorXd random_vector(Eigen::Index n, RandomStream& random, double size = 1.0) {
  Eigen::VectorXd v(n);
  for (auto& x : v) x = random.uniform(-size, size);
  return v;
}

/// Two FR3s with plates, "left" and "right", 0.9 m apart (scenes/reach.yaml without the rest).
inline const Scene& two_arms() {
  static const Scene scene = scene_of(
      "robots:\n"
      "  left: {robot: fr3, tool: plate, base: {position: [0.0, 0.45, 0.0]}, pose: ready}\n"
      "  right: {robot: fr3, tool: plate, base: {position: [0.0, -0.45, 0.0]}, pose: ready}\n");
  return scene;
}

/// One of their arms; all of its joints are actuated.
inline MechanismDescription arm(const std::string& name = "left") {
  const RobotInstance& robot = *two_arms().robot(name);
  MechanismDescription m{name, robot.description, {}, {}, robot.limits, true};
  m.actuated = robot.groups.front().joints;
  return m;
}

/// Limits far beyond what a test reaches.
inline JointLimits wide_limits() {
  JointLimits limits;
  limits.lower = -1e3;
  limits.upper = 1e3;
  limits.velocity = 1e3;
  // also the scale of the QP's unknowns, which must not be 1e6 apart
  limits.acceleration = limits.braking = 1e3;
  limits.jerk = limits.torque = limits.torque_rate = 1e9;
  return limits;
}

/// The arm with limits that no test reaches.
inline MechanismDescription unlimited_arm(const std::string& name = "left") {
  MechanismDescription m = arm(name);
  for (auto& [joint, limits] : m.limits.joints) limits = wide_limits();
  return m;
}

/// One body of a mechanism of its own that nothing drives, free in space; name "NAME".
inline ModelDescription free_body(const std::string& name, const Inertial& inertial) {
  ModelDescription d;
  d.name = name;
  BodyDescription body;
  body.name = name;
  body.inertial = inertial;
  d.bodies.push_back(body);
  return with_base(std::move(d), BaseType::kFree);
}

/// free_body() of 1 kg as a mechanism.
inline MechanismDescription free_body_mechanism(const std::string& name) {
  Inertial inertial;
  inertial.mass = 1.0;
  inertial.principal.setConstant(0.01);
  MechanismDescription m;
  m.name = name;
  m.description = free_body(name, inertial);
  m.limits.rate = Rate::of(1000);
  return m;
}

/// Names a frame of a body and gives its pose there.
inline void add_frame(ModelDescription& d, const std::string& name, const std::string& body,
                      const Placement& X_BF) {
  d.frames.push_back({name, d.body_index(body), X_BF});
}

class ModelRun {
 public:
  explicit ModelRun(const Eigen::Vector3d& gravity = Eigen::Vector3d(0.0, 0.0, -9.81))
      : system(gravity) {}
  ModelRun(const ModelRun&) = delete;
  ModelRun& operator=(const ModelRun&) = delete;

  /// Ends set-up; before tasks and constraints are added. Arms of two_arms() stand at "ready".
  void seal() {
    system.seal();
    state = std::make_unique<ControlState>(system);
    for (std::size_t m = 0; m < state->mechanisms.size(); ++m)
      if (const RobotInstance* robot = two_arms().robot(system.mechanisms()[m].name))
        for (std::size_t j = 0; j < robot->groups.front().joints.size(); ++j) {
          const JointSlot& slot =
              system.mechanisms()[m].model->joint(robot->groups.front().joints[j]);
          state->mechanisms[m].q[slot.q] = robot->q_start[static_cast<Eigen::Index>(j)];
        }
  }

  template <class T, class Config>
  T& add(const std::string& name, const Config& config) {
    auto task = std::make_unique<T>(config, TaskContext{system, name});
    T& added = *task;
    tasks_.push_back(std::move(task));
    return added;
  }
  void constrain(std::unique_ptr<Constraint> constraint) {
    constraints_.push_back(std::move(constraint));
  }

  /// Makes the problem and holds what is there; torques start from those that hold it.
  void start(const ProblemConfig& config = {}) {
    problem = std::make_unique<ControlProblem>(system, config, std::move(tasks_),
                                               std::move(constraints_));
    problem->start(*state);
    for (std::size_t m = 0; m < state->mechanisms.size(); ++m) {
      MechanismState& s = state->mechanisms[m];
      for (std::size_t j = 0; j < system.mechanisms()[m].actuated.size(); ++j)
        s.tau[static_cast<Eigen::Index>(j)] = s.h[system.mechanisms()[m].actuated[j]];
      s.tau_before = s.tau + s.extra_torque;
    }
  }

  /// Solves, then moves every mechanism by its q'', constant over the tick.
  void tick() {
    problem->solve(*state);
    for (std::size_t m = 0; m < state->mechanisms.size(); ++m) {
      MechanismState& s = state->mechanisms[m];
      move(m, state->dt * s.v + 0.5 * state->dt * state->dt * s.qdd);
      s.v += state->dt * s.qdd;
    }
    time += state->dt;
  }
  void run(int ticks) {
    for (int i = 0; i < ticks; ++i) tick();
  }

  /// q of a mechanism moved by a vector of its velocities' kind.
  void move(std::size_t m, const Eigen::VectorXd& dq) {
    MechanismState& s = state->mechanisms[m];
    Eigen::VectorXd q(s.q.size());
    integrate(*system.mechanisms()[m].model, s.q, dq, q);
    s.q = q;
  }

  /// Pose and velocity of a frame at the q and v that the state has now.
  std::pair<Pose, Vector6d> frame(const std::string& name) const {
    const ControlSystem::FrameOf f = system.frame(name);
    const auto m = static_cast<std::size_t>(f.mechanism);
    const RobotModel& model = *system.mechanisms()[m].model;
    RobotData data(model);
    update_kinematics(model, data, state->mechanisms[m].q, state->mechanisms[m].v);
    return {frame_pose(model, data, f.frame), frame_velocity(model, data, f.frame)};
  }

  ControlSystem system;
  std::unique_ptr<ControlState> state;
  std::unique_ptr<ControlProblem> problem;
  double time = 0.0;  // [s]

 private:
  std::vector<std::unique_ptr<Task>> tasks_;
  std::vector<std::unique_ptr<Constraint>> constraints_;
};

/// q(t) = q + v t + a t^2 / 2 of every mechanism (scalar joints only), from the state at t = 0.
class SmoothMotion {
 public:
  SmoothMotion(ModelRun& run, RandomStream& random) : run_(run) {
    for (auto& s : run.state->mechanisms) {
      s.q += random_vector(s.q.size(), random, 0.5);
      s.v = random_vector(s.v.size(), random, 1.5);
      q_.push_back(s.q);
      v_.push_back(s.v);
      a_.push_back(random_vector(s.v.size(), random, 3.0));
    }
    update_state(run.system, *run.state);
  }

  /// X_WF at t [s].
  Pose pose(const std::string& frame, double t) {
    const ControlSystem::FrameOf f = run_.system.frame(frame);
    const auto m = static_cast<std::size_t>(f.mechanism);
    const RobotModel& model = *run_.system.mechanisms()[m].model;
    RobotData data(model);
    update_kinematics(model, data, q_[m] + t * v_[m] + 0.5 * t * t * a_[m], v_[m]);
    return frame_pose(model, data, f.frame);
  }

  /// A x - b of a task with q'' = a: its quantity's acceleration beyond what it asks for.
  Eigen::VectorXd beyond(Task& task) {
    task.update(run_.system, *run_.state);
    Eigen::VectorXd sum = -task.b();
    for (const auto& block : task.blocks())
      for (std::size_t m = 0; m < a_.size(); ++m)
        if (run_.system.mechanisms()[m].offset == block.offset) sum += block.A * a_[m];
    return sum;
  }

 private:
  ModelRun& run_;
  std::vector<Eigen::VectorXd> q_, v_, a_;
};

// differences over 1/256 s, exact in binary: the truncation of fourth order is below 1e-8 of
// motions with rates up to some 10 rad/s, rounding about 1e-10
inline constexpr double kDifference = 1.0 / 256.0;
inline constexpr double kDifferenceTolerance = 1e-6;

/// f'' at t = 0 of a vector function, by differences of fourth order.
template <class F>
Eigen::Vector3d second_derivative(F&& f) {
  const double h = kDifference;
  const Eigen::Vector3d near = f(h) + f(-h), far = f(2.0 * h) + f(-2.0 * h), here = f(0.0);
  return (16.0 * near - far - 30.0 * here) / (12.0 * h * h);
}

/// omega at t = 0 of a rotation R(t), in the frame to which R leads.
template <class F>
Eigen::Vector3d angular_velocity(F&& R) {
  const double h = kDifference;
  const auto turn = [&](double t) { return log_so3(R(t) * R(0.0).transpose()); };
  return (8.0 * (turn(h) - turn(-h)) - (turn(2.0 * h) - turn(-2.0 * h))) / (12.0 * h);
}

/// omega' likewise: the even part of log(R(t) R(0)^T) is t^2 / 2 omega' + O(t^4).
template <class F>
Eigen::Vector3d angular_acceleration(F&& R) {
  return second_derivative(
      [&](double t) { return Eigen::Vector3d(log_so3(R(t) * R(0.0).transpose())); });
}

/// A pose task of all six axes.
inline FrameTaskConfig pose_of(const std::string& frame, double stiffness = 100.0) {
  FrameTaskConfig config;
  config.frame = frame;
  config.axes = kAllAxes;
  config.stiffness = stiffness;
  return config;
}

/// Two FR3s with every limit that they have, hands and forearms kept apart.
struct TwoArms {
  explicit TwoArms(const ProblemConfig& config = {}) {
    run.system.add_mechanism(arm("left"));
    run.system.add_mechanism(arm("right"));
    run.seal();
    for (const char* side : {"left", "right"}) {
      const std::string name = side;
      FrameTaskConfig hand = pose_of(name + ".tcp");
      hand.orientation_weight = 0.1;
      hands.push_back(&run.add<FrameTask>(name + "_hand", hand));
      PostureTaskConfig posture;
      posture.robot = name;
      posture.stiffness = 10.0;
      posture.weight = 1e-5;
      postures.push_back(&run.add<PostureTask>(name + "_posture", posture));
    }
    run.constrain(std::make_unique<TorqueLimits>(run.system, true));
    run.constrain(std::make_unique<JerkLimits>(run.system));
    const ConstraintContext context{run.system, nullptr, {}};
    for (const char* frame : {"left.flange", "right.flange"}) {
      CartesianLimitsConfig cartesian;
      cartesian.frame = frame;
      run.constrain(std::make_unique<CartesianSpeedLimits>(cartesian, context));
    }
    CollisionConfig collisions;
    for (const char* a : {"pad_body", "link5"})
      for (const char* b : {"pad_body", "link5"})
        collisions.pairs.emplace_back(std::string("left.") + a, std::string("right.") + b);
    for (const char* side : {"left.", "right."})
      collisions.pairs.emplace_back(side + std::string("pad_body"), side + std::string("base"));
    auto constraint = std::make_unique<Collision>(collisions, context);
    collision = constraint.get();
    run.constrain(std::move(constraint));
    run.start(config);
  }
  double nearest() const { return collision->nearest(); }
  ModelRun run;
  std::vector<FrameTask*> hands;
  std::vector<PostureTask*> postures;
  const Collision* collision = nullptr;
};

}  // namespace handspan::test
