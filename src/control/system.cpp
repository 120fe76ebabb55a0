#include "control/system.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/error.hpp"
#include "core/named.hpp"

namespace handspan {
namespace {

template <class Items>
int index_of(const Items& items, const std::string& kind, std::string_view name) {
  return static_cast<int>(find_named(
      "", kind, name, items, [](const auto& item) -> const std::string& { return item.name; }));
}

template <class Items>
void require_new(const Items& items, const std::string& kind, const std::string& name) {
  for (const auto& item : items)
    if (item.name == name)
      throw InputError(
          fmt::format("the {} '{}' comes twice; give one another name", kind, shown(name)));
}

}  // namespace

int ControlSystem::add_mechanism(MechanismDescription description) {
  require_new(mechanisms_, "mechanism", description.name);
  Mechanism m;
  m.name = description.name;
  m.model = std::make_unique<const RobotModel>(std::move(description.description), gravity_);
  m.cartesian = description.limits.cartesian;
  m.rate = description.limits.rate;
  m.torque_rate = description.torque_rate;
  const auto slot = [&](const std::string& joint) -> const JointSlot& {
    const auto& joints = m.model->joints();
    return joints[find_named("", fmt::format("joint of '{}' called", m.name), joint, joints,
                             &JointSlot::name)];
  };
  std::vector<bool> taken(static_cast<std::size_t>(m.model->nv()), false);
  const auto take = [&](const std::string& joint) {
    const JointSlot& s = slot(joint);
    if (joint_nv(s.type) != 1)
      throw InputError(fmt::format("joint '{}' is free or a ball and cannot be driven", joint));
    if (taken[static_cast<std::size_t>(s.v)])
      throw InputError(fmt::format("joint '{}' of '{}' is named twice", joint, m.name));
    taken[static_cast<std::size_t>(s.v)] = true;
    return s.v;
  };
  for (const auto& joint : description.actuated) {
    const JointLimits* limits = description.limits.find(joint);
    if (!limits)
      throw InputError(fmt::format(
          "joint '{}' has no limits; control needs them, in the robot's limits.yaml", joint));
    m.actuated.push_back(take(joint));
    m.actuated_q.push_back(slot(joint).q);
    m.limits.push_back(*limits);
    m.joint_names.push_back(joint);
  }
  for (const auto& joint : description.held) m.held.push_back(take(joint));
  for (int v = 0; v < m.model->nv(); ++v)
    if (!taken[static_cast<std::size_t>(v)]) m.passive.push_back(v);
  mechanisms_.push_back(std::move(m));
  return static_cast<int>(mechanisms_.size()) - 1;
}

int ControlSystem::add_loop_closure(std::string name, std::string_view frame_a,
                                    std::string_view frame_b, double stiffness) {
  require_new(loop_closures_, "loop closure", name);
  const FrameOf a = frame(frame_a), b = frame(frame_b);
  if (a.mechanism == b.mechanism && a.frame == b.frame)
    throw InputError(
        fmt::format("the loop closure '{}' joins the frame '{}' to itself", name, frame_a));
  loop_closures_.push_back({std::move(name), a.mechanism, b.mechanism, a.frame, b.frame,
                            std::string(frame_b), 0, stiffness});
  return static_cast<int>(loop_closures_.size()) - 1;
}

int ControlSystem::add_payload(std::string name, std::string_view frame_name,
                               const Inertial& inertial) {
  require_new(payloads_, "payload", name);
  const FrameOf on = frame(frame_name);
  payloads_.push_back({std::move(name), on.mechanism, on.frame, inertial});
  return static_cast<int>(payloads_.size()) - 1;
}

void ControlSystem::seal() {
  unknowns_ = 0;
  for (auto& m : mechanisms_) {
    m.offset = unknowns_;
    unknowns_ += m.model->nv();
  }
  for (auto& loop_closure : loop_closures_) {
    loop_closure.offset = unknowns_;
    unknowns_ += 6;
  }
  for (auto& m : mechanisms_) {
    m.multipliers = unknowns_;
    unknowns_ += m.model->constraint_rows();
  }
}

ControlSystem::FrameOf ControlSystem::frame(std::string_view name) const {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < mechanisms_.size(); ++i) {
    const auto& d = mechanisms_[i].model->description();
    if (d.body_index(name) >= 0 || d.frame_index(name) >= 0)
      return {static_cast<int>(i), mechanisms_[i].model->frame(name)};
    for (const auto& f : d.frames) names.push_back(f.name);
    for (const auto& b : d.bodies) names.push_back(b.name);
  }
  throw_not_found("", "frame", name, names);
}

