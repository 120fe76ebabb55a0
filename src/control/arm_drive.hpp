#pragma once
// Between a whole-arm controller and one actuator group: the state that the controller works on
// (measured, or its own commanded one corrected slowly from the measurement through a model of the
// servo), and the law that makes a command of accelerations. One object an arm.
//
// feedback: commanded. The state is the controller's own, integrated exactly from its q''. A servo
// model predicts what should be measured from the commands given; of what is measured beyond that,
// e, the commanded state and the prediction take over `correction` e dt a tick. So drift goes, and
// the transients of a wrong lag hardly enter: what a wrong lag can explain at the present speed,
// and half an encoder step, is no e. Positions shift only within the position limits and where the
// joint can still stop in time; the commanded velocity never does. (van Gorp 2022 reports its
// closed loop vibrating and its open loop drifting at 125 Hz.)
//
// An arm that is blocked: the commanded state does not run away of itself, it goes where its
// reference goes, less the correction. What pulls the arm after it is bounded: a torque-driven one
// chases at no more than half its velocity limit and with no more than half its torque limit.
#include <Eigen/Core>
#include <optional>
#include <string>
#include <vector>

#include "control/disturbance_observer.hpp"
#include "control/servo_model.hpp"
#include "control/system.hpp"
#include "control/viability.hpp"
#include "core/channel.hpp"
#include "core/schema.hpp"
#include "plant/plant.hpp"
#include "scene/robot_folder.hpp"

namespace handspan {

enum class Feedback { kMeasured, kCommanded };

/// What the group is commanded by (grab thesis, eq. 3.4 to 3.6).
enum class ArmLaw { kPosition, kVelocity, kTorque };

struct ArmConfig {
  std::optional<Feedback> feedback;  // none: measured where torques drive it, else commanded
  std::optional<ArmLaw> law;         // none: what the group's drive takes

  double velocity_filter = 0.0;  // time constant that smooths measured velocities; 0: none [s]

  // feedback: commanded
  double correction = 1.0;  // with which the commanded state follows what the servo model does not
                            // explain [1/s]
  std::optional<double> servo_lag;          // none: as the robot's folder says [s]
  std::optional<std::int64_t> servo_delay;  // none: as the robot's folder says [ticks]
  bool compensate_lag = false;  // velocity- or position-driven: commands run ahead of the commanded
                                // state by lag and delay, so that the joints are where it is

  // law: torque with feedback: commanded: tau = M (q''_c + kd (q'_c - q') + kp (q_c - q)) + h ...
  double tracking_stiffness = 400.0;       // kp [1/s^2]
  std::optional<double> tracking_damping;  // kd [1/s]; none: critical

  // law: position or velocity on a torque-driven group: tau = K (q_c - q) - D q' + g, D (q'_c - q')
  // + g
  std::optional<Eigen::VectorXd> stiffness;  // K, one a joint [N m/rad]
  std::optional<Eigen::VectorXd> damping;    // D, one a joint [N m s/rad]

  // torque-driven groups
  // that control may ask of a joint, instead of what limits.yaml has: makers state that for their
  // motion interfaces. Against a contact nothing of it happens, and a task that pushes needs more
  // of it than its motions do: at the limit it would give up its other directions. One a joint
  // [rad/s^2]
  std::optional<Eigen::VectorXd> acceleration;
  std::optional<Eigen::VectorXd> friction;  // compensated dry friction, one a joint [N m]
  double friction_velocity = 0.02;          // over which it changes sign [rad/s]
  // of the tool, mean over 50 ms: harder and every arm stops. None: 150 N for arms that are driven
  // by velocities or positions, no limit for those that are driven by torques [N]
  std::optional<double> max_force;
  std::optional<double> observer;  // bandwidth of the disturbance observer [1/s]; none: off
  double observer_share = 0.3;     // of the torque limit that it may add
};

/// What an arm's drive is made for; outlives it.
struct ArmContext {
  const Mechanism& mechanism;
  const GroupLayout& group;    // its joints are actuated ones of the mechanism, in any order; what
                               // other groups drive of it have drives of their own
  const ActuatorGroup& maker;  // what is known of the drive
};

class ArmDrive {
 public:
  /// @throws InputError when the law or a compensation does not suit the group's kind, a law of
  /// position or velocity has to do without gains on measured feedback, a joint of the group is not
  /// the mechanism's, or a vector has another size. Vectors are in the order of the
  /// group's joints
  ArmDrive(const ArmConfig& config, const ArmContext& context);

  /// The commanded state becomes what is measured, at rest; filters start there. tau becomes what
  /// carries the arm, without payloads.
  void start(const GroupState& measured, MechanismState& state);
  /// What was commanded last becomes tau, for one who knows of payloads.
  void start_torque(MechanismState& state);

