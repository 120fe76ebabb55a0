#pragma once
// One QP over arms of an app: observations in, commands of their actuator groups out.
// Builds the control model from the scene, keeps an ArmDrive for each group, and
// holds groups that are not due at their last accelerations, so that a 1 kHz and a 125 Hz arm share
// one problem.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "control/arm_drive.hpp"
#include "control/arm_frame.hpp"
#include "control/arms_controller.hpp"
#include "control/collision.hpp"
#include "control/frame_task.hpp"
#include "control/joint_stop.hpp"
#include "control/problem.hpp"
#include "core/parts.hpp"
#include "scene/scene.hpp"

namespace handspan {

struct PayloadConfig {
  std::string frame;
  double mass = 0.0;                                // [kg]
  Eigen::Vector3d p_EC = Eigen::Vector3d::Zero();   // centre of mass in the frame [m]
  Eigen::Matrix3d I_C_E = Eigen::Matrix3d::Zero();  // about it, in the frame's axes [kg m^2]
  bool carried = false;                             // from the start
};

/// Two frames of robots or of what stands still (fixtures, the scene's frames), which do not move
/// against one another while it is closed.
struct JoinConfig {
  Place place;
  std::vector<std::string> between;   // a, b: forces are those on b
  bool closed = false;                // from the start
  double stiffness = kHoldStiffness;  // [1/s^2]
};

struct WholeArmConfig {
  Place place;
  std::vector<std::pair<std::string, ArmConfig>> arms;  // by actuator group: "left.arm"
  std::vector<std::pair<std::string, TaskRegistry::Part>> tasks;
  std::vector<ConstraintRegistry::Part> constraints;
  std::vector<std::pair<std::string, PayloadConfig>> payloads;
  std::vector<std::pair<std::string, JoinConfig>> loop_closures;
  ProblemConfig problem;
  BetweenArmsConfig between_arms;
  bool jerk_limits = true;  // the joints' jerks of limits.yaml, also where no constraint says so
};

class WholeArm : public ArmsController {
 public:
  /// @param scene, layout outlive this  @param base the loop's tick [ns]
  /// @throws InputError or ConfigError: groups, frames, bodies that do not exist, a joint of a
  /// controlled robot that no group observes, limits that cannot be used ...
  WholeArm(const WholeArmConfig& config, const Scene& scene, const PlantLayout& layout,
           Nanoseconds base);

  /// Everything holds where it is; before the first update.
  void start(const Observation& observation) override;
  /// One base tick: observe(), then solve(). Allocates, locks and throws nothing, as those.
  void update(const Observation& observation, std::int64_t tick, Command& command) {
    observe(observation, tick);
    solve(command);
  }
  /// The first half of a base tick: state() becomes that of this tick, seen() what is observed now.
  void observe(const Observation& observation, std::int64_t tick) override;
  /// The second half: writes the commands of the groups that are due.
  void solve(Command& command) override;

  /// Where a frame is by the joints as they were measured last, whatever the feedback of its arm
  /// is. A measurement that is not finite is replaced by the last good one.
  ArmFrame seen(const ControlSystem::FrameOf& frame) const;
  /// The joint as it was measured last [rad]. @param q, v its indices into the mechanism's q and v
  double seen_q(int mechanism, int q) const {
    return stops_[static_cast<std::size_t>(mechanism)].q_seen[q];
  }
  double seen_v(int mechanism, int v) const {
    return stops_[static_cast<std::size_t>(mechanism)].v_seen[v];
  }

  // A mechanism that stops brakes with all of its joints, from the state of this tick, and rests
  // where it comes to. While it does, its joints are asked for that besides what tasks ask; the
  // tasks' references go with it by stop_frame() and stop_joints(). Between observe() and solve().

  /// Whether it takes a command in this tick, so that a stop can begin.
  bool due(int mechanism) const {
    return state_->mechanisms[static_cast<std::size_t>(mechanism)].due;
  }
  /// @param rests it is at rest already, and stays where it is
  /// @param presses it carries a force that tasks push with, which the joints must not undo
  void begin_stop(int mechanism, bool rests, bool presses);
  void end_stop(int mechanism);
  /// Where it stops goes on at a velocity of the frame in W, for this tick [m/s]: away from what
  /// the arm presses against. Nothing for one that does not stop.
  void retreat(const ControlSystem::FrameOf& frame, const Eigen::Vector3d& v_W);
  bool stops(int mechanism) const { return stops_[static_cast<std::size_t>(mechanism)].active; }
  /// Its stop has come to its end.
  bool stopped(int mechanism) const {
    const Stop& stop = stops_[static_cast<std::size_t>(mechanism)];
    return stop.active && (stop.rests || stop.t >= stop.plan->duration());
  }
  /// Where a frame is on the way to rest in this tick, with velocity and acceleration.
  PoseReference stop_frame(const ControlSystem::FrameOf& frame) const;
  /// Of the actuated joints.
  const Eigen::VectorXd& stop_q(int mechanism) const {
    return stops_[static_cast<std::size_t>(mechanism)].q;
  }
  const Eigen::VectorXd& stop_v(int mechanism) const {
    return stops_[static_cast<std::size_t>(mechanism)].v;
  }
  const Eigen::VectorXd& stop_a(int mechanism) const {
    return stops_[static_cast<std::size_t>(mechanism)].a;
  }
  /// All actuated joints of a mechanism rest: as control has them, they are slower than what
  /// measuring makes of an arm that stands.
  bool rests(int mechanism) const;
  /// At rest, it is asked for accelerations all the same: measured feedback, and something that
  /// control does not know of, such as a contact, keeps it from moving.
  bool is_kept(int mechanism) const;
  /// The force that a sensor feels at one of the mechanism's frames, smoothed, in W; zero where
  /// there is none [N].
  Eigen::Vector3d felt_force(int mechanism) const;