int ControlSystem::mechanism(std::string_view name) const {
  return index_of(mechanisms_, "robot under control called", name);
}
int ControlSystem::loop_closure(std::string_view name) const {
  return index_of(loop_closures_, "loop closure", name);
}
int ControlSystem::payload(std::string_view name) const {
  return index_of(payloads_, "payload", name);
}

std::pair<int, int> ControlSystem::actuated_joint(std::string_view name) const {
  std::vector<std::string> names;
  for (std::size_t m = 0; m < mechanisms_.size(); ++m)
    for (std::size_t j = 0; j < mechanisms_[m].joint_names.size(); ++j) {
      if (mechanisms_[m].joint_names[j] == name) return {static_cast<int>(m), static_cast<int>(j)};
      names.push_back(mechanisms_[m].joint_names[j]);
    }
  throw_not_found("", "actuated joint", name, names);
}

MechanismState::MechanismState(const Mechanism& m)
    : q(m.model->neutral()), v(Eigen::VectorXd::Zero(m.model->nv())), data(*m.model) {
  const auto driven = static_cast<Eigen::Index>(m.actuated.size());
  M = Eigen::MatrixXd::Identity(v.size(), v.size());
  h = qdd = Eigen::VectorXd::Zero(v.size());
  tau = tau_before = extra_torque = Eigen::VectorXd::Zero(driven);
  C = Eigen::MatrixXd::Zero(m.model->constraint_rows(), v.size());
  c = Eigen::VectorXd::Zero(m.model->constraint_rows());
  horizons = Eigen::VectorXd::Zero(driven);
  dt = 1.0 / m.rate.hz();
}

ControlState::ControlState(const ControlSystem& system)
    : loop_closures(system.loop_closures().size()), payload(system.payloads().size()) {
  for (const auto& m : system.mechanisms()) mechanisms.emplace_back(m);
  for (std::size_t j = 0; j < loop_closures.size(); ++j) {
    const auto nv = [&](int m) {
      return system.mechanisms()[static_cast<std::size_t>(m)].model->nv();
    };
    loop_closures[j].J_a = Matrix6Xd::Zero(6, nv(system.loop_closures()[j].a));
    loop_closures[j].J_b = Matrix6Xd::Zero(6, nv(system.loop_closures()[j].b));
  }
}

