#include "control/velocity_law.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/error.hpp"
#include "core/named.hpp"
#include "core/object.hpp"
#include "scene/scene.hpp"

namespace handspan {
namespace {

constexpr char kResolvedRate[] = "resolved_rate";
// a torque-driven joint is behind its command by what its spring's damping makes of its speed, and
// others by what is wrong in the model of their servo: that is not something in its way [s]
constexpr double kSpringLag = 0.2, kServoDoubt = 0.01;

// what a torque-driven group does with velocities
ArmConfig with_law(ArmConfig config, const GroupLayout& group) {
  if (config.law == ArmLaw::kTorque)
    throw InputError(fmt::format(
        "the arm '{}' has law: torque, which needs the accelerations of the quadratic program; use "
        "law: position or velocity, or leave it out",
        group.name));
  if (group.kind == GroupKind::kTorque && !config.law) config.law = ArmLaw::kPosition;
  return config;
}

Schema<ArmConfig> velocity_arm_schema() {
  return object<ArmConfig>("VelocityArm", "how an arm takes its state and its velocities")
      .optional("feedback", &ArmConfig::feedback,
                choice<Feedback>(
                    {{"measured", Feedback::kMeasured}, {"commanded", Feedback::kCommanded}}),
                "the state that is controlled; left out: commanded")
      .optional("law", &ArmConfig::law,
                choice<ArmLaw>({{"position", ArmLaw::kPosition},
                                {"velocity", ArmLaw::kVelocity},
                                {"torque", ArmLaw::kTorque}}),
                "position or velocity, of a torque-driven group; left out: position there")
      .optional("velocity_filter", &ArmConfig::velocity_filter, number("s").min(0).max(1),
                "that smooths measured velocities")
      .optional("correction", &ArmConfig::correction, number("1/s").min(0).max(100),
                "with which the commanded state follows what the servo does not explain")
      .optional("servo_lag", &ArmConfig::servo_lag, number("s").min(0).max(1),
                "left out: as the robot's folder says")
      .optional("servo_delay", &ArmConfig::servo_delay, integer().min(0).max(100),
                "[ticks]; left out: as the robot's folder says")
      .optional("compensate_lag", &ArmConfig::compensate_lag, boolean(),
                "commands run ahead by the servo's lag and delay")
      .optional("stiffness", &ArmConfig::stiffness, dynamic_vector("N m/rad").above(0),
                "of a torque-driven group, one a joint")
      .optional("damping", &ArmConfig::damping, dynamic_vector("N m s/rad").min(0),
                "of a torque-driven group, one a joint")
      .optional("friction", &ArmConfig::friction, dynamic_vector("N m").min(0),
                "compensated dry friction of a torque-driven group, one a joint");
}

}  // namespace

VelocityLaw::VelocityLaw(const VelocityLawConfig& config, const ArmsContext& context)
    : base_(context.base), damping_(config.damping), system_(context.scene.physics.gravity) {
  for (const auto& [name, arm] : config.arms) {
    find_named("the scene", "group", name, context.layout.groups, &GroupLayout::name);
    group_names_.push_back(name);
  }
  add_mechanisms(config, context);
  system_.seal();
  state_ = std::make_unique<ControlState>(system_);
  state_->dt = seconds(base_);
  add_arms(config, context);
  add_tasks(config);
}

void VelocityLaw::add_mechanisms(const VelocityLawConfig& config, const ArmsContext& context) {
  const auto ours = [&](const std::string& group) {
    return std::ranges::any_of(config.arms, [&](const auto& arm) { return arm.first == group; });
  };
  for (const RobotInstance& robot : context.scene.robots) {
    MechanismDescription mechanism{robot.name, robot.description, {}, {}, robot.limits, false};
    for (const GroupLayout& group : context.layout.groups)
      if (group.robot == robot.name)
        for (const std::string& joint : group.joints)
          (ours(group.name) ? mechanism.actuated : mechanism.held).push_back(joint);
    if (!mechanism.actuated.empty()) system_.add_mechanism(std::move(mechanism));
  }
}

void VelocityLaw::add_arms(const VelocityLawConfig& config, const ArmsContext& context) {
  for (std::size_t g = 0; g < context.layout.groups.size(); ++g) {
    const GroupLayout& group = context.layout.groups[g];
    const auto robot = std::ranges::find(system_.mechanisms(), group.robot, &Mechanism::name);
    if (robot == system_.mechanisms().end()) continue;
    const int m = static_cast<int>(robot - system_.mechanisms().begin());
    const auto arm =
        std::ranges::find(config.arms, group.name, [](const auto& entry) { return entry.first; });
    if (arm == config.arms.end()) {
      for (std::size_t j = 0; j < group.joints.size(); ++j) {
        const JointSlot& slot = robot->model->joint(group.joints[j]);
        held_.push_back({g, static_cast<Eigen::Index>(j), m, slot.q, slot.v});
      }
      continue;
    }
    const RobotInstance& instance = *context.scene.robot(group.robot);
    const auto maker = std::ranges::find_if(instance.groups, [&](const ActuatorGroup& a) {
      return instance.name + "." + a.name == group.name;
    });
    Arm made{g, m, group.rate,
             ArmDrive(with_law(arm->second, group), ArmContext{*robot, group, *maker}),
             ResolvedRate(*robot, 0)};
    made.sprung = group.kind == GroupKind::kTorque;
    made.J = Matrix6Xd::Zero(6, robot->model->nv());
    made.posture = made.by = made.ahead =
        Eigen::VectorXd::Zero(static_cast<Eigen::Index>(robot->actuated.size()));
    arms_.push_back(std::move(made));
    state_->mechanisms[static_cast<std::size_t>(m)].dt = 1.0 / group.rate.hz();
  }
}

void VelocityLaw::add_tasks(const VelocityLawConfig& config) {
  for (const auto& [name, part] : config.tasks) {
    try {
      tasks_.push_back(part.make(TaskContext{system_, name}));
    } catch (const ConfigError&) {
      throw;
    } catch (const InputError& error) {
      throw ConfigError({{part.place, "whole_arm.tasks." + name,
                          "cannot be made: " + std::string(error.what()), ""}});
    }
    auto* frame = dynamic_cast<FrameTask*>(tasks_.back().get());
    auto* posture = dynamic_cast<PostureTask*>(tasks_.back().get());
    const int mechanism = frame ? frame->frame().mechanism : posture ? posture->mechanism() : -1;
    const auto arm = std::ranges::find(arms_, mechanism, &Arm::mechanism);
    if (arm == arms_.end())
      throw ConfigError(
          {{part.place, "whole_arm.tasks." + name,
            fmt::format("is of type '{}', which {} does not have", part.name, kResolvedRate),
            "use pose, position, orientation, twist or posture, or leave the type of "
            "whole_arm out: the quadratic program has all of them"}});
    if (frame != nullptr)
      arm->frames.push_back(frame);
    else
      arm->postures.push_back(posture);
  }
  for (Arm& arm : arms_) {
    const Mechanism& mechanism = system_.mechanisms()[static_cast<std::size_t>(arm.mechanism)];
    Eigen::Index rows = 0;
    for (const FrameTask* frame : arm.frames) rows += frame->rows();
    if (rows > kMostRateRows)
      throw InputError(
          fmt::format("the frames' tasks of '{}' have {} rows; {} are the most: take "
                      "one away, or set some of its axes to false",
                      mechanism.name, rows, kMostRateRows));
    arm.law = ResolvedRate(mechanism, rows);
    arm.A = Eigen::MatrixXd::Zero(rows, static_cast<Eigen::Index>(mechanism.actuated.size()));
    arm.V = Eigen::VectorXd::Zero(rows);
  }
}

std::vector<Task*> VelocityLaw::all_tasks() {
  std::vector<Task*> all;
  for (const auto& task : tasks_) all.push_back(task.get());
  return all;
}

void VelocityLaw::observe_held(const Observation& observation) {
  for (const Held& joint : held_) {
    const GroupState& group = observation.groups[joint.group];
    MechanismState& s = state_->mechanisms[static_cast<std::size_t>(joint.mechanism)];
    // what is not finite stays what it was
    if (!std::isfinite(group.q[joint.index]) || !std::isfinite(group.v[joint.index])) continue;
    s.q[joint.q] = group.q[joint.index];
    s.v[joint.v] = group.v[joint.index];
  }
}

void VelocityLaw::start(const Observation& observation) {
  observe_held(observation);
  for (Arm& arm : arms_) {
    MechanismState& s = state_->mechanisms[static_cast<std::size_t>(arm.mechanism)];
    arm.drive.start(observation.groups[arm.group], s);
  }
  update_state(system_, *state_);
  for (const auto& task : tasks_) task->hold(system_, *state_);
}

void VelocityLaw::observe(const Observation& observation, std::int64_t tick) {
  observe_held(observation);
  any_due_ = false;
  for (Arm& arm : arms_) {
    MechanismState& s = state_->mechanisms[static_cast<std::size_t>(arm.mechanism)];
    const GroupState& measured = observation.groups[arm.group];
    s.due = due(tick, arm.rate, base_);
    any_due_ = any_due_ || s.due;
    if (!s.due) {
      arm.drive.coast(measured, s, state_->dt);
      continue;
    }
    arm.drive.observe(measured, s);
    arm.ahead.setZero();
    for (std::size_t k = 0;
         k < system_.mechanisms()[static_cast<std::size_t>(arm.mechanism)].actuated.size(); ++k) {
      const Eigen::Index place = arm.drive.place_in_group(k);
      const double ahead = arm.drive.expected_q(place) - measured.q[place];
      const double lag = (arm.sprung ? kSpringLag : kServoDoubt) *
                         std::abs(arm.drive.commanded_v()[static_cast<Eigen::Index>(k)]);
      if (std::isfinite(ahead))
        arm.ahead[static_cast<Eigen::Index>(k)] = ahead - std::clamp(ahead, -lag, lag);
    }
  }
  ++ticks_since_;
  update_state(system_, *state_);
}

// The rows of an arm's frames, each by the root of its weight; joints that others move take their
// part of what is wanted.
void VelocityLaw::find_rows(Arm& arm) {
  const auto m = static_cast<std::size_t>(arm.mechanism);
  const Mechanism& mechanism = system_.mechanisms()[m];
  MechanismState& s = state_->mechanisms[m];
  double most = 0.0;
  for (const FrameTask* frame : arm.frames) most = std::max(most, frame->gains().weight);
  Eigen::Index row = 0;
  for (const FrameTask* frame : arm.frames) {
    const double root = most > 0.0 ? std::sqrt(frame->gains().weight / most) : 0.0;
    const double turning = root * std::sqrt(frame->orientation_weight());
    const double way = frame->keeps_direction() ? frame->way().share() : 1.0;
    frame_jacobian(*mechanism.model, s.data, frame->frame().frame, arm.J);
    Vector6d V = way * (frame->wanted_twist() + s.dt * frame->reference().A_WE);
    for (const int v : mechanism.held) V -= arm.J.col(v) * s.v[v];
    const Eigen::Matrix3d R = frame->axes_of() == TaskAxes::kFrame
                                  ? Eigen::Matrix3d(frame->X_WE().R.transpose())
                                  : Eigen::Matrix3d(Eigen::Matrix3d::Identity());
    for (const int axis : frame->selected()) {
      const double scale = axis < 3 ? root : turning;
      const Eigen::Vector3d along = R.row(axis % 3);
      const int half = axis < 3 ? 0 : 3;
      for (std::size_t k = 0; k < mechanism.actuated.size(); ++k)
        arm.A(row, static_cast<Eigen::Index>(k)) =
            scale * along.dot(arm.J.col(mechanism.actuated[k]).segment<3>(half));
      arm.V[row++] = scale * along.dot(V.segment<3>(half));
    }
  }
}

// v_ref + (kp / kd) e of each joint; of several postures the mean by their weights.
void VelocityLaw::find_posture(Arm& arm) {
  const auto m = static_cast<std::size_t>(arm.mechanism);
  const Mechanism& mechanism = system_.mechanisms()[m];
  const MechanismState& s = state_->mechanisms[m];
  arm.posture.setZero();
  arm.by.setZero();
  for (const PostureTask* posture : arm.postures) {
    const double damping = posture->gains().damping.value_or(0.0);
    if (!(damping > 0.0)) continue;
    for (Eigen::Index r = 0; r < posture->rows(); ++r) {
      const int v = posture->v_indices()[static_cast<std::size_t>(r)];
      const auto k = std::ranges::find(mechanism.actuated, v) - mechanism.actuated.begin();
      const double weight = posture->weights()[r];
      // its row is kd (v_ref - v) + kp e
      arm.posture[k] += weight * (s.v[v] + posture->b()[r] / damping);
      arm.by[k] += weight;
    }
  }
  for (Eigen::Index k = 0; k < arm.by.size(); ++k)
    arm.posture[k] = arm.by[k] > 0.0 ? arm.posture[k] / arm.by[k] : 0.0;
}

void VelocityLaw::solve(Command& command) {
  if (!any_due_) return;
  // ramps of gains and weights advance by all the time since the last solve
  state_->dt = seconds(base_ * ticks_since_);
  ticks_since_ = 0;
  for (const auto& task : tasks_) task->update(system_, *state_);
  state_->dt = seconds(base_);
  for (Arm& arm : arms_) {
    const auto m = static_cast<std::size_t>(arm.mechanism);
    MechanismState& s = state_->mechanisms[m];
    if (!s.due) continue;
    find_rows(arm);
    find_posture(arm);
    arm.law.solve(arm.A, arm.V, arm.posture, damping_);
    const Eigen::VectorXd& a = arm.law.accelerations(s.q, s.v, arm.ahead, s.dt);
    const Mechanism& mechanism = system_.mechanisms()[m];
    for (std::size_t k = 0; k < mechanism.actuated.size(); ++k)
      s.qdd[mechanism.actuated[k]] = a[static_cast<Eigen::Index>(k)];
    arm.drive.command(s, command.groups[arm.group]);
  }
}

void VelocityLaw::declare_parameters(ParameterTable& table) {
  for (const auto& task : tasks_) {
    PartParameters own(table, "task." + task->name());
    task->declare_parameters(own);
  }
  table.add({"whole_arm.damping", "", 1e-4, 1.0,
             "of the inverse at a singular pose: more is slower there"},
            damping_.most);
  table.add({"whole_arm.singular", "", 1e-4, 1.0,
             "singular value of the Jacobian below which its inverse is damped"},
            damping_.singular);
}

void VelocityLaw::declare(ChannelTable& channels, Rate rate) {
  for (const auto& task : tasks_) task->declare(channels, rate);
  for (Arm& arm : arms_) {
    const Mechanism& m = system_.mechanisms()[static_cast<std::size_t>(arm.mechanism)];
    const std::string name = "control." + m.name;
    arm.q = channels.vector(name + ".q", m.actuated.size(), "rad", rate, "commanded positions",
                            m.joint_names);
    arm.v = channels.vector(name + ".v", m.actuated.size(), "rad/s", rate, "commanded velocities",
                            m.joint_names);
    arm.share = channels.number(name + ".share", "", rate,
                                "of the velocities that its frames want, that limits and singular "
                                "poses leave; 1: all");
    std::vector<std::string> bounds = {"nothing", "a singular pose"};
    for (const std::string& joint : m.joint_names) bounds.push_back(joint);
    arm.bound = channels.choice(name + ".bound", bounds, rate, "what takes the rest");
  }
}

void VelocityLaw::publish(ChannelTable& channels, Nanoseconds stamp) const {
  for (const auto& task : tasks_) task->publish(channels, stamp);
  for (const Arm& arm : arms_) {
    const MechanismState& s = state_->mechanisms[static_cast<std::size_t>(arm.mechanism)];
    if (!s.due) continue;
    // where the arm is to be when its next command comes
    const Nanoseconds end = stamp + std::llround(1e9 * s.dt);
    channels.write(arm.q, arm.drive.commanded_q(), end);
    channels.write(arm.v, arm.drive.commanded_v(), end);
    const bool singular = arm.law.bound() == WayBound::kSingular;
    channels.write(arm.share, arm.law.share(), stamp);
    channels.write(
        arm.bound,
        singular ? 1U : static_cast<std::size_t>(arm.law.joint() < 0 ? 0 : arm.law.joint() + 2),
        stamp);
  }
}

void VelocityLaw::publish_start(ChannelTable& channels, Nanoseconds stamp) const {
  for (const auto& task : tasks_) task->publish(channels, stamp);
  for (const Arm& arm : arms_) {
    channels.write(arm.q, arm.drive.commanded_q(), stamp);
    channels.write(arm.v, arm.drive.commanded_v(), stamp);
  }
}

void VelocityLaw::state(StateArchive& archive) {
  archive.part("velocity law");
  archive(ticks_since_, any_due_, *state_);
  for (Arm& arm : arms_) archive(arm.drive, arm.law, arm.ahead);
  for (const auto& task : tasks_) task->state(archive);
  if (archive.loading()) update_state(system_, *state_);
}

void register_velocity_law(Parts& parts) {
  using Config = VelocityLawConfig;
  const auto damping =
      object<RateDamping>("RateDamping", "of the inverse, near singular poses")
          .optional(
              "singular", &RateDamping::singular, number().min(1e-4).max(1),
              "singular value of the Jacobian below which its direction is damped [m and rad]")
          .optional("most", &RateDamping::most, number().min(1e-4).max(1),
                    "at a singular pose; more is slower there [m and rad]");
  parts.of<ArmsRegistry>().add(
      kResolvedRate,
      object<Config>("ResolvedRate", "joint velocities by a damped inverse of the Jacobian")
          .required("arms", &Config::arms, dictionary(velocity_arm_schema()),
                    "by actuator group (left.arm)")
          .required("tasks", &Config::tasks, dictionary(parts.of<TaskRegistry>().schema()),
                    "by name; of type pose, position, orientation, twist or posture")
          .optional("damping", &Config::damping, damping),
      "resolved-rate control: joint velocities by a damped inverse of the Jacobian",
      [](const Config& config, const ArmsContext& context) {
        return std::make_unique<VelocityLaw>(config, context);
      });
}

}  // namespace handspan
