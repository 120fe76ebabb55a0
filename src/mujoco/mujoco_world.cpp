// The truth of a simulated scene, and the hands that reach into it: what World asks of the plant.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "core/error.hpp"
#include "core/index.hpp"
#include "core/named.hpp"
#include "mujoco/mujoco_plant.hpp"
#include "mujoco/mujoco_plant_impl.hpp"
#include "scene/mujoco_spec.hpp"

namespace handspan {
namespace {

std::out_of_range not_there(const char* what, std::string_view name,
                            const std::vector<std::string>& names) {
  return std::out_of_range(not_found("the scene", what, name, names));
}

}  // namespace

Nanoseconds MujocoPlant::period() const { return impl_->layout.period; }
Nanoseconds MujocoPlant::time() const { return impl_->steps * impl_->layout.period; }
const std::vector<std::string>& MujocoPlant::bodies() const { return impl_->body_names; }
std::span<const Contact> MujocoPlant::contacts() const { return impl_->contacts; }
std::uint64_t MujocoPlant::contacts_left_out() const { return impl_->contacts_left_out; }
const std::vector<std::string>& MujocoPlant::cups() const { return impl_->cup_names; }

CupState MujocoPlant::cup(int cup) const {
  return cup_state(impl_->observation.groups[impl_->groups.size() + at(cup)]);
}

int MujocoPlant::parent(int body) const { return impl_->model->body_parentid[body]; }

Pose MujocoPlant::body_pose(int body) const {
  impl_->refresh();
  const mjData& d = *impl_->data;
  return Pose::from(Eigen::Vector3d::Map(d.xpos + 3 * body),
                    quaternion_from_mujoco(d.xquat + 4 * body));
}

Vector6d MujocoPlant::body_velocity(int body) const {
  impl_->refresh();
  mjtNum V[6];
  mj_objectVelocity(impl_->model.get(), impl_->data.get(), mjOBJ_XBODY, body, V, 0);
  Vector6d out;
  out << Eigen::Vector3d::Map(V + 3), Eigen::Vector3d::Map(V);
  return out;
}

void MujocoPlant::push(int body, const Eigen::Vector3d& p_W, const Vector6d& F_W) {
  mjData& data = *impl_->data;
  // brings what follows from positions up to date
  impl_->refresh();
  // bodies() are MuJoCo's, and it takes forces at the centre of mass
  const Eigen::Vector3d arm = p_W - Eigen::Vector3d::Map(data.xipos + 3 * body);
  Eigen::Vector3d::Map(data.xfrc_applied + 6 * body) = F_W.head<3>();
  Eigen::Vector3d::Map(data.xfrc_applied + 6 * body + 3) = F_W.tail<3>() + arm.cross(F_W.head<3>());
}

void MujocoPlant::set_object(std::string_view name, const Pose& X_WB, const Vector6d& V_WB) {
  auto& i = *impl_;
  const std::size_t object = i.object(name);
  for (auto& cup : i.suctions)
    if (cup.object() == static_cast<std::int64_t>(object)) cup.let_go(*i.model, *i.data);
  const int joint = id_of(*i.model, mjOBJ_JOINT, std::string(name));
  mjtNum* q = i.data->qpos + i.model->jnt_qposadr[joint];
  mjtNum* v = i.data->qvel + i.model->jnt_dofadr[joint];
  Eigen::Vector3d::Map(q) = X_WB.p;
  quaternion_to_mujoco(X_WB.quaternion(), q + 3);
  Eigen::Vector3d::Map(v) = V_WB.head<3>();
  Eigen::Vector3d::Map(v + 3) = X_WB.R.transpose() * V_WB.tail<3>();
  mj_forward(i.model.get(), i.data.get());
  i.fresh = true;
  i.observe();
}

void MujocoPlant::hold_object(std::string_view cup, std::string_view name, const Pose& X_LB) {
  auto& i = *impl_;
  SuctionCup& holder = i.cup(cup);
  const std::size_t object = i.object(name);
  i.refresh();
  const Pose X_WL = body_pose(holder.lip());
  Vector6d V_WB = body_velocity(holder.lip());
  V_WB.head<3>() += V_WB.tail<3>().cross(X_WL.R * X_LB.p);
  set_object(name, X_WL * X_LB, V_WB);
  holder.hold(static_cast<std::int64_t>(object), *i.model, *i.data);
  mj_forward(i.model.get(), i.data.get());
  i.observe();
}

int MujocoPlant::put_back_objects() {
  auto& i = *impl_;
  mjModel& m = *i.model;
  mjData& d = *i.data;
  mj_getState(&m, &d, i.integration_state.data(), mjSTATE_INTEGRATION);
  const mjModel& at_start = i.compiled.model();
  for (const auto& object : i.scene.objects) {
    const int joint = id_of(m, mjOBJ_JOINT, object.name);
    mju_copy(d.qpos + m.jnt_qposadr[joint], at_start.qpos0 + m.jnt_qposadr[joint], 7);
    mju_zero(d.qvel + m.jnt_dofadr[joint], 6);
  }
  mj_fwdPosition(&m, &d);
  const auto of_robot = [&](int geom) {
    const std::string& name = i.body_names[at(m.geom_bodyid[geom])];
    return std::ranges::any_of(i.scene.robots, [&](const RobotInstance& robot) {
      return name.size() > robot.name.size() && name.starts_with(robot.name) &&
             name[robot.name.size()] == '.';
    });
  };
  const auto of_object = [&](int geom) {
    const std::string& name = i.body_names[at(m.geom_bodyid[geom])];
    return std::ranges::count(i.scene.objects, name, &SceneBody::name) > 0;
  };
  int in_the_way = -1;
  for (int c = 0; c < d.ncon && in_the_way < 0; ++c) {
    const mjContact& contact = d.contact[c];
    if (contact.dist >= 0.0) continue;
    for (const int side : {0, 1})
      if (of_robot(contact.geom[side]) && of_object(contact.geom[1 - side]))
        in_the_way = m.geom_bodyid[contact.geom[side]];
  }
  if (in_the_way >= 0) {
    mj_setState(&m, &d, i.integration_state.data(), mjSTATE_INTEGRATION);
  } else {
    for (auto& cup : i.suctions) {
      cup.let_go(m, d);
      cup.command(0.0);
    }
    for (std::size_t b = 0; b < i.belts.size(); ++b)
      m.geom_surfacevel[6 * i.belts[b]] = i.scene.belts[b].speed;
  }
  mj_forward(&m, &d);
  i.fresh = true;
  if (in_the_way < 0) i.observe();
  return in_the_way;
}

FixedText<166> MujocoPlant::why_not_sealed(std::string_view name) const {
  impl_->refresh();
  return impl_->cup(name).why_not(*impl_->model, *impl_->data);
}

std::uint64_t MujocoPlant::broken_away(std::string_view cup) const {
  return impl_->cup(cup).state().broken;
}

SuctionCup& MujocoPlant::Impl::cup(std::string_view name) {
  for (std::size_t s = 0; s < suctions.size(); ++s)
    if (layout.groups[groups.size() + s].name == name) return suctions[s];
  throw not_there("suction cup", name, cup_names);
}

std::size_t MujocoPlant::Impl::object(std::string_view name) const {
  const auto found = std::ranges::find(scene.objects, name, &SceneBody::name);
  if (found == scene.objects.end()) {
    std::vector<std::string> names;
    for (const auto& object : scene.objects) names.push_back(object.name);
    throw not_there("free object", name, names);
  }
  return static_cast<std::size_t>(found - scene.objects.begin());
}

const std::vector<std::string>& MujocoPlant::robots() const { return impl_->driven; }
const std::vector<GroupLayout>& MujocoPlant::shown() const { return impl_->shown_groups; }

void MujocoPlant::show(std::size_t group, const Eigen::VectorXd& q, const Eigen::VectorXd& v) {
  auto& i = *impl_;
  const auto& joints = i.shown_joints[group];
  const auto n = static_cast<Eigen::Index>(joints.size());
  const bool known = q.size() == n && v.size() == n && q.allFinite() && v.allFinite();
  for (std::size_t j = 0; j < joints.size(); ++j) {
    const auto k = static_cast<Eigen::Index>(j);
    if (known) i.data->qpos[joints[j].qpos] = q[k];
    i.data->qvel[joints[j].qvel] = known ? v[k] : 0.0;
  }
  i.find_loads();
  i.rest_shown(group);
  i.fresh = false;
}

int MujocoPlant::Impl::belt(std::string_view name) const {
  for (std::size_t b = 0; b < belts.size(); ++b)
    if (scene.belts[b].body.name == name) return belts[b];
  std::vector<std::string> names;
  for (const auto& belt : scene.belts) names.push_back(belt.body.name);
  throw not_there("belt", name, names);
}

void MujocoPlant::set_belt_speed(std::string_view belt, double speed) {
  if (!std::isfinite(speed))
    throw InputError(fmt::format("the speed of belt '{}' is {}; it must be finite", belt, speed));
  impl_->model->geom_surfacevel[6 * impl_->belt(belt)] = speed;
}

double MujocoPlant::belt_speed(std::string_view belt) const {
  return impl_->model->geom_surfacevel[6 * impl_->belt(belt)];
}

void MujocoPlant::robot_state(std::string_view robot, Eigen::Ref<Eigen::VectorXd> q,
                              Eigen::Ref<Eigen::VectorXd> v) const {
  for (const auto& [name, pair] : impl_->robots)
    if (name == robot) return pair->second.read(*impl_->data, q, v);
  std::vector<std::string> names;
  for (const auto& [name, pair] : impl_->robots) names.push_back(name);
  throw not_there("robot", robot, names);
}

std::span<const double> MujocoPlant::positions() const {
  return {impl_->data->qpos, static_cast<std::size_t>(impl_->model->nq)};
}

std::span<const double> MujocoPlant::velocities() const {
  return {impl_->data->qvel, static_cast<std::size_t>(impl_->model->nv)};
}

bool MujocoPlant::diverged() const {
  return impl_->observation.status == PlantStatus::kProtectiveStop;
}

std::string MujocoPlant::divergence() const {
  if (!diverged()) return "";
  const mjModel& m = *impl_->model;
  const mjData& d = *impl_->data;
  // of the joint to which an entry of q or v belongs; an object's joint has the object's name
  const auto joint = [&](const int* address, int index) {
    int found = 0;
    while (found + 1 < static_cast<int>(m.njnt) && address[found + 1] <= index) ++found;
    const char* name = mj_id2name(&m, mjOBJ_JOINT, found);
    return std::string(name != nullptr ? name : "a joint");
  };
  const std::pair<int, const char*> kinds[] = {
      {mjWARN_BADQPOS, "position"}, {mjWARN_BADQVEL, "velocity"}, {mjWARN_BADQACC, "acceleration"}};
  for (const auto& [warning, what] : kinds) {
    if (d.warning[warning].number == 0) continue;
    return fmt::format("the {} of '{}' is not finite or too large", what,
                       joint(warning == mjWARN_BADQPOS ? m.jnt_qposadr : m.jnt_dofadr,
                             d.warning[warning].lastinfo));
  }
  // a snapshot keeps that it stopped, not what MuJoCo said
  return "a position or velocity is not finite or too large";
}

double MujocoPlant::energy() const {
  impl_->refresh();
  mj_makeM(impl_->model.get(), impl_->data.get());  // kinetic energy reads it
  mj_energyPos(impl_->model.get(), impl_->data.get());
  mj_energyVel(impl_->model.get(), impl_->data.get());
  return impl_->data->energy[0] + impl_->data->energy[1];
}

}  // namespace handspan