namespace {

// adds `share` of a body at E to M and h: its inertia about E's origin, in W axes
void add_payload_dynamics(const ControlSystem& system, const Payload& payload, double share,
                          MechanismState& s) {
  const Mechanism& m = system.mechanisms()[static_cast<std::size_t>(payload.mechanism)];
  Eigen::Matrix<double, 6, Eigen::Dynamic, 0, 6, 64> J(6, m.model->nv());
  frame_jacobian(*m.model, s.data, payload.frame, J);
  const Eigen::Matrix3d R_WE = frame_pose(*m.model, s.data, payload.frame).R;
  const Vector6d V = frame_velocity(*m.model, s.data, payload.frame);
  const Vector6d bias = frame_bias_acceleration(*m.model, s.data, payload.frame);
  const double mass = share * payload.inertial.mass;
  const Eigen::Vector3d c = R_WE * payload.inertial.X_BC.p;
  const Eigen::Matrix3d I_C = share * R_WE * payload.inertial.inertia_B() * R_WE.transpose();
  const Eigen::Matrix3d c_cross = skew(c);
  Eigen::Matrix<double, 6, 6> G;
  G << mass * Eigen::Matrix3d::Identity(), -mass * c_cross, mass * c_cross,
      I_C - mass * c_cross * c_cross;
  const Eigen::Vector3d omega = V.tail<3>(), alpha = bias.tail<3>();
  const Eigen::Vector3d force =
      mass * (bias.head<3>() + alpha.cross(c) + omega.cross(omega.cross(c)) - system.gravity());
  Vector6d F;
  F << force, I_C * alpha + omega.cross(I_C * omega) + c.cross(force);
  Eigen::Matrix<double, 6, Eigen::Dynamic, 0, 6, 64> GJ(6, m.model->nv());
  GJ.noalias() = G * J;
  s.M.noalias() += J.transpose() * GJ;
  s.h.noalias() += J.transpose() * F;
}

constexpr double kHoldDamping = 40.0;  // [1/s], critical

void update_loop_closure(const ControlSystem& system, ControlState& state, std::size_t index) {
  const LoopClosure& loop_closure = system.loop_closures()[index];
  LoopClosureState& s = state.loop_closures[index];
  const auto a = static_cast<std::size_t>(loop_closure.a),
             b = static_cast<std::size_t>(loop_closure.b);
  const RobotModel &model_a = *system.mechanisms()[a].model,
                   &model_b = *system.mechanisms()[b].model;
  RobotData &data_a = state.mechanisms[a].data, &data_b = state.mechanisms[b].data;
  const Pose X_Wa = frame_pose(model_a, data_a, loop_closure.frame_a),
             X_Wb = frame_pose(model_b, data_b, loop_closure.frame_b);
  const Eigen::Vector3d r = X_Wb.p - X_Wa.p;
  frame_jacobian(model_b, data_b, loop_closure.frame_b, s.J_b);
  frame_jacobian(model_a, data_a, loop_closure.frame_a, s.J_a);
  for (Eigen::Index c = 0; c < s.J_a.cols(); ++c)
    s.J_a.block<3, 1>(0, c) += Eigen::Vector3d(s.J_a.block<3, 1>(3, c)).cross(r);
  const Vector6d V_a = frame_velocity(model_a, data_a, loop_closure.frame_a),
                 V_b = frame_velocity(model_b, data_b, loop_closure.frame_b);
  const Vector6d bias_a = frame_bias_acceleration(model_a, data_a, loop_closure.frame_a),
                 bias_b = frame_bias_acceleration(model_b, data_b, loop_closure.frame_b);
  const Eigen::Vector3d omega = V_a.tail<3>();
  Vector6d u, bias, error;
  u << V_b.head<3>() - V_a.head<3>() - omega.cross(r), V_b.tail<3>() - omega;
  bias << bias_b.head<3>() - bias_a.head<3>() - Eigen::Vector3d(bias_a.tail<3>()).cross(r) -
              omega.cross(omega.cross(r)),
      bias_b.tail<3>() - bias_a.tail<3>();
  const Pose X_Wb_closed = X_Wa * s.X_ab;
  error << X_Wb_closed.p - X_Wb.p, X_Wb.R * log_so3(X_Wb.R.transpose() * X_Wb_closed.R);
  s.rate = loop_closure.stiffness * error - 2.0 * std::sqrt(loop_closure.stiffness) * u - bias;
}

void update_horizons(const Mechanism& mechanism, MechanismState& s) {
  s.horizon = s.dt;
  for (std::size_t j = 0; j < mechanism.actuated.size(); ++j) {
    const JointLimits& limits = mechanism.limits[j];
    const int v = mechanism.actuated[j];
    // against a contact q'' may be more than the limit of what comes about
    const double most =
        s.measured ? std::max(limits.acceleration, std::abs(s.qdd[v])) : limits.acceleration;
    const double swing = most + limits.braking;
    double horizon = swing / limits.jerk;
    if (mechanism.torque_rate) horizon = std::max(horizon, swing * s.M(v, v) / limits.torque_rate);
    horizon = std::clamp(horizon, s.dt, std::max(s.dt, kLongestHorizon));
    s.horizons[static_cast<Eigen::Index>(j)] = horizon;
    s.horizon = std::max(s.horizon, horizon);
  }
}

}  // namespace

