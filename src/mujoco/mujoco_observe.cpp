// A step of a simulated scene, and what it is seen to have done: wrenches, contacts, joints, and
// what a cup holds.
#include "mujoco/mujoco_plant_impl.hpp"

namespace handspan {
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

// What MuJoCo says of a servo is the force at the beginning of the step. Implicit integration takes
// its damping at the end, but where the force is at its limit; a stiff servo that goes after steps
// of its command exerts much less than it says.
double MujocoPlant::Impl::implicit_part(const Joint& joint, double gained) const {
  if (steps == 0 || joint.kd == 0.0) return 0.0;
  if (model->opt.integrator != mjINT_IMPLICITFAST && model->opt.integrator != mjINT_IMPLICIT)
    return 0.0;
  const mjtNum* range = model->actuator_forcerange + 2 * joint.actuator;
  const double force = data->actuator_force[joint.actuator];
  return force > range[0] && force < range[1] ? joint.kd * gained : 0.0;
}

void MujocoPlant::Impl::observe() {
  observation.stamp = steps * layout.period;
  observation.sequence = static_cast<std::uint64_t>(steps);
  for (std::size_t g = 0; g < groups.size(); ++g)
    for (std::size_t j = 0; j < groups[g].joints.size(); ++j) {
      const auto i = static_cast<Eigen::Index>(j);
      const Joint& joint = groups[g].joints[j];
      const double before = observation.groups[g].v[i];
      observation.groups[g].q[i] = data->qpos[joint.qpos];
      observation.groups[g].v[i] = data->qvel[joint.qvel];
      observation.groups[g].tau[i] =
          data->qfrc_actuator[joint.qvel] - implicit_part(joint, data->qvel[joint.qvel] - before);
    }
  for (std::size_t s = 0; s < sensors.size(); ++s)
    observation.wrenches[s] = raw_wrench(sensors[s]) - tares[s];
  observe_contacts();
  observe_suctions();
}

void MujocoPlant::Impl::observe_suctions() {
  for (std::size_t s = 0; s < suctions.size(); ++s) {
    const SuctionCup& cup = suctions[s];
    set_cup_state(observation.groups[groups.size() + s],
                  {cup.held(), cup.vacuum(steps * layout.period), cup.state().load});
  }
}

void MujocoPlant::Impl::step_piece(Nanoseconds from, Nanoseconds to) {
  const auto blows = [&](const SuctionCup& cup) { return cup.blows(from, to); };
  const bool blown = std::ranges::any_of(suctions, blows);
  if (blown) {
    refresh();
    for (const auto& cup : suctions)
      if (blows(cup)) cup.blow(from, to, *data);
  }
  for (const auto& cup : suctions) cup.damp(*data);
  const bool whole = to - from == layout.period;
  model->opt.timestep = whole ? scene.physics.timestep : seconds(to - from);
  mj_step(model.get(), data.get());
  model->opt.timestep = scene.physics.timestep;
  fresh = false;
  if (blown)
    for (const auto& cup : suctions)
      if (blows(cup)) cup.still(*data);
  for (auto& cup : suctions) cup.strain(to, *model, *data);
}

void MujocoPlant::Impl::step() {
  const Nanoseconds end = (steps + 1) * layout.period;
  Nanoseconds now = steps * layout.period;
  for (auto& cup : suctions) cup.switch_valve(now);
  while (now < end) {
    Nanoseconds next = end;
    for (const auto& cup : suctions) next = std::min(next, std::max(now, cup.next()));
    if (next > now) step_piece(now, next);
    now = next;
    if (now == end) break;  // what is due at the end is the next step's
    refresh();
    for (auto& cup : suctions)
      if (cup.next() <= now) cup.act(now, *model, *data);
  }
  for (auto& cup : suctions)
    if (cup.looks(*model, *data)) {
      refresh();
      cup.look(end, *model, *data);
    }
}

}  // namespace handspan