  Task& task(std::string_view name) { return problem_->task(name); }
  /// Picks a payload up or puts it down in the control model, along a ramp. @throws InputError
  void carry(std::string_view payload, bool carried, double time = kRampTime);

  /// Closes a loop closure where its frames are when the next tick solves, or opens it. @throws
  /// InputError
  void loop_closure(std::string_view name, bool closed);

  /// The arm's commanded state becomes where it is measured, at rest: it is not where it was
  /// commanded. In a tick, before update().
  void rebase(int arm, const Observation& observation);

  const ControlSystem& system() const { return *system_; }
  ControlState& state() { return *state_; }
  const ControlState& state() const { return *state_; }
  const std::vector<std::unique_ptr<Task>>& tasks() const { return problem_->tasks(); }
  std::vector<std::string> groups() const override { return group_names_; }
  std::vector<Task*> all_tasks() override;
  ControlProblem& problem() { return *problem_; }
  const ControlProblem& problem() const { return *problem_; }
  const ArmDrive& drive(int arm) const { return arms_[static_cast<std::size_t>(arm)].drive; }
  std::size_t arms() const { return arms_.size(); }
  /// Of an arm: its group in the plant's layout, and its mechanism.
  int group_of(int arm) const { return arms_[static_cast<std::size_t>(arm)].group; }
  int mechanism_of(int arm) const { return arms_[static_cast<std::size_t>(arm)].mechanism; }

  void state(StateArchive& archive) override;

  /// What of its tasks, payloads ("payload.NAME.carried") and loop closures
  /// ("loop_closure.NAME.closed") may be changed live. @param table does not outlive this
  void declare_parameters(ParameterTable& table) override;
  void declare(ChannelTable& channels, Rate rate) override;
  /// After solve(). @param stamp of the observation that was answered; of the commanded joints:
  /// when they are to be there, so that at one instant they stand beside the measured ones
  void publish(ChannelTable& channels, Nanoseconds stamp) const override;
  /// After start().
  void publish_start(ChannelTable& channels, Nanoseconds stamp) const override;

 private:
  struct Arm {
    int group = 0, mechanism = 0;
    Rate rate;
    ArmDrive drive;
    VectorChannel q, v;
  };
  struct HeldJoint {  // of a controlled robot, driven by others
    int group = 0, mechanism = 0;
    Eigen::Index index = 0;
    int q = 0, v = 0;
  };
  struct Stop {  // of a mechanism: what is measured of it, and how it comes to rest
    std::unique_ptr<RobotData> seen, data;
    Eigen::VectorXd q_seen, v_seen;  // (nq), (nv)
    bool measured = false;           // its arm works on what is measured
    std::unique_ptr<JointStop> plan;
    bool active = false, rests = false, presses = false;
    double t = 0.0, share = 1.0;       // since it began [s]; of the limits, that it uses
    Eigen::VectorXd q0, v0, a0, rate;  // that it was planned from, of the actuated joints
    Eigen::VectorXd q, v, a;           // in this tick
    Eigen::VectorXd q_all, v_all, a_all;
  };
  struct Felt {
    int sensor = 0;
    ControlSystem::FrameOf frame;
    Eigen::Vector3d f = Eigen::Vector3d::Zero();  // smoothed, in the sensor's frame [N]
  };
  struct Follower {  // a mimic joint, which nobody drives and nothing measures
    int mechanism = 0, q = 0, v = 0, master_q = 0, master_v = 0;
    double multiplier = 1.0, offset = 0.0;
  };

  void add_followers(int mechanism);
  void follow_masters();
  void add_defaults(const WholeArmConfig& config, const ConstraintContext& context,
                    std::vector<std::unique_ptr<Constraint>>& constraints);
  void add_loop_closures(const WholeArmConfig& config, const Scene& scene,
                         const PlantLayout& layout);
  void observe_held(const Observation& observation);
  void add_stops(const PlantLayout& layout);
  void look(const Observation& observation);
  void place_stop(int mechanism);
  void ask_stops();

  std::vector<std::string> group_names_;
  Nanoseconds base_;
  std::int64_t ticks_since_ = 0;  // the last solve
  std::unique_ptr<ControlSystem> system_;
  std::unique_ptr<RobotModel> surroundings_;
  std::unique_ptr<ControlState> state_;
  std::unique_ptr<ControlProblem> problem_;
  std::vector<Arm> arms_;
  std::vector<HeldJoint> held_;
  std::vector<Follower> followers_;
  std::vector<Stop> stops_;  // by mechanism
  std::vector<Felt> felt_;
  bool any_due_ = false;
};

/// The keys of a whole-arm controller, with the tasks and constraints that `parts` has now.
Schema<WholeArmConfig> whole_arm_schema(const Parts& parts);

}  // namespace handspan
