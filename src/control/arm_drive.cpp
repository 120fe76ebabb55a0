// One file, since the model of the servo, the correction and the law share the state of one arm.
#include "control/arm_drive.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/error.hpp"

namespace handspan {
namespace {

// half a step of a 17-bit encoder is 2.4e-5 rad: what is closer than this is right, so that nothing
// hunts between two steps
constexpr double kEncoderDoubt = 3e-5;  // [rad]
// of the lag, beside one tick, that the servo model may be wrong by
constexpr double kLagDoubt = 0.5;
constexpr double kFastestCorrection = 0.1;  // of the velocity limit
// of the limits that torque-driven tracking of the commanded state uses
constexpr double kTrackingTorque = 0.5, kTrackingSpeed = 0.5;
// of the torque rate that the extra torque may use; the rest is left to the QP, whose rows count
// both: else noise of the measured velocity would become acceleration of the commanded state
constexpr double kExtraRate = 0.5;
// measured feedback: the wanted velocity, which friction compensation helps, is this far ahead [s]
constexpr double kFrictionHorizon = 0.1;

const char* kind_name(GroupKind kind) {
  switch (kind) {
    case GroupKind::kTorque:
      return "torque-driven";
    case GroupKind::kVelocity:
      return "velocity-driven";
    case GroupKind::kPosition:
      return "position-driven";
    case GroupKind::kSuction:
      return "a suction cup";
    case GroupKind::kGripper:
      return "a gripper";
  }
  return "";
}

ArmLaw own_law(GroupKind kind) {
  return kind == GroupKind::kTorque     ? ArmLaw::kTorque
         : kind == GroupKind::kVelocity ? ArmLaw::kVelocity
                                        : ArmLaw::kPosition;
}

void check(const ArmConfig& config, const ArmContext& context) {
  const GroupLayout& group = context.group;
  const auto refuse = [&](const char* what, const char* needs, const char* hint) {
    throw InputError(fmt::format("{} needs {}; '{}' is {}; {}", what, needs, group.name,
                                 kind_name(group.kind), hint));
  };
  if (group.kind == GroupKind::kSuction || group.kind == GroupKind::kGripper)
    refuse("an arm", "joints", "name another group");
  const ArmLaw own = own_law(group.kind);
  if (config.law && *config.law != own && group.kind != GroupKind::kTorque) {
    if (*config.law == ArmLaw::kTorque)
      refuse("law: torque", "a torque-driven group", "leave the law out");
    if (*config.law == ArmLaw::kPosition)
      refuse("law: position", "a torque- or position-driven group", "leave the law out");
    refuse("law: velocity", "a torque- or velocity-driven group", "leave the law out");
  }
  if (group.kind != GroupKind::kTorque) {
    const auto torques = [&](bool given, const char* what) {
      if (given) refuse(what, "a torque-driven group", "leave it out");
    };
    torques(config.stiffness.has_value(), "stiffness");
    torques(config.damping.has_value(), "damping");
    torques(config.acceleration.has_value(), "acceleration");
    torques(config.friction.has_value(), "friction");
    torques(config.observer.has_value(), "observer");
  } else {
    if (config.servo_lag.value_or(0.0) > 0.0)
      refuse("servo_lag", "a velocity- or position-driven group", "leave it out");
    if (config.compensate_lag)
      refuse("compensate_lag", "a velocity- or position-driven group", "leave it out");
    // D of (q'_c - q') then is of q'' dt alone: what suits a commanded state does not move the arm
    const bool spring = config.law == ArmLaw::kPosition, damper = config.law == ArmLaw::kVelocity;
    if (config.feedback == Feedback::kMeasured &&
        ((spring && !config.stiffness) || ((spring || damper) && !config.damping)))
      throw InputError(fmt::format(
          "law: {} with feedback: measured acts on the change of one tick, and needs gains for "
          "that; set feedback: commanded, or give {}",
          spring ? "position" : "velocity", spring ? "stiffness and damping" : "damping"));
  }
  // from measured velocities it would be their noise, and its own feedback would run after it
  if (config.compensate_lag && config.feedback != Feedback::kCommanded)
    throw InputError(
        "compensate_lag runs ahead of the commanded state; set feedback: commanded, or leave it "
        "out");
  for (const auto& joint : group.joints)
    if (std::ranges::find(context.mechanism.joint_names, joint) ==
        context.mechanism.joint_names.end())
      throw InputError(
          fmt::format("joint '{}' of the group '{}' is not an actuated joint of '{}'; "
                      "list it there",
                      joint, group.name, context.mechanism.name));
  const auto sized = [&](const std::optional<Eigen::VectorXd>& values, const char* what) {
    if (values && values->size() != group.size())
      throw InputError(fmt::format("{} has {} values for the {} joints of '{}'; give one a joint",
                                   what, values->size(), group.size(), group.name));
  };
  sized(config.stiffness, "stiffness");
  sized(config.damping, "damping");
  sized(config.friction, "friction");
  sized(config.acceleration, "acceleration");
}

// complete, and checked, since every member after it relies on that
ArmConfig completed(ArmConfig config, const ArmContext& context) {
  // measured states are behind a servo by its lag, and a command that is made of them takes the lag
  // for a disturbance
  if (!config.feedback)
    config.feedback = config.law.value_or(own_law(context.group.kind)) == ArmLaw::kTorque
                          ? Feedback::kMeasured
                          : Feedback::kCommanded;
  check(config, context);
  return config;
}

double beyond(double value, double doubt) { return value - std::clamp(value, -doubt, doubt); }

}  // namespace

ArmDrive::ArmDrive(const ArmConfig& config, const ArmContext& context)
    : name_(context.group.name),
      config_(completed(config, context)),
      mechanism_(context.mechanism),
      kind_(context.group.kind),
      gravity_compensated_(context.group.gravity_compensated),
      law_(config.law.value_or(own_law(context.group.kind))),
      tracking_damping_(
          config.tracking_damping.value_or(2.0 * std::sqrt(config.tracking_stiffness))),
      servo_(kind_, context.group.size(), config.servo_lag.value_or(context.maker.lag),
             static_cast<int>(config.servo_delay.value_or(context.maker.delay_ticks))),
      data_(*mechanism_.model) {
  const Eigen::Index n = context.group.size(), nv = mechanism_.model->nv();
  for (std::size_t k = 0; k < mechanism_.actuated.size(); ++k) {
    const std::string& name = mechanism_.joint_names[k];
    const auto found = std::ranges::find(context.group.joints, name);
    if (found == context.group.joints.end()) continue;  // another group's
    joints_.push_back({found - context.group.joints.begin(), mechanism_.model->joint(name).q,
                       mechanism_.actuated[k], static_cast<Eigen::Index>(k),
                       &mechanism_.limits[k]});
    joint_names_.push_back(name);
    viability_.emplace_back(mechanism_.limits[k]);
  }
  stiffness_ = damping_ = friction_ = Eigen::VectorXd::Zero(n);
  for (Eigen::Index k = 0; k < n; ++k) {
    const Joint& joint = joints_[static_cast<std::size_t>(k)];
    // a fifth of the torque limit at 0.1 rad, as joint_springs has it
    stiffness_[k] =
        config.stiffness ? (*config.stiffness)[joint.group] : 0.2 * joint.limits->torque / 0.1;
    if (config.damping) damping_[k] = (*config.damping)[joint.group];
    if (config.friction) friction_[k] = (*config.friction)[joint.group];
  }
  if (config.observer) observer_.emplace(nv, *config.observer);
  q_ = v_ = q_c_ = v_c_ = total_ = compensated_ = extra_ = q_next_ = v_next_ = sent_ahead_ =
      shift_ = Eigen::VectorXd::Zero(n);
  sent_ = Eigen::MatrixXd::Zero(
      n, 1 + (kind_ == GroupKind::kTorque ? config.servo_delay.value_or(context.maker.delay_ticks)
                                          : 0));
  tracking_ = gravity_ = payload_ = v_all_ = tau_all_ = Eigen::VectorXd::Zero(nv);
  q_all_ = mechanism_.model->neutral();
}

void ArmDrive::read(const GroupState& measured, double dt) {
  const auto n = static_cast<Eigen::Index>(joints_.size());
  if (measured.q.size() != n || measured.v.size() != n || !measured.q.allFinite() ||
      !measured.v.allFinite()) {
    ++not_finite_;
    return;
  }
  const double gain =
      config_.velocity_filter > 0.0 ? 1.0 - std::exp(-dt / config_.velocity_filter) : 1.0;
  for (Eigen::Index k = 0; k < n; ++k) {
    const Eigen::Index i = joints_[static_cast<std::size_t>(k)].group;
    q_[k] = measured.q[i];
    v_[k] += gain * (measured.v[i] - v_[k]);
  }
}

void ArmDrive::measured(const GroupState& measured, Eigen::VectorXd& q, Eigen::VectorXd& v) const {
  if (measured.q.size() != std::ssize(joints_) || measured.v.size() != std::ssize(joints_)) return;
  for (const Joint& joint : joints_) {
    if (std::isfinite(measured.q[joint.group])) q[joint.q] = measured.q[joint.group];
    if (std::isfinite(measured.v[joint.group])) v[joint.v] = measured.v[joint.group];
  }
}

void ArmDrive::write(MechanismState& state) const {
  for (std::size_t k = 0; k < joints_.size(); ++k) {
    state.q[joints_[k].q] = q_c_[static_cast<Eigen::Index>(k)];
    state.v[joints_[k].v] = v_c_[static_cast<Eigen::Index>(k)];
  }
}

void ArmDrive::start(const GroupState& measured, MechanismState& state) {
  for (std::size_t k = 0; k < joints_.size(); ++k)
    q_[static_cast<Eigen::Index>(k)] = state.q[joints_[k].q];
  v_.setZero();
  read(measured, state.dt);
  q_c_ = q_;
  v_c_.setZero();
  write(state);
  for (const Joint& joint : joints_) state.qdd[joint.v] = 0.0;
  clear_extra_torque(state);
  extra_.setZero();
  compensated_.setZero();
  const Eigen::MatrixXd& M = mass_matrix(*mechanism_.model, data_, state.q);
  if (!config_.damping)
    for (std::size_t k = 0; k < joints_.size(); ++k) {
      const auto i = static_cast<Eigen::Index>(k);
      damping_[i] = 2.0 * std::sqrt(stiffness_[i] * M(joints_[k].v, joints_[k].v));
    }
  const Eigen::VectorXd& gravity = gravity_forces(*mechanism_.model, data_, state.q);
  for (const Joint& joint : joints_) state.tau[joint.row] = gravity[joint.v];
  start_torque(state);
  servo_.start(q_);
  if (observer_) observer_->start();
}

void ArmDrive::start_torque(MechanismState& state) {
  for (std::size_t k = 0; k < joints_.size(); ++k) {
    const Eigen::Index row = joints_[k].row;
    state.tau_before[row] = total_[static_cast<Eigen::Index>(k)] = state.tau[row];
  }
  sent_.colwise() = total_;
}

void ArmDrive::clear_extra_torque(MechanismState& state) const {
  for (const Joint& joint : joints_) state.extra_torque[joint.row] = 0.0;
}

void ArmDrive::rebase(const GroupState& measured, MechanismState& state) {
  read(measured, state.dt);
  q_c_ = q_;
  // at rest: an arm that presses would brake on into what it presses against
  v_c_.setZero();
  // what was asked before was of another state
  for (const Joint& joint : joints_) state.qdd[joint.v] = 0.0;
  write(state);
  servo_.start(q_c_, v_c_);
}

void ArmDrive::observe(const GroupState& measured, MechanismState& state) {
  read(measured, state.dt);
  if (config_.feedback == Feedback::kCommanded) {
    correct(state.dt);
  } else {
    q_c_ = q_;
    v_c_ = v_;
  }
  write(state);
  clear_extra_torque(state);
  if (kind_ != GroupKind::kTorque) return;
  find_extra_torque(state);
  // the QP's rows know the torque of its own law only
  if (law_ != ArmLaw::kTorque) return;
  for (std::size_t k = 0; k < joints_.size(); ++k) {
    const auto i = static_cast<Eigen::Index>(k);
    state.tau_before[joints_[k].row] = total_[i];
    state.extra_torque[joints_[k].row] = extra_[i];
  }
}

void ArmDrive::state(StateArchive& archive) {
  archive.part("drive", name_);
  archive(damping_, servo_, q_, v_, q_c_, v_c_, total_, extra_, compensated_, sent_, next_,
          dt_before_, not_finite_, clamped_);
  if (observer_) archive(*observer_);
}

void ArmDrive::correct(double dt) {
  const double doubt = kLagDoubt * servo_.lag() + dt;
  for (std::size_t k = 0; k < joints_.size(); ++k) {
    const auto i = static_cast<Eigen::Index>(k);
    const double e = beyond(q_[i] - servo_.q()[i], kEncoderDoubt + doubt * std::abs(servo_.v()[i]));
    const double most = kFastestCorrection * joints_[k].limits->velocity * dt;
    shift_[i] = std::clamp(config_.correction * e * dt, -most, most);
    const double q = q_c_[i] + shift_[i];
    const JointViability& joint = viability_[k];
    const bool stays = shift_[i] > 0.0
                           ? q <= joint.upper_position() && v_c_[i] <= joint.upper_velocity(q)
                           : q >= joint.lower_position() && v_c_[i] >= joint.lower_velocity(q);
    if (!stays) shift_[i] = 0.0;
  }
  q_c_ += shift_;
  servo_.shift(shift_);
}

double ArmDrive::wanted_velocity(Eigen::Index k, const MechanismState& state) const {
  const Joint& joint = joints_[static_cast<std::size_t>(k)];
  // near rest the wanted acceleration alone counts: to help the velocity would undo the damping of
  // tasks that are slower than the horizon
  if (config_.feedback == Feedback::kMeasured)
    return beyond(v_[k], 2.0 * config_.friction_velocity) + kFrictionHorizon * state.qdd[joint.v];
  if (law_ == ArmLaw::kVelocity) return v_c_[k];
  // with which the arm goes after the commanded position
  const double rate =
      law_ == ArmLaw::kTorque
          ? (tracking_damping_ > 0.0 ? config_.tracking_stiffness / tracking_damping_ : 0.0)
          : (damping_[k] > 0.0 ? stiffness_[k] / damping_[k] : 0.0);
  return v_c_[k] + rate * (q_c_[k] - q_[k]);
}

void ArmDrive::find_extra_torque(const MechanismState& state) {
  const bool tracks = law_ == ArmLaw::kTorque && config_.feedback == Feedback::kCommanded;
  // h is at the commanded state, and the arm bears the gravity of where it is
  Eigen::VectorXd& between = payload_;  // scratch until the command: g(q) - g(q_c)
  if (tracks || (observer_ && config_.feedback == Feedback::kCommanded)) {
    q_all_ = state.q;
    for (std::size_t k = 0; k < joints_.size(); ++k)
      q_all_[joints_[k].q] = q_[static_cast<Eigen::Index>(k)];
    between = -gravity_forces(*mechanism_.model, data_, state.q);
    gravity_ = gravity_forces(*mechanism_.model, data_, q_all_);
    between += gravity_;
  }
  if (tracks) {
    const double kp = config_.tracking_stiffness, kd = tracking_damping_;
    v_all_.setZero();
    for (std::size_t k = 0; k < joints_.size(); ++k) {
      const auto i = static_cast<Eigen::Index>(k);
      // at the speed limit kp times this is what kd times the speed takes back
      const double most =
          kp > 0.0 && kd > 0.0 ? kTrackingSpeed * joints_[k].limits->velocity * kd / kp : HUGE_VAL;
      v_all_[joints_[k].v] = kp * std::clamp(q_c_[i] - q_[i], -most, most) + kd * (v_c_[i] - v_[i]);
    }
    tracking_.noalias() = state.M * v_all_;
  }
  for (std::size_t k = 0; k < joints_.size(); ++k) {
    const auto i = static_cast<Eigen::Index>(k);
    const double limit = joints_[k].limits->torque;
    compensated_[i] =
        friction_[i] > 0.0
            ? friction_[i] * std::tanh(wanted_velocity(i, state) / config_.friction_velocity)
            : 0.0;
    double extra = compensated_[i];
    if (tracks)
      extra +=
          std::clamp(tracking_[joints_[k].v], -kTrackingTorque * limit, kTrackingTorque * limit) +
          between[joints_[k].v];
    if (observer_)
      extra += std::clamp(-observer_->torque()[joints_[k].v], -config_.observer_share * limit,
                          config_.observer_share * limit);
    const double step = kExtraRate * joints_[k].limits->torque_rate * state.dt;
    extra_[i] = std::clamp(extra, extra_[i] - step, extra_[i] + step);
  }
}

void ArmDrive::coast(const GroupState& measured, MechanismState& state, double dt) {
  read(measured, dt);
  for (std::size_t k = 0; k < joints_.size(); ++k) {
    const auto i = static_cast<Eigen::Index>(k);
    double &q = state.q[joints_[k].q], &v = state.v[joints_[k].v];
    if (config_.feedback == Feedback::kMeasured) {
      q = q_[i];
      v = v_[i];
      continue;
    }
    const double a = state.qdd[joints_[k].v];
    q += dt * (v + 0.5 * dt * a);
    v += dt * a;
  }
}

void ArmDrive::command(const MechanismState& state, Eigen::Ref<Eigen::VectorXd> command) {
  const double dt = state.dt;
  for (std::size_t k = 0; k < joints_.size(); ++k) {
    const auto i = static_cast<Eigen::Index>(k);
    const double a = state.qdd[joints_[k].v];
    q_next_[i] = q_c_[i] + dt * (v_c_[i] + 0.5 * dt * a);
    v_next_[i] = v_c_[i] + dt * a;
  }
  if (kind_ == GroupKind::kTorque) torque_command(state, q_next_, v_next_);
  // what holds over a tick and is that of its end is half a tick ahead already
  const double ahead = config_.compensate_lag
                           ? servo_.lag() + (static_cast<double>(servo_.delay()) - 0.5) * dt
                           : 0.0;  // [s]
  for (std::size_t k = 0; k < joints_.size(); ++k) {
    const auto i = static_cast<Eigen::Index>(k);
    double& value = command[joints_[k].group];
    if (kind_ == GroupKind::kTorque) {
      value = total_[i] - (gravity_compensated_ ? gravity_[joints_[k].v] : 0.0);
      continue;
    }
    if (kind_ == GroupKind::kPosition) {
      value = q_next_[i] + ahead * v_next_[i];
    } else {
      const double most = std::max(joints_[k].limits->velocity, std::abs(v_next_[i]));
      value = std::clamp(v_next_[i] + ahead * state.qdd[joints_[k].v], -most, most);
    }
    sent_ahead_[i] = value;
  }
  q_c_ = q_next_;
  v_c_ = v_next_;
  if (kind_ != GroupKind::kTorque)
    servo_.step(sent_ahead_, dt);
  else
    servo_.step(q_c_, dt);
  dt_before_ = dt;
}

void ArmDrive::torque_command(const MechanismState& state, const Eigen::VectorXd& q_next,
                              const Eigen::VectorXd& v_next) {
  if (observer_) observe_disturbance(state);
  const RobotModel& model = *mechanism_.model;
  q_all_ = state.q;
  for (std::size_t k = 0; k < joints_.size(); ++k)
    q_all_[joints_[k].q] = q_[static_cast<Eigen::Index>(k)];
  if (law_ != ArmLaw::kTorque)
    payload_ = state.h - nonlinear_effects(model, data_, state.q, state.v);
  if (law_ != ArmLaw::kTorque || gravity_compensated_)
    gravity_ = gravity_forces(model, data_, q_all_);
  for (std::size_t k = 0; k < joints_.size(); ++k) {
    const auto i = static_cast<Eigen::Index>(k);
    const Eigen::Index v = joints_[k].v;
    double tau = state.tau[joints_[k].row];
    if (law_ == ArmLaw::kPosition)
      tau = stiffness_[i] * (q_next[i] - q_[i]) - damping_[i] * v_[i] + gravity_[v] + payload_[v];
    else if (law_ == ArmLaw::kVelocity)
      tau = damping_[i] * (v_next[i] - v_[i]) + gravity_[v] + payload_[v];
    tau += extra_[i];
    const double limit = joints_[k].limits->torque;
    total_[i] = std::clamp(tau, -limit, limit);
    // the QP's torque rows hold to 1e-6 of the limit
    if (std::abs(tau) > limit * (1.0 + 2e-6)) ++clamped_;
  }
  // what overcomes friction is not the observer's, or it would do so twice
  sent_.col(next_) = total_ - compensated_;
  next_ = (next_ + 1) % sent_.cols();
}

void ArmDrive::observe_disturbance(const MechanismState& state) {
  v_all_ = state.v;
  tau_all_.setZero();
  // since the last tick the oldest of those on their way has acted
  for (std::size_t k = 0; k < joints_.size(); ++k) {
    v_all_[joints_[k].v] = v_[static_cast<Eigen::Index>(k)];
    tau_all_[joints_[k].v] = sent_(static_cast<Eigen::Index>(k), next_);
  }
  // h with the gravity of where the arm is: the observer would take what lies between for a
  // disturbance, and it is compensated
  Eigen::VectorXd& h = tracking_;
  h = state.h;
  if (config_.feedback == Feedback::kCommanded) h += payload_;
  observer_->update(state.M, h, v_all_, tau_all_, dt_before_);
}

}  // namespace handspan
