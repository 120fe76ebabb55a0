#pragma once
// What the tests of closed loops share: one arm of a scene under a pose task, a posture, and limits
// of torque, jerk and joints; its plant may differ from what the control knows of it.
#include <cmath>
#include <memory>
#include <string>

#include "control/arm_drive.hpp"
#include "control/frame_task.hpp"
#include "control/joint_rows.hpp"
#include "control/posture_task.hpp"
#include "control/problem.hpp"
#include "mujoco/mujoco_plant.hpp"
#include "support/scenes.hpp"

namespace handspan::test {

struct ArmLoopOptions {
  ArmConfig arm;
  std::string frame = "arm.tcp";
  double stiffness = 100.0;              // of the pose task [1/s^2]
  std::string held_joint;                // stiffly, so that seven joints have one solution; or all
                                         // joints, so weakly that the pose bends by micrometres
  double encoder = 0.0;                  // step of what is measured; 0: exact [rad]
  bool velocity_by_difference = false;   // of the positions as they are measured
  bool gravity_compensated = false;      // the plant is said to add gravity, and the loop does
  std::optional<Inertial> payload = {};  // known, at the frame, named "payload"
};

/// Dry friction of a scene's robots as a share of what their folders say.
inline void set_friction(Scene& scene, double share) {
  for (auto& robot : scene.robots)
    for (auto& body : robot.description.bodies)
      for (auto& joint : body.joints) joint.friction_loss *= share;
}

/// A body welded to a frame of the scene's first robot.
inline void add_body(Scene& scene, const std::string& frame, const Inertial& inertial) {
  ModelDescription& d = scene.robots[0].description;
  const FrameDescription& at = d.frames[static_cast<std::size_t>(d.frame_index(frame))];
  BodyDescription body;
  body.name = "arm.load";
  body.parent = at.body;
  body.X_PB = at.X_BF;
  body.inertial = inertial;
  d.bodies.push_back(body);
}

/// A ball with its centre at the frame's origin plus `offset`.
inline Inertial ball(double mass, const Eigen::Vector3d& offset, double radius = 0.04) {
  return {mass,
          {offset, Eigen::Quaterniond::Identity()},
          Eigen::Vector3d::Constant(0.4 * mass * radius * radius)};
}

/// From rest to rest in a quintic: position, and speed and acceleration along it (0 ... 1).
struct Quintic {
  double s, v, a;
};
inline Quintic quintic(double t, double duration) {
  const double x = std::clamp(t / duration, 0.0, 1.0), inside = t < duration ? 1.0 : 0.0;
  return {x * x * x * (10.0 - 15.0 * x + 6.0 * x * x),
          inside * 30.0 * x * x * (1.0 - x) * (1.0 - x) / duration,
          inside * 60.0 * x * (1.0 - 3.0 * x + 2.0 * x * x) / (duration * duration)};
}

class ArmLoop {
 public:
  /// The first group of the first robot of each scene; both scenes outlive this.
  ArmLoop(const Scene& plant_scene, const Scene& control_scene, const ArmLoopOptions& options)
      : options_(options),
        plant_(plant_scene),
        truth_(plant_scene.robots[0].description, plant_scene.physics.gravity),
        truth_data_(truth_),
        q_(truth_.neutral()),
        v_(Eigen::VectorXd::Zero(truth_.nv())) {
    const RobotInstance& robot = control_scene.robots[0];
    MechanismDescription mechanism;
    mechanism.name = robot.name;
    mechanism.description = robot.description;
    mechanism.actuated = robot.groups[0].joints;
    mechanism.limits = robot.limits;
    system_.add_mechanism(std::move(mechanism));
    if (options.payload) system_.add_payload("payload", options.frame, *options.payload);
    system_.seal();
    state_ = std::make_unique<ControlState>(system_);
    group_ = plant_.layout().groups[0];
    group_.gravity_compensated = options.gravity_compensated;
    steps_ = static_cast<int>(*group_.rate.period() / plant_.layout().period);
    drive_ = std::make_unique<ArmDrive>(
        options.arm, ArmContext{system_.mechanisms()[0], group_, robot.groups[0]});

    FrameTaskConfig pose;
    pose.frame = options.frame;
    pose.axes.assign(6, true);
    pose.stiffness = options.stiffness;
    PostureTaskConfig posture;
    posture.robot = robot.name;
    posture.weight = 1e-5;
    if (!options.held_joint.empty()) {
      posture.joint = options.held_joint;
      posture.weight = 1.0;
    }
    std::vector<std::unique_ptr<Task>> tasks;
    tasks.push_back(std::make_unique<FrameTask>(pose, TaskContext{system_, "pose"}));
    tasks.push_back(std::make_unique<PostureTask>(posture, TaskContext{system_, "posture"}));
    std::vector<std::unique_ptr<Constraint>> constraints;
    constraints.push_back(
        std::make_unique<TorqueLimits>(system_, group_.kind == GroupKind::kTorque));
    constraints.push_back(std::make_unique<JerkLimits>(system_));
    problem_ = std::make_unique<ControlProblem>(system_, ProblemConfig{}, std::move(tasks),
                                                std::move(constraints));
    state_->dt = state_->mechanisms[0].dt = dt();
    command_ = Command::zero(plant_.layout());
    q_before_ = plant_.read().groups[0].q;
    drive_->start(measure(), state_->mechanisms[0]);
    problem_->start(*state_);
  }

