#pragma once
// One QP over arms of an app: observations in, commands of their actuator groups out (design
// section 3.2). Builds the control model from the scene, keeps an ArmDrive for each group, and
// holds groups that are not due at their last accelerations, so that a 1 kHz and a 125 Hz arm share
// one problem.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "control/arm_drive.hpp"
#include "control/collision.hpp"
#include "control/problem.hpp"
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
  std::vector<std::pair<std::string, JoinConfig>> joins;
  ProblemConfig problem;
  BetweenArmsConfig between_arms;
  bool jerk_limits = true;  // the joints' jerks of limits.yaml, also where no constraint says so
};

class WholeArm {
 public:
  /// @param scene, layout outlive this  @param base the loop's tick [ns]
  /// @throws InputError or ConfigError: groups, frames, bodies that do not exist, a joint of a
  /// controlled robot that no group observes, limits that cannot be used ...
  WholeArm(const WholeArmConfig& config, const Scene& scene, const PlantLayout& layout,
           Nanoseconds base);

  /// Everything holds where it is; before the first update.
  void start(const Observation& observation);
  /// One base tick: writes the commands of the groups that are due. Allocates, locks and throws
  /// nothing.
  void update(const Observation& observation, std::int64_t tick, Command& command);

  Task& task(std::string_view name) { return problem_->task(name); }
  /// Picks a payload up or puts it down in the control model, along a ramp. @throws InputError
  void carry(std::string_view payload, bool carried, double time = kRampTime);

  /// Closes a join where its frames are when the next tick solves, or opens it. @throws InputError
  void join(std::string_view name, bool closed);

  /// The arm's commanded state becomes what is measured, as it moves: it is not where it was
  /// commanded. In a tick, before update().
  void rebase(int arm, const Observation& observation);

  const ControlSystem& system() const { return *system_; }
  ControlState& state() { return *state_; }
  const ControlState& state() const { return *state_; }
  const std::vector<std::unique_ptr<Task>>& tasks() const { return problem_->tasks(); }
  ControlProblem& problem() { return *problem_; }
  const ControlProblem& problem() const { return *problem_; }
  const ArmDrive& drive(int arm) const { return arms_[static_cast<std::size_t>(arm)].drive; }
  std::size_t arms() const { return arms_.size(); }
  /// Of an arm: its group in the plant's layout, and its mechanism.
  int group_of(int arm) const { return arms_[static_cast<std::size_t>(arm)].group; }
  int mechanism_of(int arm) const { return arms_[static_cast<std::size_t>(arm)].mechanism; }

  void state(StateArchive& archive);

  void declare(ChannelTable& channels, Rate rate);
  void publish(ChannelTable& channels, Nanoseconds stamp) const;

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
  struct Follower {  // a mimic joint, which nobody drives and nothing measures
    int mechanism = 0, q = 0, v = 0, master_q = 0, master_v = 0;
    double multiplier = 1.0, offset = 0.0;
  };

  void add_followers(int mechanism);
  void follow_masters();
  void add_defaults(const WholeArmConfig& config, const ConstraintContext& context,
                    std::vector<std::unique_ptr<Constraint>>& constraints);
  void add_joins(const WholeArmConfig& config, const Scene& scene, const PlantLayout& layout);
  void observe_held(const Observation& observation);

  Nanoseconds base_;
  std::int64_t ticks_since_ = 0;  // the last solve
  std::unique_ptr<ControlSystem> system_;
  std::unique_ptr<RobotModel> surroundings_;
  std::unique_ptr<ControlState> state_;
  std::unique_ptr<ControlProblem> problem_;
  std::vector<Arm> arms_;
  std::vector<HeldJoint> held_;
  std::vector<Follower> followers_;
};

/// The keys of a whole-arm controller, with the tasks and constraints that are registered now.
Schema<WholeArmConfig> whole_arm_schema();

}  // namespace handspan
