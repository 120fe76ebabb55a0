// One file, since what is made once and what a tick does with it share one set of indices: of arms,
// joints and rows.
#include "control/whole_arm.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "control/joint_rows.hpp"
#include "core/error.hpp"
#include "core/suggest.hpp"

namespace handspan {
namespace {

// of joints: slower is at rest [rad/s], and smaller asks for nothing [rad/s^2]
constexpr double kResting = 0.02, kAsking = 0.05;
// of what joints are asked for while they stop, against tasks of weight 1; less where a force that
// tasks push with must not be undone
constexpr double kStopWeight = 1e-2, kPressingWeight = 1e-4;
constexpr double kStopStiffness = 100.0, kStopDamping = 20.0;  // [1/s^2], [1/s]
// over which a felt force is smoothed [s]
constexpr double kFeltOver = 0.01;
// of the inverse by which an arm retreats [m/rad]
constexpr double kRetreatDamping = 0.05;

// fixtures and belts; objects may be touched, and moving bodies are not where the scene says
std::unique_ptr<RobotModel> surroundings_of(const Scene& scene) {
  ModelDescription description;
  description.name = "surroundings";
  const auto add = [&](const SceneBody& body) {
    BodyDescription b;
    b.name = body.name;
    b.X_PB = body.X_WB;
    b.inertial.mass = 1.0;  // nothing here moves; validate() wants none, an engine may
    b.inertial.principal.setConstant(1.0);
    b.shapes = body.shapes;
    description.bodies.push_back(std::move(b));
  };
  for (const auto& fixture : scene.fixtures) add(fixture);
  for (const auto& belt : scene.belts) add(belt.body);
  if (description.bodies.empty()) return nullptr;
  return std::make_unique<RobotModel>(std::move(description), scene.physics.gravity);
}

// what stands still, as something that can be joined to
MechanismDescription ground_of(const Scene& scene) {
  ModelDescription description;
  description.name = "world";
  const auto add = [&](const std::string& name, const Placement& X_WB) {
    BodyDescription b;
    b.name = name;
    b.X_PB = X_WB;
    b.inertial.mass = 1.0;  // as of surroundings
    b.inertial.principal.setConstant(1.0);
    description.bodies.push_back(std::move(b));
  };
  add("world", {});
  for (const auto& fixture : scene.fixtures) add(fixture.name, fixture.X_WB);
  for (const auto& [name, X_WF] : scene.frames) description.frames.push_back({name, -1, X_WF});
  return {"world", std::move(description), {}, {}, {}, false};
}

// what an app says control may ask of a group's joints; its drive checks the rest
void replace_accelerations(RobotLimits& limits, const GroupLayout& group,
                           const Eigen::VectorXd& acceleration) {
  if (acceleration.size() != group.size()) return;
  for (Eigen::Index j = 0; j < group.size(); ++j)
    for (auto& [joint, limit] : limits.joints) {
      if (joint != group.joints[static_cast<std::size_t>(j)]) continue;
      if (acceleration[j] < limit.braking)
        throw InputError(
            fmt::format("acceleration: {} rad/s^2 for '{}' is less than its braking deceleration "
                        "of {} rad/s^2; "
                        "give at least that",
                        acceleration[j], joint, limit.braking));
      limit.acceleration = acceleration[j];
    }
}

// a factory's complaint at the place where the part was read
template <class Part, class Context>
auto make(const Part& part, const Context& context, const std::string& key) {
  try {
    return part.make(context);
  } catch (const ConfigError&) {
    throw;
  } catch (const InputError& error) {
    throw ConfigError({{part.place, key, "cannot be made: " + std::string(error.what()), ""}});
  }
}

}  // namespace

WholeArm::WholeArm(const WholeArmConfig& config, const Scene& scene, const PlantLayout& layout,
                   Nanoseconds base)
    : base_(base), system_(std::make_unique<ControlSystem>(scene.physics.gravity)) {
  // robots in the scene's order; a robot's groups that are not ours are held by others
  std::vector<std::string> names;
  for (const auto& group : layout.groups) names.push_back(group.name);
  for (const auto& [name, arm] : config.arms)
    if (!std::ranges::count(names, name))
      throw ConfigError({{config.place, "arms",
                          fmt::format("names the group '{}', which the scene does not have", name),
                          did_you_mean(name, names, "it has")}});
  for (const auto& [name, arm] : config.arms) group_names_.push_back(name);
  const auto ours = [&](const std::string& group) {
    return std::ranges::any_of(config.arms, [&](const auto& arm) { return arm.first == group; });
  };
  std::vector<std::pair<std::string, std::string>> ignored;
  for (const auto& robot : scene.robots) {
    MechanismDescription mechanism{robot.name, robot.description, {}, {}, robot.limits, false};
    for (const auto& group : robot.groups)
      mechanism.torque_rate = mechanism.torque_rate || group.torque_rate;
    for (const auto& group : layout.groups)
      if (group.robot == robot.name)
        for (const auto& joint : group.joints)
          (ours(group.name) ? mechanism.actuated : mechanism.held).push_back(joint);
    if (mechanism.actuated.empty()) continue;
    for (const auto& group : layout.groups)
      for (const auto& [name, arm] : config.arms)
        if (group.name == name && group.robot == robot.name && arm.acceleration)
          replace_accelerations(mechanism.limits, group, *arm.acceleration);
    const int m = system_->add_mechanism(std::move(mechanism));
    add_followers(m);
    ignored.insert(ignored.end(), robot.ignored_pairs.begin(), robot.ignored_pairs.end());
  }
  add_loop_closures(config, scene, layout);
  for (const auto& [name, payload] : config.payloads)
    system_->add_payload(name, payload.frame,
                         Inertial::from_full(payload.mass, payload.p_EC, payload.I_C_E));
  system_->seal();
  surroundings_ = surroundings_of(scene);
  state_ = std::make_unique<ControlState>(*system_);
  state_->dt = seconds(base);
  for (std::size_t p = 0; p < config.payloads.size(); ++p)
    state_->payload[p].jump(config.payloads[p].second.carried ? 1.0 : 0.0);
  for (std::size_t j = 0; j < config.loop_closures.size(); ++j)
    ask_loop_closure(*state_, static_cast<int>(j), config.loop_closures[j].second.closed);

  for (std::size_t g = 0; g < layout.groups.size(); ++g) {
    const GroupLayout& group = layout.groups[g];
    const auto robot = std::ranges::find(system_->mechanisms(), group.robot, &Mechanism::name);
    if (robot == system_->mechanisms().end()) continue;
    const int m = static_cast<int>(robot - system_->mechanisms().begin());
    if (!ours(group.name)) {
      for (std::size_t j = 0; j < group.joints.size(); ++j) {
        const JointSlot& slot = robot->model->joint(group.joints[j]);
        held_.push_back({static_cast<int>(g), m, static_cast<Eigen::Index>(j), slot.q, slot.v});
      }
      continue;
    }
    const RobotInstance& instance = *scene.robot(group.robot);
    const auto maker = std::ranges::find_if(instance.groups, [&](const ActuatorGroup& a) {
      return instance.name + "." + a.name == group.name;
    });
    const auto arm =
        std::ranges::find(config.arms, group.name, [](const auto& entry) { return entry.first; });
    arms_.push_back({static_cast<int>(g),
                     m,
                     group.rate,
                     ArmDrive(arm->second, ArmContext{*robot, group, *maker}),
                     {},
                     {}});
  }

  std::vector<std::unique_ptr<Task>> made_tasks;
  for (const auto& [name, part] : config.tasks)
    made_tasks.push_back(make(part, TaskContext{*system_, name}, "tasks." + name));
  std::vector<std::unique_ptr<Constraint>> made_constraints;
  const ConstraintContext context{*system_, surroundings_.get(), std::move(ignored)};
  for (std::size_t c = 0; c < config.constraints.size(); ++c)
    made_constraints.push_back(
        make(config.constraints[c], context, fmt::format("constraints[{}]", c)));
  add_defaults(config, context, made_constraints);
  problem_ = std::make_unique<ControlProblem>(*system_, config.problem, std::move(made_tasks),
                                              std::move(made_constraints));
  add_stops(layout);
}

void WholeArm::add_stops(const PlantLayout& layout) {
  for (const Mechanism& mechanism : system_->mechanisms()) {
    Stop& stop = stops_.emplace_back();
    const RobotModel& model = *mechanism.model;
    stop.seen = std::make_unique<RobotData>(model);
    stop.data = std::make_unique<RobotData>(model);
    stop.plan = std::make_unique<JointStop>(mechanism);
    stop.q_seen = stop.q_all = model.neutral();
    stop.v_seen = stop.v_all = stop.a_all = Eigen::VectorXd::Zero(model.nv());
    const auto n = static_cast<Eigen::Index>(mechanism.actuated.size());
    for (Eigen::VectorXd* x : {&stop.q0, &stop.v0, &stop.a0, &stop.rate, &stop.q, &stop.v, &stop.a})
      *x = Eigen::VectorXd::Zero(n);
  }
  for (const Arm& arm : arms_) {
    const auto m = static_cast<std::size_t>(arm.mechanism);
    const bool measured = arm.drive.feedback() == Feedback::kMeasured;
    stops_[m].measured = stops_[m].measured || measured;
    state_->mechanisms[m].measured =
        state_->mechanisms[m].measured || (measured && arm.drive.law() == ArmLaw::kTorque);
  }
  for (std::size_t s = 0; s < layout.sensors.size(); ++s)
    for (std::size_t m = 0; m < system_->mechanisms().size(); ++m) {
      const ModelDescription& d = system_->mechanisms()[m].model->description();
      const std::string& name = layout.sensors[s].frame;
      if (d.frame_index(name) >= 0 || d.body_index(name) >= 0)
        felt_.push_back({static_cast<int>(s), system_->frame(name)});
    }
}

// what holds unless an app takes it out by name: no two arms meet, and jerks are as in limits.yaml
void WholeArm::add_defaults(const WholeArmConfig& config, const ConstraintContext& context,
                            std::vector<std::unique_ptr<Constraint>>& constraints) {
  std::vector<const Collision*> collisions;
  bool jerk = false;
  for (const auto& constraint : constraints) {
    if (const auto* collision = dynamic_cast<const Collision*>(constraint.get()))
      collisions.push_back(collision);
    jerk = jerk || dynamic_cast<const JerkLimits*>(constraint.get()) != nullptr;
  }
  if (config.jerk_limits && !jerk) constraints.push_back(std::make_unique<JerkLimits>(*system_));
  try {
    if (auto between = Collision::between_arms(config.between_arms, context, collisions))
      constraints.push_back(std::move(between));
  } catch (const InputError& error) {
    throw ConfigError({{config.between_arms.place, "between_arms.ignored_pairs",
                        "cannot be used: " + std::string(error.what()), ""}});
  }
}

void WholeArm::rebase(int arm, const Observation& observation) {
  const int mechanism = arms_[static_cast<std::size_t>(arm)].mechanism;
  MechanismState& s = state_->mechanisms[static_cast<std::size_t>(mechanism)];
  // the robot's other groups move the same tool, and come to rest with this one
  for (Arm& a : arms_)
    if (a.mechanism == mechanism)
      a.drive.rebase(observation.groups[static_cast<std::size_t>(a.group)], s);
  follow_masters();
  // tasks that are held now look where it is
  update_kinematics(*system_->mechanisms()[static_cast<std::size_t>(mechanism)].model, s.data, s.q,
                    s.v);
}

void WholeArm::add_loop_closures(const WholeArmConfig& config, const Scene& scene,
                                 const PlantLayout& layout) {
  if (config.loop_closures.empty()) return;
  // robots alone press: what stands still has neither q'' nor torques
  const int robots = static_cast<int>(system_->mechanisms().size());
  system_->add_mechanism(ground_of(scene));
  for (const auto& [name, loop_closure] : config.loop_closures) {
    const auto bad = [&](std::string cause, std::string hint) {
      return ConfigError(
          {{loop_closure.place, "loop_closures." + name, std::move(cause), std::move(hint)}});
    };
    int index = 0;
    try {
      index = system_->add_loop_closure(name, loop_closure.between[0], loop_closure.between[1],
                                        loop_closure.stiffness);
    } catch (const InputError& error) {
      throw bad("cannot be made: " + std::string(error.what()), "");
    }
    const LoopClosure& made = system_->loop_closures()[static_cast<std::size_t>(index)];
    if (made.a >= robots && made.b >= robots)
      throw bad("joins two frames that stand still", "name a robot's frame first");
    for (const auto& [group, arm] : config.arms) {
      const GroupLayout& g = layout.groups[static_cast<std::size_t>(layout.group(group))];
      const int m = system_->mechanism(g.robot);
      if (m != made.a && m != made.b) continue;
      if (g.kind != GroupKind::kTorque || arm.law.value_or(ArmLaw::kTorque) != ArmLaw::kTorque)
        throw bad(fmt::format("is of '{}', which is not commanded by torques", group),
                  "a force needs them");
      if (arm.observer)
        throw bad(fmt::format("is of '{}', whose observer would take its force for a disturbance "
                              "and undo it",
                              group),
                  "leave 'observer' out");
    }
  }
}

void WholeArm::loop_closure(std::string_view name, bool closed) {
  ask_loop_closure(*state_, system_->loop_closure(name), closed);
}

void WholeArm::carry(std::string_view payload, bool carried, double time) {
  state_->payload[static_cast<std::size_t>(system_->payload(payload))].set(carried ? 1.0 : 0.0,
                                                                           time);
}

void WholeArm::declare_parameters(ParameterTable& table) {
  for (const auto& task : tasks()) {
    PartParameters own(table, "task." + task->name());
    task->declare_parameters(own);
  }
  const auto add_switch = [&](const std::string& name, const char* doc, ParameterTable::Get get,
                              ParameterTable::Set set) {
    table.add({name, "", 0.0, 1.0, doc, ParameterKind::kSwitch}, std::move(get), std::move(set));
  };
  const auto& payloads = system_->payloads();
  for (std::size_t p = 0; p < payloads.size(); ++p)
    add_switch(
        "payload." + payloads[p].name + ".carried",
        "whether the controller counts its mass as carried",
        [this, p] { return state_->payload[p].value(); },
        [this, name = payloads[p].name](double value, double time) {
          carry(name, value > 0.5, time);
        });
  const auto& closures = system_->loop_closures();
  for (std::size_t c = 0; c < closures.size(); ++c)
    add_switch(
        "loop_closure." + closures[c].name + ".closed",
        "whether the controller takes its two frames for held together",
        [this, c] { return state_->loop_closures[c].closed ? 1.0 : 0.0; },
        [this, name = closures[c].name](double value, double) { loop_closure(name, value > 0.5); });
}

// of coordinates without a torque of ours, mimic joints are where their masters are; of others
// nobody would tell where they are
void WholeArm::add_followers(int mechanism) {
  const Mechanism& m = system_->mechanisms()[static_cast<std::size_t>(mechanism)];
  std::set<int> unknown(m.passive.begin(), m.passive.end());
  // masters before those that follow them, in whatever order the robot names them
  for (std::size_t found = 1; found > 0;) {
    found = 0;
    for (const auto& mimic : m.model->description().mimics) {
      const JointSlot &joint = m.model->joint(mimic.joint), &master = m.model->joint(mimic.master);
      if (unknown.contains(master.v) || unknown.erase(joint.v) == 0) continue;
      followers_.push_back(
          {mechanism, joint.q, joint.v, master.q, master.v, mimic.multiplier, mimic.offset});
      ++found;
    }
  }
  if (unknown.empty()) return;
  std::vector<std::string> names;
  for (const auto& slot : m.model->joints())
    if (unknown.contains(slot.v)) names.push_back(slot.name);
  throw InputError(
      fmt::format("'{}' has joints that no actuator group moves or observes: {}; the whole-arm "
                  "controller needs "
                  "a group for each, in robot.yaml",
                  m.name, joined(names)));
}

void WholeArm::follow_masters() {
  for (const auto& f : followers_) {
    MechanismState& s = state_->mechanisms[static_cast<std::size_t>(f.mechanism)];
    s.q[f.q] = f.multiplier * s.q[f.master_q] + f.offset;
    s.v[f.v] = f.multiplier * s.v[f.master_v];
  }
}

void WholeArm::observe_held(const Observation& observation) {
  for (const auto& joint : held_) {
    const GroupState& group = observation.groups[static_cast<std::size_t>(joint.group)];
    MechanismState& s = state_->mechanisms[static_cast<std::size_t>(joint.mechanism)];
    // what is not finite stays what it was
    if (!std::isfinite(group.q[joint.index]) || !std::isfinite(group.v[joint.index])) continue;
    s.q[joint.q] = group.q[joint.index];
    s.v[joint.v] = group.v[joint.index];
  }
}

std::vector<Task*> WholeArm::all_tasks() {
  std::vector<Task*> all;
  for (const auto& task : tasks()) all.push_back(task.get());
  return all;
}

void WholeArm::start(const Observation& observation) {
  observe_held(observation);
  for (auto& arm : arms_) {
    MechanismState& s = state_->mechanisms[static_cast<std::size_t>(arm.mechanism)];
    arm.drive.start(observation.groups[static_cast<std::size_t>(arm.group)], s);
    s.qdd.setZero();
  }
  follow_masters();
  problem_->start(*state_);
  for (std::size_t m = 0; m < state_->mechanisms.size(); ++m) {
    // the torque rate starts from what holds the arm
    MechanismState& s = state_->mechanisms[m];
    for (std::size_t j = 0; j < system_->mechanisms()[m].actuated.size(); ++j)
      s.tau[static_cast<Eigen::Index>(j)] = s.h[system_->mechanisms()[m].actuated[j]];
  }
  for (auto& arm : arms_)
    arm.drive.start_torque(state_->mechanisms[static_cast<std::size_t>(arm.mechanism)]);
  for (std::size_t m = 0; m < stops_.size(); ++m) {
    stops_[m].active = false;
    stops_[m].q_seen = state_->mechanisms[m].q;
  }
  look(observation);
}

void WholeArm::observe(const Observation& observation, std::int64_t tick) {
  observe_held(observation);
  bool& any = any_due_;
  any = false;
  for (auto& arm : arms_) {
    MechanismState& s = state_->mechanisms[static_cast<std::size_t>(arm.mechanism)];
    const GroupState& measured = observation.groups[static_cast<std::size_t>(arm.group)];
    s.due = handspan::due(tick, arm.rate, base_);
    any = any || s.due;
    if (s.due)
      arm.drive.observe(measured, s);
    else
      arm.drive.coast(measured, s, state_->dt);
  }
  ++ticks_since_;
  look(observation);
  for (std::size_t m = 0; m < stops_.size(); ++m) {
    if (!stops_[m].active) continue;
    Stop& stop = stops_[m];
    stop.t += seconds(base_);
    // where limits kept it from its plan it is some mm off: it stays where it came to rest
    const bool over = stop.t >= stop.plan->duration() && !stop.rests && !stop.presses;
    if (over && state_->mechanisms[m].due)
      begin_stop(static_cast<int>(m), rests(static_cast<int>(m)), false);
    else
      place_stop(static_cast<int>(m));
  }
}

// what is measured of held joints is theirs already
void WholeArm::look(const Observation& observation) {
  for (std::size_t m = 0; m < stops_.size(); ++m) {
    if (arms_.empty()) break;
    Stop& stop = stops_[m];
    for (const int v : system_->mechanisms()[m].held) stop.v_seen[v] = state_->mechanisms[m].v[v];
  }
  for (const auto& joint : held_)
    stops_[static_cast<std::size_t>(joint.mechanism)].q_seen[joint.q] =
        state_->mechanisms[static_cast<std::size_t>(joint.mechanism)].q[joint.q];
  for (const Arm& arm : arms_) {
    const auto m = static_cast<std::size_t>(arm.mechanism);
    Stop& stop = stops_[m];
    arm.drive.measured(observation.groups[static_cast<std::size_t>(arm.group)], stop.q_seen,
                       stop.v_seen);
  }
  for (const auto& f : followers_) {
    Stop& stop = stops_[static_cast<std::size_t>(f.mechanism)];
    stop.q_seen[f.q] = f.multiplier * stop.q_seen[f.master_q] + f.offset;
    stop.v_seen[f.v] = f.multiplier * stop.v_seen[f.master_v];
  }
  for (std::size_t m = 0; m < stops_.size(); ++m)
    update_kinematics(*system_->mechanisms()[m].model, *stops_[m].seen, stops_[m].q_seen,
                      stops_[m].v_seen);
  const double share = 1.0 - std::exp(-seconds(base_) / kFeltOver);
  for (Felt& felt : felt_) {
    const Vector6d& F = observation.wrenches[static_cast<std::size_t>(felt.sensor)];
    if (F.allFinite()) felt.f += share * (F.head<3>() - felt.f);
  }
  for (std::size_t m = 0; m < stops_.size(); ++m)
    state_->mechanisms[m].felt_force = felt_force(static_cast<int>(m));
}

ArmFrame WholeArm::seen(const ControlSystem::FrameOf& frame) const {
  const auto m = static_cast<std::size_t>(frame.mechanism);
  const RobotModel& model = *system_->mechanisms()[m].model;
  return {frame_pose(model, *stops_[m].seen, frame.frame),
          frame_velocity(model, *stops_[m].seen, frame.frame)};
}

Eigen::Vector3d WholeArm::felt_force(int mechanism) const {
  Eigen::Vector3d most = Eigen::Vector3d::Zero();
  for (const Felt& felt : felt_) {
    if (felt.frame.mechanism != mechanism || felt.f.squaredNorm() <= most.squaredNorm()) continue;
    most = seen(felt.frame).X_WE.R * felt.f;
  }
  return most;
}

bool WholeArm::rests(int mechanism) const {
  const auto m = static_cast<std::size_t>(mechanism);
  const MechanismState& s = state_->mechanisms[m];
  for (const int v : system_->mechanisms()[m].actuated)
    if (!(std::abs(s.v[v]) < kResting)) return false;
  return true;
}

bool WholeArm::is_kept(int mechanism) const {
  const auto m = static_cast<std::size_t>(mechanism);
  if (!stops_[m].measured) return false;
  for (const int v : system_->mechanisms()[m].actuated)
    if (std::abs(state_->mechanisms[m].qdd[v]) > kAsking) return true;
  return false;
}

void WholeArm::begin_stop(int mechanism, bool rests, bool presses) {
  const auto m = static_cast<std::size_t>(mechanism);
  const Mechanism& arm = system_->mechanisms()[m];
  const MechanismState& s = state_->mechanisms[m];
  Stop& stop = stops_[m];
  for (std::size_t j = 0; j < arm.actuated.size(); ++j) {
    const auto i = static_cast<Eigen::Index>(j);
    const int v = arm.actuated[j];
    stop.q0[i] = s.q[arm.actuated_q[j]];
    stop.v0[i] = rests ? 0.0 : s.v[v];
    // against a contact what was asked for did not happen
    stop.a0[i] = rests || presses ? 0.0 : s.qdd[v];
    stop.rate[i] = arm.torque_rate ? arm.limits[j].torque_rate / s.M(v, v) : HUGE_VAL;
  }
  stop.q_all = s.q;
  stop.active = true;
  stop.rests = rests;
  stop.presses = presses;
  stop.t = 0.0;
  stop.plan->plan_within_torques(stop.q_all, stop.q0, stop.v0, stop.a0, *stop.data, &stop.rate);
  stop.share = stop.plan->share();
  place_stop(mechanism);
}

void WholeArm::place_stop(int mechanism) {
  const auto m = static_cast<std::size_t>(mechanism);
  const Mechanism& arm = system_->mechanisms()[m];
  Stop& stop = stops_[m];
  stop.plan->at(stop.t, stop.q, stop.v, stop.a);
  // what it does not drive is where it is
  stop.q_all = state_->mechanisms[m].q;
  stop.v_all = state_->mechanisms[m].v;
  for (std::size_t j = 0; j < arm.actuated.size(); ++j) {
    const auto i = static_cast<Eigen::Index>(j);
    stop.q_all[arm.actuated_q[j]] = stop.q[i];
    stop.v_all[arm.actuated[j]] = stop.v[i];
  }
  update_kinematics(*arm.model, *stop.data, stop.q_all, stop.v_all);
}

void WholeArm::retreat(const ControlSystem::FrameOf& frame, const Eigen::Vector3d& v_W) {
  const auto m = static_cast<std::size_t>(frame.mechanism);
  const Mechanism& arm = system_->mechanisms()[m];
  Stop& stop = stops_[m];
  if (!stop.active) return;
  Eigen::Matrix<double, 6, Eigen::Dynamic, 0, 6, 64> J(6, arm.model->nv());
  frame_jacobian(*arm.model, *stop.data, frame.frame, J);
  // least joint velocities, damped where the arm is singular that way
  Eigen::Matrix3d A = kRetreatDamping * kRetreatDamping * Eigen::Matrix3d::Identity();
  for (const int v : arm.actuated) A += J.block<3, 1>(0, v) * J.block<3, 1>(0, v).transpose();
  // until its next command
  const Eigen::Vector3d way = state_->mechanisms[m].dt * v_W;
  const Eigen::Vector3d y = A.ldlt().solve(way);
  for (std::size_t j = 0; j < arm.actuated.size(); ++j)
    stop.q0[static_cast<Eigen::Index>(j)] += J.block<3, 1>(0, arm.actuated[j]).dot(y);
  stop.plan->move(stop.q0);
  place_stop(frame.mechanism);
}

void WholeArm::end_stop(int mechanism) {
  Stop& stop = stops_[static_cast<std::size_t>(mechanism)];
  if (!stop.active) return;
  stop.active = false;
  stop.a_all.setZero();
  problem_->ask_joints(mechanism, stop.a_all, 0.0);
}

PoseReference WholeArm::stop_frame(const ControlSystem::FrameOf& frame) const {
  const auto m = static_cast<std::size_t>(frame.mechanism);
  const Mechanism& arm = system_->mechanisms()[m];
  const Stop& stop = stops_[m];
  PoseReference reference;
  reference.X_WE = frame_pose(*arm.model, *stop.data, frame.frame);
  reference.V_WE = frame_velocity(*arm.model, *stop.data, frame.frame);
  Eigen::Matrix<double, 6, Eigen::Dynamic, 0, 6, 64> J(6, arm.model->nv());
  frame_jacobian(*arm.model, *stop.data, frame.frame, J);
  reference.A_WE = frame_bias_acceleration(*arm.model, *stop.data, frame.frame);
  for (std::size_t j = 0; j < arm.actuated.size(); ++j)
    reference.A_WE += J.col(arm.actuated[j]) * stop.a[static_cast<Eigen::Index>(j)];
  return reference;
}

void WholeArm::ask_stops() {
  for (std::size_t m = 0; m < stops_.size(); ++m) {
    Stop& stop = stops_[m];
    if (!stop.active) continue;
    const Mechanism& arm = system_->mechanisms()[m];
    const MechanismState& s = state_->mechanisms[m];
    stop.a_all.setZero();
    for (std::size_t j = 0; j < arm.actuated.size(); ++j) {
      const auto i = static_cast<Eigen::Index>(j);
      const int v = arm.actuated[j];
      stop.a_all[v] = stop.a[i] + kStopDamping * (stop.v[i] - s.v[v]) +
                      kStopStiffness * (stop.q[i] - s.q[arm.actuated_q[j]]);
    }
    problem_->ask_joints(static_cast<int>(m), stop.a_all,
                         stop.presses ? kPressingWeight : kStopWeight);
  }
}

void WholeArm::solve(Command& command) {
  if (!any_due_) return;
  follow_masters();
  ask_stops();
  // ramps of weights and payloads advance by all the time since the last solve
  state_->dt = seconds(base_ * ticks_since_);
  ticks_since_ = 0;
  problem_->solve(*state_);
  state_->dt = seconds(base_);
  for (auto& arm : arms_) {
    const MechanismState& s = state_->mechanisms[static_cast<std::size_t>(arm.mechanism)];
    if (s.due) arm.drive.command(s, command.groups[static_cast<std::size_t>(arm.group)]);
  }
}

void WholeArm::state(StateArchive& archive) {
  archive.part("whole arm");
  archive(ticks_since_, any_due_);
  archive(*state_);
  for (auto& arm : arms_) archive(arm.drive);
  archive(*problem_);
  for (Felt& felt : felt_) archive(felt.f);
  for (std::size_t m = 0; m < stops_.size(); ++m) {
    Stop& stop = stops_[m];
    archive(stop.q_seen, stop.v_seen, stop.active, stop.rests, stop.presses, stop.t, stop.share,
            stop.q0, stop.v0, stop.a0, stop.rate);
    if (!archive.loading()) continue;
    update_kinematics(*system_->mechanisms()[m].model, *stop.seen, stop.q_seen, stop.v_seen);
    if (!stop.active) continue;
    stop.plan->plan(stop.q0, stop.v0, stop.a0, stop.share, &stop.rate);
    place_stop(static_cast<int>(m));
  }
}

void WholeArm::declare(ChannelTable& channels, Rate rate) {
  problem_->declare(channels, rate);
  for (auto& arm : arms_) {
    const std::string& robot = system_->mechanisms()[static_cast<std::size_t>(arm.mechanism)].name;
    const bool alone = std::ranges::count(arms_, arm.mechanism, &Arm::mechanism) == 1;
    const JointChannels joints =
        channels.joints("control." + (alone ? robot : arm.drive.name()), arm.drive.joint_names(),
                        rate, {"commanded positions", "commanded velocities", ""});
    arm.q = joints.q;
    arm.v = joints.v;
  }
}

void WholeArm::publish(ChannelTable& channels, Nanoseconds stamp) const {
  problem_->publish(channels, stamp);
  for (const auto& arm : arms_) {
    const MechanismState& state = state_->mechanisms[static_cast<std::size_t>(arm.mechanism)];
    if (!state.due) continue;
    // where the arm is to be when its next command comes
    const Nanoseconds end = stamp + std::llround(1e9 * state.dt);
    channels.write(arm.q, arm.drive.commanded_q(), end);
    channels.write(arm.v, arm.drive.commanded_v(), end);
  }
}

void WholeArm::publish_start(ChannelTable& channels, Nanoseconds stamp) const {
  problem_->publish(channels, stamp);
  for (const auto& arm : arms_) {
    channels.write(arm.q, arm.drive.commanded_q(), stamp);
    channels.write(arm.v, arm.drive.commanded_v(), stamp);
  }
}

Schema<WholeArmConfig> whole_arm_schema(const Parts& parts) {
  const auto payload =
      object<PayloadConfig>("Payload", "a known body that an arm may carry")
          .required("frame", &PayloadConfig::frame, text(), "to which it is fixed")
          .required("mass", &PayloadConfig::mass, number("kg").above(0))
          .optional("centre", &PayloadConfig::p_EC, vector<3>("m"), "of mass, in the frame")
          .optional("inertia", &PayloadConfig::I_C_E, matrix3(),
                    "about it, in the frame's axes [kg m^2]")
          .optional("carried", &PayloadConfig::carried, boolean(), "from the start");
  const auto loop_closure =
      object<JoinConfig>("LoopClosure",
                         "frames that do not move against one another while it is closed")
          .place(&JoinConfig::place)
          .required("between", &JoinConfig::between, list(text()).size(2),
                    "frames of robots, fixtures, the scene's frames: a, b. Forces are those on b")
          .optional("closed", &JoinConfig::closed, boolean(), "from the start")
          .optional("stiffness", &JoinConfig::stiffness, number("1/s^2").min(0).max(1e4),
                    "with which they go back to where they were closed; what gives way to a force "
                    "takes as much from it as this pulls back");
  const auto kind = choice<ConstraintKind>({{"torque", ConstraintKind::kTorque},
                                            {"joint_box", ConstraintKind::kJointBox},
                                            {"collision", ConstraintKind::kCollision},
                                            {"cartesian", ConstraintKind::kCartesian},
                                            {"jerk", ConstraintKind::kJerk}});
  const auto problem =
      object<ProblemConfig>("Optimisation")
          .optional("priority", &ProblemConfig::priority, list(kind),
                    "which limits give way last when all cannot hold, first to last; what is left "
                    "out gives way first")
          .optional("regularisation", &ProblemConfig::regularisation, number().min(1e-9).max(1),
                    "weight of joint accelerations")
          .optional("regularisation_damping", &ProblemConfig::regularisation_damping,
                    number("1/s").min(0).max(100), "of joint speeds that nothing asks for")
          .optional("error_damping", &ProblemConfig::error_damping, number().min(0).max(100),
                    "weight of joint accelerations per metre or radian that tasks are away")
          .optional("error_damping_rate", &ProblemConfig::error_damping_rate,
                    number("1/s").min(0).max(1000), "of joint speeds in that term")
          .check(
              [](const ProblemConfig& c) -> std::optional<Fault> {
                auto sorted = c.priority;
                std::ranges::sort(sorted);
                if (std::ranges::adjacent_find(sorted) == sorted.end()) return std::nullopt;
                return Fault{"names a kind twice", "name each once", "priority"};
              },
              "priorities are different");
  return object<WholeArmConfig>("WholeArm", "one QP over the arms that it names")
      .place(&WholeArmConfig::place)
      .required("arms", &WholeArmConfig::arms, dictionary(arm_schema()),
                "by actuator group (left.arm)")
      .required("tasks", &WholeArmConfig::tasks, dictionary(parts.of<TaskRegistry>().schema()),
                "by name")
      .optional("constraints", &WholeArmConfig::constraints,
                list(parts.of<ConstraintRegistry>().schema()),
                "besides the joints' position, velocity and acceleration limits, which always hold")
      .optional("between_arms", &WholeArmConfig::between_arms, between_arms_schema(),
                "how bodies of different arms are kept apart: all of them, but for those that it "
                "names")
      .optional("jerk_limits", &WholeArmConfig::jerk_limits, boolean(),
                "the joints' jerks of limits.yaml; false: only where a constraint has them")
      .optional("payloads", &WholeArmConfig::payloads, dictionary(payload), "by name")
      .optional("loop_closures", &WholeArmConfig::loop_closures, dictionary(loop_closure),
                "by name; open ones carry no force")
      .optional("optimisation", &WholeArmConfig::problem, problem);
}

}  // namespace handspan