  /// At the group's ticks, before the QP: writes q, v and, for the torque law, extra_torque, and to
  /// tau_before what was commanded last, from which the QP's torque rates count. Other laws
  /// give torques that the QP's rows do not know of; those are cut at the limit. A measurement that
  /// is not finite is replaced by the last good one and counted.
  void observe(const GroupState& measured, MechanismState& state);
  /// The commanded state becomes what is measured, at rest, and what is on its way is
  /// forgotten: of an arm that is not where it was commanded.
  void rebase(const GroupState& measured, MechanismState& state);
  /// At the ticks between: the commanded q and v go on with the last q''; measured ones are
  /// measured.
  void coast(const GroupState& measured, MechanismState& state, double dt);
  /// At the group's ticks, after the QP: the command, and the commanded state at the next tick.
  ///   velocity-driven: q' + q'' dt; position-driven: q + q' dt + q'' dt^2 / 2 =: q_c; with
  ///   compensate_lag, and T = lag + delay - dt / 2: q' + q'' dt + T q'', within the joint's
  ///   velocity limit, and q_c + T (q' + q'' dt), what a first-order servo needs for being there,
  ///   to first order in the delay; torque-driven (grab thesis, eq. 3.4 to 3.6): position K (q_c -
  ///   q) - D q' + g, velocity D (q'_c - q') + g, with g at the measured q, or torque: state.tau;
  ///   each + extra_torque.
  /// Where the plant adds the robot's own gravity to torques, that gravity is subtracted. In
  /// commanded feedback tau's h is at the commanded state, and g(q) - g(q_c) is in the extra
  /// torque: with a centre of mass 2 cm from its joint that is 490/s^2, more than what tracks
  /// between them.
  void command(const MechanismState& state, Eigen::Ref<Eigen::VectorXd> command);

  /// Writes the group's joints of what is measured into q (nq) and v (nv); leaves what is not
  /// finite.
  void measured(const GroupState& measured, Eigen::VectorXd& q, Eigen::VectorXd& v) const;
  Feedback feedback() const { return *config_.feedback; }
  ArmLaw law() const { return law_; }

  void state(StateArchive& archive);

  std::uint64_t not_finite() const { return not_finite_; }
  /// Torque commands cut at the torque limit after the law added what it adds.
  std::uint64_t clamped() const { return clamped_; }
  /// The group's joints, in the mechanism's order: that of all vectors here.
  const std::vector<std::string>& joint_names() const { return joint_names_; }
  /// q_c, q'_c, one a joint [rad, rad/s]; with feedback: measured one tick ahead of it.
  const Eigen::VectorXd& commanded_q() const { return q_c_; }
  const Eigen::VectorXd& commanded_v() const { return v_c_; }
  /// Where the joint at this place of the group should be measured now, after the commands that it
  /// was given: by the servo's model, or, with feedback: measured, one tick on from where it was
  /// [rad].
  double expected_q(Eigen::Index place) const {
    for (std::size_t k = 0; k < joints_.size(); ++k)
      if (joints_[k].group == place)
        return (config_.feedback == Feedback::kCommanded ? servo_.q()
                                                         : q_c_)[static_cast<Eigen::Index>(k)];
    return 0.0;
  }
  const std::string& name() const { return name_; }  // of the group
  std::size_t joints() const { return joints_.size(); }
  /// Of a joint of these: in the group, and among the mechanism's actuated joints.
  Eigen::Index place_in_group(std::size_t joint) const { return joints_[joint].group; }
  std::size_t actuated(std::size_t joint) const {
    return static_cast<std::size_t>(joints_[joint].row);
  }
  /// The observer's torque from outside, one a coordinate of the mechanism [N m]; empty without.
  Eigen::VectorXd disturbance() const {
    return observer_ ? observer_->torque() : Eigen::VectorXd();
  }

 private:
  struct Joint {
    Eigen::Index group, q, v;  // in the group, in q and in v
    Eigen::Index row;          // among the mechanism's actuated joints
    const JointLimits* limits;
  };

  void read(const GroupState& measured, double dt);
  void write(MechanismState& state) const;
  void clear_extra_torque(MechanismState& state) const;
  void correct(double dt);
  void find_extra_torque(const MechanismState& state);
  double wanted_velocity(Eigen::Index joint, const MechanismState& state) const;
  void torque_command(const MechanismState& state, const Eigen::VectorXd& q_next,
                      const Eigen::VectorXd& v_next);
  void observe_disturbance(const MechanismState& state);

  // vectors are one a joint of the group, in the mechanism's order, where nothing else is said
  std::string name_;
  ArmConfig config_;
  const Mechanism& mechanism_;
  GroupKind kind_;
  bool gravity_compensated_;
  ArmLaw law_;
  double tracking_damping_;
  std::vector<Joint> joints_;
  std::vector<std::string> joint_names_;
  std::vector<JointViability> viability_;
  Eigen::VectorXd stiffness_, damping_, friction_;
  ServoModel servo_;
  std::optional<DisturbanceObserver> observer_;

  Eigen::VectorXd q_, v_;        // measured, the last good ones
  Eigen::VectorXd q_c_, v_c_;    // commanded
  Eigen::VectorXd total_;        // torque commanded last, gravity included
  Eigen::VectorXd extra_;        // extra torque of the last tick
  Eigen::VectorXd compensated_;  // of the extra torque, what is for dry friction
  Eigen::MatrixXd sent_;         // joints x (delay + 1): totals less that, on their way; a ring
  Eigen::Index next_ = 0;        // column of the next total
  double dt_before_ = 0.001;     // from the last command to this one [s]
  std::uint64_t not_finite_ = 0, clamped_ = 0;

  RobotData data_;
  Eigen::VectorXd q_next_, v_next_, sent_ahead_, shift_, tracking_, gravity_, payload_;  // scratch
  Eigen::VectorXd q_all_, v_all_, tau_all_;  // scratch, of the whole mechanism
};

/// The keys of an arm.
Schema<ArmConfig> arm_schema();

}  // namespace handspan