  double dt() const { return 1.0 / group_.rate.hz(); }
  double time() const { return seconds(plant_.time()); }
  MujocoPlant& plant() { return plant_; }
  ArmDrive& drive() { return *drive_; }
  ControlProblem& problem() { return *problem_; }
  ControlState& state() { return *state_; }
  const ControlSystem& system() const { return system_; }
  FrameTask& pose() { return static_cast<FrameTask&>(*problem_->tasks()[0]); }
  const Eigen::VectorXd& command() const { return command_.groups[0]; }
  /// What the drive is told, coarse as asked for.
  const GroupState& measure() {
    measured_ = plant_.read().groups[0];
    if (options_.encoder > 0.0)
      for (double& q : measured_.q) q = options_.encoder * std::round(q / options_.encoder);
    if (options_.velocity_by_difference) measured_.v = (measured_.q - q_before_) / dt();
    q_before_ = measured_.q;
    return measured_;
  }

  /// One tick of the group.
  void step() {
    drive_->observe(measure(), state_->mechanisms[0]);
    problem_->solve(*state_);
    drive_->command(state_->mechanisms[0], command_.groups[0]);
    if (options_.gravity_compensated) {
      find_truth();
      command_.groups[0] += gravity_forces(truth_, truth_data_, q_);
    }
    for (int i = 0; i < steps_; ++i) {
      plant_.write(command_);
      plant_.advance();
    }
  }

  /// Where the tool really is, and how fast the joints.
  Pose tool() {
    find_truth();
    update_kinematics(truth_, truth_data_, q_, v_);
    return frame_pose(truth_, truth_data_, truth_.frame(options_.frame));
  }
  const Eigen::VectorXd& joint_speeds() {
    find_truth();
    return v_;
  }

 private:
  void find_truth() { plant_.robot_state("arm", q_, v_); }

  ArmLoopOptions options_;
  MujocoPlant plant_;
  RobotModel truth_;
  RobotData truth_data_;
  Eigen::VectorXd q_, v_, q_before_;
  ControlSystem system_;
  std::unique_ptr<ControlState> state_;
  GroupLayout group_;
  int steps_ = 1;
  GroupState measured_;
  std::unique_ptr<ArmDrive> drive_;
  std::unique_ptr<ControlProblem> problem_;
  Command command_;
};

/// A fast move and a long hold.
struct MoveAndHold {
  Eigen::Vector3d move = Eigen::Vector3d(0.0, 0.4, 0.0);  // [m]
  double duration = 0.8;                                  // [s]
  double settled = 5.0, end = 60.0;                       // [s]
};

struct HoldFigures {
  double displacement = 0.0;  // largest of the tool from where it was when settled [m]
  double speed = 0.0;         // RMS of the norm of joint speeds in that time [rad/s]
  double error = 0.0;         // of the tool's position at the end [m]
  double tracking = 0.0;      // largest error during the move [m]
  std::uint64_t relaxed = 0, failed = 0, clamped = 0, outside = 0;
};

inline HoldFigures move_and_hold(ArmLoop& loop, const MoveAndHold& run = {}) {
  const PoseReference start = loop.pose().reference();
  PoseReference reference = start;
  HoldFigures figures;
  Eigen::Vector3d settled = Eigen::Vector3d::Zero();
  double squares = 0.0;
  int ticks = 0;
  while (loop.time() < run.end) {
    const Quintic at = quintic(loop.time(), run.duration);
    reference.X_WE.p = start.X_WE.p + at.s * run.move;
    reference.V_WE.head<3>() = at.v * run.move;
    reference.A_WE.head<3>() = at.a * run.move;
    loop.pose().set_reference(reference);
    const Eigen::Vector3d tool = loop.tool().p;
    figures.error = (tool - reference.X_WE.p).norm();
    if (loop.time() < run.duration + 0.5)
      figures.tracking = std::max(figures.tracking, figures.error);
    if (loop.time() < run.settled) {
      settled = tool;
    } else {
      figures.displacement = std::max(figures.displacement, (tool - settled).norm());
      squares += loop.joint_speeds().squaredNorm();
      ++ticks;
    }
    loop.step();
  }
  figures.speed = std::sqrt(squares / ticks);
  const ProblemCounts& counts = loop.problem().counts();
  figures.relaxed = counts.relaxed;
  figures.failed = counts.failed;
  figures.outside = counts.outside_boxes;
  figures.clamped = loop.drive().clamped();
  return figures;
}

}  // namespace handspan::test
