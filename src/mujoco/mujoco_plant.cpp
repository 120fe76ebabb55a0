#include "mujoco/mujoco_plant.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "core/error.hpp"
#include "core/index.hpp"
#include "mujoco/mujoco_plant_impl.hpp"
#include "plant/scene_layout.hpp"
#include "scene/mixed_drives.hpp"
#include "scene/mujoco_spec.hpp"

namespace handspan {
namespace {

// Dry friction that a drive of each joint must overcome, that of the joints which mimic it with it.
std::vector<double> dry_friction(const mjModel& model, const RobotInstance& robot,
                                 const std::vector<std::string>& joints) {
  const auto of = [&](const std::string& name) {
    const int joint = mj_name2id(&model, mjOBJ_JOINT, name.c_str());
    return joint < 0 ? 0.0 : model.dof_frictionloss[model.jnt_dofadr[joint]];
  };
  std::vector<double> out;
  for (const auto& joint : joints) {
    out.push_back(of(joint));
    for (const auto& mimic : robot.description.mimics)
      if (mimic.master == joint) out.back() += std::abs(mimic.multiplier) * of(mimic.joint);
  }
  return out;
}

}  // namespace

MujocoPlant::Impl::Joint MujocoPlant::Impl::joint_of(const std::string& name) const {
  const int j = id_of(*model, mjOBJ_JOINT, name), a = id_of(*model, mjOBJ_ACTUATOR, name);
  return {model->jnt_qposadr[j], model->jnt_dofadr[j], a, -model->actuator_biasprm[a * mjNBIAS + 1],
          -model->actuator_biasprm[a * mjNBIAS + 2]};
}

MujocoPlant::Impl::Impl(const Scene& scene_, std::vector<std::string> robots_)
    : scene(scene_),
      driven(std::move(robots_)),
      compiled(scene_),
      model(compiled.copy_model()),
      data(mj_makeData(model.get())),
      layout(scene_layout(scene_, driven)) {
  const double step = scene.physics.timestep;
  for (auto& group : scene_layout(scene).groups)
    if (!drives(group.robot) && group.kind != GroupKind::kSuction)
      shown_groups.push_back(std::move(group));
  for (const auto& robot : scene.robots) {
    for (const auto& group : robot.groups) {
      if (!drives(robot.name)) {
        auto& joints = shown_joints.emplace_back();
        for (const auto& joint : group.joints) joints.push_back(joint_of(joint));
        shown_bias.emplace_back(static_cast<Eigen::Index>(joints.size()));
        continue;
      }
      const auto period = robot.limits.rate.period();
      if (!period || *period % layout.period != 0)
        throw InputError(fmt::format(
            "robot '{}' takes commands at {}, which is not a whole number of physics steps of {} s",
            robot.name, robot.limits.rate.text(), step));
      Group g{GroupDrive(group, robot.limits, step, static_cast<int>(*period / layout.period)),
              {},
              {},
              {}};
      g.q.resize(static_cast<Eigen::Index>(group.joints.size()));
      g.stretch.resize(g.q.size());
      for (const auto& name : group.joints) {
        const Joint joint = joint_of(name);
        g.stretch[static_cast<Eigen::Index>(g.joints.size())] =
            joint.kp > 0.0 ? robot.limits.find(name)->torque / joint.kp : 0.0;
        g.joints.push_back(joint);
      }
      if (group.gripper) {
        g.gripper.emplace(group, robot.limits, dry_friction(*model, robot, group.joints), step,
                          static_cast<int>(*period / layout.period));
        g.kp.resize(g.q.size());
        for (std::size_t j = 0; j < g.joints.size(); ++j)
          g.kp[static_cast<Eigen::Index>(j)] = g.joints[j].kp;
      }
      groups.push_back(std::move(g));
    }
    RobotModel whole(robot.description, scene.physics.gravity);
    MujocoState state(*model, whole);
    robots.emplace_back(robot.name, std::make_unique<std::pair<RobotModel, MujocoState>>(
                                        std::move(whole), std::move(state)));
    if (has_mixed_drives(robot)) add_load(robot);
  }
  for (const auto& robot : scene.robots)
    for (const auto& suction : robot.suctions) {
      if (!drives(robot.name)) continue;
      suctions.emplace_back(scene, suction, *model);
      cup_names.push_back(suction.name);
    }
  for (const auto& robot : scene.robots)
    for (const auto& sensor : robot.sensors) {
      if (!drives(robot.name)) continue;
      const int site = id_of(*model, mjOBJ_SITE, sensor.site), body = model->site_bodyid[site];
      Sensor s;
      s.force = model->sensor_adr[id_of(*model, mjOBJ_SENSOR, sensor.name + ".force")];
      s.torque = model->sensor_adr[id_of(*model, mjOBJ_SENSOR, sensor.name + ".torque")];
      s.site = site;
      s.body = body;
      s.mass = model->body_subtreemass[body];
      sensors.push_back(s);
    }
  tares.assign(sensors.size(), Vector6d::Zero());
  for (const auto& belt : scene.belts) belts.push_back(id_of(*model, mjOBJ_GEOM, belt.body.name));
  for (const auto& kinematic : scene.kinematics)
    kinematics.push_back(id_of(*model, mjOBJ_JOINT, kinematic.body.name));
  for (int b = 0; b < model->nbody; ++b)
    body_names.emplace_back(mj_id2name(model.get(), mjOBJ_BODY, b));
  observation.wrenches.assign(sensors.size(), Vector6d::Zero());
  for (const auto& group : layout.groups)
    observation.groups.push_back({Eigen::VectorXd::Zero(group.states()),
                                  Eigen::VectorXd::Zero(group.states()),
                                  Eigen::VectorXd::Zero(group.states())});
  contacts.reserve(kMostContacts);
  integration_state.resize(at(mj_stateSize(model.get(), mjSTATE_INTEGRATION)));
  scene_print = fingerprint();
  reset();
  // the sensor's load hangs rigidly beyond it; its centre of mass there, once
  for (auto& s : sensors) {
    const Eigen::Vector3d p_WC = Eigen::Vector3d::Map(data->subtree_com + 3 * s.body);
    s.p_SC = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>::Map(data->site_xmat + 9 * s.site)
                 .transpose() *
             (p_WC - Eigen::Vector3d::Map(data->site_xpos + 3 * s.site));
  }
  observe();
}

// The last robot's.
void MujocoPlant::Impl::add_load(const RobotInstance& robot) {
  const RobotModel& whole = robots.back().second->first;
  Load load{robots.size() - 1,
            RobotData(whole),
            whole.neutral(),
            Eigen::VectorXd::Zero(whole.nv()),
            Eigen::VectorXd::Zero(whole.nv()),
            {}};
  // through its equality a mimic joint's weight is on its master's drive
  std::vector<MimicDescription> left = robot.description.mimics;
  while (!left.empty()) {
    const auto last = std::ranges::find_if(left, [&](const MimicDescription& m) {
      return std::ranges::none_of(left, [&](const auto& other) { return other.master == m.joint; });
    });
    load.followers.push_back(
        {whole.joint(last->joint).v, whole.joint(last->master).v, last->multiplier});
    left.erase(last);
  }
  const bool ours = drives(robot.name);
  for (std::size_t g = 0; g < robot.groups.size(); ++g) {
    if (robot.groups[g].drive == Drive::kTorque) continue;
    auto& of = ours ? groups[groups.size() - robot.groups.size() + g].joints
                    : shown_joints[shown_joints.size() - robot.groups.size() + g];
    for (std::size_t j = 0; j < of.size(); ++j) {
      of[j].load = static_cast<int>(loads.size());
      of[j].index = whole.joint(robot.groups[g].joints[j]).v;
    }
  }
  loads.push_back(std::move(load));
}

void MujocoPlant::Impl::find_loads() {
  for (auto& load : loads) {
    const auto& [whole, state] = *robots[load.robot].second;
    state.read(*data, load.q, load.v);
    load.tau = gravity_forces(whole, load.data, load.q);
    for (const auto& f : load.followers) load.tau[f.master] += f.multiplier * load.tau[f.joint];
  }
}

void MujocoPlant::Impl::reset() {
  for (std::size_t b = 0; b < belts.size(); ++b)
    model->geom_surfacevel[6 * belts[b]] = scene.belts[b].speed;
  mju_copy(model->eq_data, compiled.model().eq_data, mjNEQDATA * static_cast<int>(model->neq));
  for (auto& cup : suctions) cup.reset(*model);
  compiled.reset(*model, *data);
  steps = 0;
  faults = {};
  contacts_left_out = 0;
  observation.status = PlantStatus::kRunning;
  for (auto& tare : tares) tare.setZero();
  move_kinematics();
  mj_forward(model.get(), data.get());
  bool held = false;
  for (auto& cup : suctions) {
    cup.start(*model, *data);
    held = held || cup.held();
  }
  if (held) mj_forward(model.get(), data.get());
  for (auto& g : groups) {
    // the bias of an arm at rest is its gravity: a torque drive carries it until it is commanded
    Eigen::VectorXd tau(g.q.size());
    for (std::size_t j = 0; j < g.joints.size(); ++j) {
      const auto i = static_cast<Eigen::Index>(j);
      g.q[i] = data->qpos[g.joints[j].qpos];
      tau[i] = data->qfrc_bias[g.joints[j].qvel];
    }
    g.drive.reset(g.q, tau);
    if (g.gripper) g.gripper->reset(g.q);
  }
  // until it is said where they are
  note_shown_bias();
  find_loads();
  for (std::size_t g = 0; g < shown_joints.size(); ++g) rest_shown(g);
  // what is observed first are drives that hold, not ones without a command; the next step's warm
  // start stays that of the bare model
  for (const auto& g : groups) command_drives(g);
  const std::vector<double> warm(data->qacc_warmstart, data->qacc_warmstart + model->nv);
  mj_forward(model.get(), data.get());
  mju_copy(data->qacc_warmstart, warm.data(), static_cast<int>(model->nv));
  fresh = true;
}

// The servo asks for what is there; a torque drive carries what the joint bore last, which MuJoCo
// forgets in a snapshot.
void MujocoPlant::Impl::rest_shown(std::size_t group) {
  const auto& joints = shown_joints[group];
  for (std::size_t j = 0; j < joints.size(); ++j) {
    const Joint& joint = joints[j];
    data->ctrl[joint.actuator] =
        joint.kp > 0.0 ? servo_effort(joint, data->qpos[joint.qpos], data->qvel[joint.qvel])
                       : shown_bias[group][static_cast<Eigen::Index>(j)];
  }
}

void MujocoPlant::Impl::note_shown_bias() {
  for (std::size_t g = 0; g < shown_joints.size(); ++g)
    for (std::size_t j = 0; j < shown_joints[g].size(); ++j)
      shown_bias[g][static_cast<Eigen::Index>(j)] = data->qfrc_bias[shown_joints[g][j].qvel];
}

void MujocoPlant::Impl::apply_commands() {
  find_loads();
  for (auto& g : groups) {
    for (std::size_t j = 0; j < g.joints.size(); ++j)
      g.q[static_cast<Eigen::Index>(j)] = data->qpos[g.joints[j].qpos];
    if (g.gripper)
      g.gripper->step(g.q, g.kp);
    else
      g.drive.step(g.q, g.stretch, faults);
    command_drives(g);
  }
}

void MujocoPlant::Impl::command_drives(const Group& g) {
  for (std::size_t j = 0; j < g.joints.size(); ++j) {
    const Joint& joint = g.joints[j];
    if (g.gripper) {
      const ServoTarget& target = g.gripper->target(static_cast<int>(j));
      data->ctrl[joint.actuator] = servo_effort(joint, target.q, target.v);
      // what carries the jaw's own weight presses on nothing
      const double most = g.gripper->torque(static_cast<int>(j)), weight = carried(joint);
      model->actuator_forcerange[2 * joint.actuator] = weight - most;
      model->actuator_forcerange[2 * joint.actuator + 1] = weight + most;
      continue;
    }
    const ServoTarget& target = g.drive.target(static_cast<int>(j));
    // the affine actuator subtracts kp q and kd v itself, implicitly
    data->ctrl[joint.actuator] =
        joint.kp > 0.0 ? servo_effort(joint, target.q, target.v) : target.tau;
  }
}

void MujocoPlant::Impl::move_kinematics() {
  const double time = seconds(steps * layout.period);
  for (std::size_t k = 0; k < kinematics.size(); ++k) {
    Placement X;
    Eigen::Vector3d v, w;
    kinematic_state(scene.kinematics[k], time, X, v, w);
    mjtNum* qpos = data->qpos + model->jnt_qposadr[kinematics[k]];
    mjtNum* qvel = data->qvel + model->jnt_dofadr[kinematics[k]];
    Eigen::Vector3d::Map(qpos) = X.p;
    quaternion_to_mujoco(X.q, qpos + 3);
    Eigen::Vector3d::Map(qvel) = v;
    Eigen::Vector3d::Map(qvel + 3) = X.q.conjugate() * w;
  }
}

MujocoPlant::MujocoPlant(const Scene& scene) : MujocoPlant(scene, robot_names(scene)) {}
MujocoPlant::MujocoPlant(const Scene& scene, const std::vector<std::string>& robots)
    : impl_(std::make_unique<Impl>(scene, robots)) {}
MujocoPlant::~MujocoPlant() = default;
const PlantLayout& MujocoPlant::layout() const { return impl_->layout; }
const Observation& MujocoPlant::read() { return impl_->observation; }
const CommandFaults& MujocoPlant::faults() const { return impl_->faults; }

void MujocoPlant::reset() {
  impl_->reset();
  impl_->observe();
}

bool MujocoPlant::renumber() {
  auto& i = *impl_;
  if (!i.compiled.renumber()) return false;
  check_start(i.compiled);
  mj_copyModel(i.model.get(), &i.compiled.model());
  i.scene_print = i.fingerprint();
  reset();
  return true;
}

void MujocoPlant::write(const Command& command) {
  static const Eigen::VectorXd kMissing;
  auto& i = *impl_;
  const auto values = [&](std::size_t g) -> const Eigen::VectorXd& {
    return g < command.groups.size() ? command.groups[g] : kMissing;
  };
  for (std::size_t g = 0; g < i.groups.size(); ++g) {
    if (i.groups[g].gripper)
      i.groups[g].gripper->command(values(g), i.faults);
    else
      i.groups[g].drive.command(values(g), i.faults);
  }
  for (std::size_t s = 0; s < i.suctions.size(); ++s) {
    const Eigen::VectorXd& on = values(i.groups.size() + s);
    if (on.size() == 1 && std::isfinite(on[0]))
      i.suctions[s].command(on[0]);
    else
      ++i.faults.not_finite;
  }
}

void MujocoPlant::advance() {
  auto& i = *impl_;
  if (i.observation.status == PlantStatus::kProtectiveStop) {
    ++i.steps;
    i.observation.stamp = i.steps * i.layout.period;
    i.observation.sequence = static_cast<std::uint64_t>(i.steps);
    return;
  }
  i.apply_commands();
  i.move_kinematics();
  i.step();
  ++i.steps;
  for (const int warning : {mjWARN_BADQPOS, mjWARN_BADQVEL, mjWARN_BADQACC})
    if (i.data->warning[warning].number > 0) i.observation.status = PlantStatus::kProtectiveStop;
  if (i.observation.status == PlantStatus::kProtectiveStop) return;
  i.note_shown_bias();
  i.observe();
}

bool MujocoPlant::recover() {
  if (impl_->observation.status != PlantStatus::kRunning) reset();
  return true;
}

void MujocoPlant::tare(int sensor) {
  auto& i = *impl_;
  i.tares[at(sensor)] += i.observation.wrenches[at(sensor)];
  i.observation.wrenches[at(sensor)].setZero();
}

}  // namespace handspan