void ControlState::state(StateArchive& archive) {
  archive.part("control state");
  for (auto& m : mechanisms)
    archive(m.q, m.v, m.M, m.h, m.qdd, m.tau, m.tau_before, m.extra_torque, m.dt, m.due,
            m.obstructed);
  for (auto& loop_closure : loop_closures)
    archive(loop_closure.closed, loop_closure.closing, loop_closure.X_ab.p, loop_closure.X_ab.R,
            loop_closure.rate);
  archive(payload, dt);
}

void ask_loop_closure(ControlState& state, int loop_closure, bool closed) {
  LoopClosureState& s = state.loop_closures[static_cast<std::size_t>(loop_closure)];
  // one that is closed stays where it was closed
  s.closing = closed && !s.closed;
  s.closed = s.closed && closed;
}

void set_loop_closure(const ControlSystem& system, ControlState& state, int loop_closure,
                      bool closed) {
  const LoopClosure& j = system.loop_closures()[static_cast<std::size_t>(loop_closure)];
  LoopClosureState& s = state.loop_closures[static_cast<std::size_t>(loop_closure)];
  s.closed = closed;
  s.closing = false;
  const auto pose = [&](int m, FrameId frame) {
    const auto i = static_cast<std::size_t>(m);
    return frame_pose(*system.mechanisms()[i].model, state.mechanisms[i].data, frame);
  };
  s.X_ab = pose(j.a, j.frame_a).inverse() * pose(j.b, j.frame_b);
}

void equation_of_motion_row(const ControlSystem& system, const ControlState& state, int mechanism,
                            int v, Eigen::Ref<Eigen::RowVectorXd> row) {
  const auto m = static_cast<std::size_t>(mechanism);
  const Mechanism& mech = system.mechanisms()[m];
  const MechanismState& s = state.mechanisms[m];
  row.segment(mech.offset, mech.model->nv()) = s.M.col(v).transpose();
  for (std::size_t j = 0; j < state.loop_closures.size(); ++j) {
    const LoopClosure& loop_closure = system.loop_closures()[j];
    const LoopClosureState& js = state.loop_closures[j];
    if (loop_closure.a != mechanism && loop_closure.b != mechanism) continue;
    auto f = row.segment<6>(loop_closure.offset);
    f.setZero();
    // the force acts on b's mechanism and its opposite on a's
    if (loop_closure.b == mechanism) f -= js.J_b.col(v).transpose();
    if (loop_closure.a == mechanism) f += js.J_a.col(v).transpose();
  }
  if (s.C.rows() > 0) row.segment(mech.multipliers, s.C.rows()) = -s.C.col(v).transpose();
}

void update_state(const ControlSystem& system, ControlState& state) {
  for (std::size_t i = 0; i < state.mechanisms.size(); ++i) {
    const RobotModel& model = *system.mechanisms()[i].model;
    MechanismState& s = state.mechanisms[i];
    s.M = mass_matrix(model, s.data, s.q);
    s.h = nonlinear_effects(model, s.data, s.q, s.v);
    update_kinematics(model, s.data, s.q, s.v);
    if (s.C.rows() == 0) continue;
    Eigen::Matrix<double, Eigen::Dynamic, 1, 0, 16, 1> drift(s.C.rows());
    handspan::constraint_rows(model, s.data, s.q, s.v, s.C, s.c, drift);
    s.c.noalias() -= kHoldDamping * (s.C * s.v);
    s.c -= kHoldStiffness * drift;
  }
  for (std::size_t p = 0; p < state.payload.size(); ++p) {
    state.payload[p].advance(state.dt);
    const double share = state.payload[p].value();
    const Payload& payload = system.payloads()[p];
    if (share > 0.0)
      add_payload_dynamics(system, payload, share,
                           state.mechanisms[static_cast<std::size_t>(payload.mechanism)]);
  }
  for (std::size_t j = 0; j < state.loop_closures.size(); ++j) {
    if (state.loop_closures[j].closing) set_loop_closure(system, state, static_cast<int>(j), true);
    update_loop_closure(system, state, j);
  }
  for (std::size_t m = 0; m < state.mechanisms.size(); ++m)
    update_horizons(system.mechanisms()[m], state.mechanisms[m]);
}

}  // namespace handspan
