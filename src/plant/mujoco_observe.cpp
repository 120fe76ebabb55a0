// What a step of a simulated scene is seen to have done: wrenches, contacts, joints, and what a cup
// has grabbed.
#include "plant/mujoco_plant_impl.hpp"

namespace handspan {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

}  // namespace

void MujocoPlant::Impl::refresh() {
  if (fresh) return;
  mj_kinematics(model.get(), data.get());
  mj_comPos(model.get(), data.get());
  mj_comVel(model.get(), data.get());
  fresh = true;
}

Vector6d MujocoPlant::Impl::raw_wrench(const Sensor& sensor) const {
  // MuJoCo reads what the parent exerts on the child: it carries the child's weight and resists
  // what pushes it
  Vector6d wrench;
  wrench << Eigen::Vector3d::Map(data->sensordata + sensor.force),
      Eigen::Vector3d::Map(data->sensordata + sensor.torque);
  const Eigen::Matrix3d R_WS =
      Eigen::Matrix<double, 3, 3, Eigen::RowMajor>::Map(data->site_xmat + 9 * sensor.site);
  const Eigen::Vector3d weight =
      sensor.mass * (R_WS.transpose() * Eigen::Vector3d::Map(model->opt.gravity));
  Vector6d own;
  own << weight, sensor.p_SC.cross(weight);
  return -(wrench + own);
}

void MujocoPlant::Impl::observe_contacts() {
  contacts.clear();
  for (int c = 0; c < data->ncon; ++c) {
    const mjContact& from = data->contact[c];
    if (from.efc_address < 0) continue;
    if (contacts.size() == kMostContacts) {
      ++contacts_left_out;
      continue;
    }
    mjtNum force[6];
    mj_contactForce(model.get(), data.get(), c, force);
    const auto R = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>::Map(from.frame);
    Contact to;
    to.body_a = model->geom_bodyid[from.geom[0]];
    to.body_b = model->geom_bodyid[from.geom[1]];
    to.p_W = Eigen::Vector3d::Map(from.pos);
    to.n_W = R.row(0).transpose();
    to.f_W = R.transpose() * Eigen::Vector3d::Map(force);
    to.depth = -from.dist;
    contacts.push_back(to);
  }
}

void MujocoPlant::Impl::observe() {
  observation.stamp = steps * layout.period;
  observation.sequence = static_cast<std::uint64_t>(steps);
  for (std::size_t g = 0; g < groups.size(); ++g)
    for (std::size_t j = 0; j < groups[g].joints.size(); ++j) {
      const auto i = static_cast<Eigen::Index>(j);
      const Joint& joint = groups[g].joints[j];
      observation.groups[g].q[i] = data->qpos[joint.qpos];
      observation.groups[g].v[i] = data->qvel[joint.qvel];
      observation.groups[g].tau[i] = data->qfrc_actuator[joint.qvel];
    }
  for (std::size_t s = 0; s < sensors.size(); ++s)
    observation.wrenches[s] = raw_wrench(sensors[s]) - tares[s];
  observe_contacts();
  observe_suctions();
}

void MujocoPlant::Impl::observe_suctions() {
  for (std::size_t s = 0; s < suctions.size(); ++s)
    observation.groups[groups.size() + s].q[0] = suctions[s].held >= 0 ? 1.0 : 0.0;
}

// On: the first object that the lip touches is welded as it lies. Off: let go.
void MujocoPlant::Impl::grip() {
  for (auto& s : suctions) {
    if (s.on <= 0.5) {
      if (s.held >= 0) data->eq_active[s.welds[at(s.held)].equality] = 0;
      s.held = -1;
      continue;
    }
    for (int c = 0; c < data->ncon && s.held < 0; ++c) {
      const mjContact& contact = data->contact[c];
      if (contact.geom[0] != s.lip && contact.geom[1] != s.lip) continue;
      // with a gap a pair is listed before it touches
      if (contact.dist > 0.0) continue;
      const int other =
          model->geom_bodyid[contact.geom[0] == s.lip ? contact.geom[1] : contact.geom[0]];
      for (std::size_t w = 0; w < s.welds.size(); ++w)
        if (s.welds[w].object == other) grab(s, static_cast<int>(w));
    }
  }
  observe_suctions();
}

void MujocoPlant::Impl::grab(Suction& s, int weld) {
  refresh();  // as they lie now, not a step ago
  const auto pose = [&](int body) {
    return Pose::from(Eigen::Vector3d::Map(data->xpos + 3 * body),
                      quaternion_from_mujoco(data->xquat + 4 * body));
  };
  const Suction::Weld& w = s.welds[at(weld)];
  const Pose X_WG = pose(s.body), X_WB = pose(w.object);
  const Eigen::Vector3d p_WS = Eigen::Vector3d::Map(data->site_xpos + 3 * s.site);
  // the weld's point is the lip's centre in both bodies
  mjtNum* to = model->eq_data + w.equality * mjNEQDATA;
  Eigen::Vector3d::Map(to) = X_WB.inverse() * p_WS;
  Eigen::Vector3d::Map(to + 3) = X_WG.inverse() * p_WS;
  quaternion_to_mujoco((X_WG.inverse() * X_WB).quaternion(), to + 6);
  data->eq_active[w.equality] = 1;
  s.held = weld;
}

}  // namespace handspan
