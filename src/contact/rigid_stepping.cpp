#include "contact/rigid_stepping.hpp"

#include <Eigen/Geometry>
#include <cmath>
#include <utility>

#include "core/error.hpp"

namespace handspan {
namespace {

using Eigen::Matrix3d;
using Eigen::Quaterniond;
using Eigen::Vector3d;

// The midpoint rule for Euler's equations, L' = L x I^-1 L in B, and the rotation by the mean
// angular velocity through Cayley's map: L in W and w . L / 2 are kept (both are quadratic).
void rotate_freely(const RigidModel& model, Quaterniond& q_WB, Vector3d& w, double h) {
  Vector3d w_mean = w;
  if (!model.isotropic()) {
    const Matrix3d& inertia = model.box().inertia_C;
    const Vector3d L = inertia * w;
    Vector3d L_mean = L;
    for (int i = 0; i < 30; ++i) {
      const Vector3d next = L + 0.5 * h * L_mean.cross(w_mean);
      const double change = (next - L_mean).cwiseAbs().maxCoeff();
      L_mean = next;
      w_mean = model.inverse_inertia_C() * L_mean;
      if (change <= 1e-16 * L.cwiseAbs().maxCoeff()) break;
    }
    w = model.inverse_inertia_C() * (2.0 * L_mean - L);
  }
  const Vector3d half = 0.5 * h * w_mean;
  q_WB = q_WB * Quaterniond(1.0, half[0], half[1], half[2]);
  q_WB.normalize();
}

Pose surface_pose(const RigidSurface& surface, double time) {
  return {surface.X_WS.R, surface.X_WS.p + time * surface.velocity_W};
}

}  // namespace

RigidData::RigidData(const RigidModel& model)
    : contacts_(8 * model.surfaces().size()),
      last_contacts_(contacts_.size()),
      keys_(contacts_.size()),
      last_keys_(contacts_.size()) {
  set_state(model, *this, RigidState());
}

void set_state(const RigidModel& model, RigidData& data, const RigidState& state, double time) {
  const Matrix3d& R = state.X_WB.R;
  if (!R.allFinite() || !state.X_WB.p.allFinite() || !state.V_WB.allFinite() ||
      !std::isfinite(time))
    throw InputError("the box's state is not finite");
  if (R.determinant() <= 0.0 || !(R * R.transpose()).isIdentity(1e-6))
    throw InputError("the box's R_WB is not a rotation");
  data.time = time;
  data.q_WB = Quaterniond(R).normalized();
  const Vector3d r_W = R * model.box().p_BC, w_W = state.V_WB.tail<3>();
  data.p_WC = state.X_WB.p + r_W;
  data.v_WC = state.V_WB.head<3>() + w_W.cross(r_W);
  data.w_WB_B = R.transpose() * w_W;
  data.steps = data.softened = data.unconverged = 0;
  data.energy_made = 0.0;
  data.count_ = data.last_count_ = 0;
}

RigidState state(const RigidModel& model, const RigidData& data) {
  RigidState out;
  out.X_WB.R = data.q_WB.toRotationMatrix();
  const Vector3d r_W = out.X_WB.R * model.box().p_BC, w_W = out.X_WB.R * data.w_WB_B;
  out.X_WB.p = data.p_WC - r_W;
  out.V_WB << data.v_WC - w_W.cross(r_W), w_W;
  return out;
}

// One function, since it is the stages of one time step in their order.
void step(const RigidModel& model, RigidData& data) {
  const double h = model.timestep(), mass = model.box().mass;
  data.p_WC += 0.5 * h * data.v_WC;
  rotate_freely(model, data.q_WB, data.w_WB_B, 0.5 * h);

  std::swap(data.contacts_, data.last_contacts_);
  std::swap(data.keys_, data.last_keys_);
  data.last_count_ = std::exchange(data.count_, 0);
  const Matrix3d R_WB = data.q_WB.toRotationMatrix();
  const Vector3d p_WB = data.p_WC - R_WB * model.box().p_BC;
  const Vector3d w_W = R_WB * data.w_WB_B;
  Matrix3d inverse_inertia_W;
  for (std::size_t s = 0; s < model.surfaces().size(); ++s) {
    const RigidSurface& surface = model.surfaces()[s];
    const Pose X_WS = surface_pose(surface, data.time + 0.5 * h);
    find_gaps(model, surface, X_WS, R_WB, p_WB, data.gaps_);
    if (data.gaps_.count > 0 && data.count_ == 0)
      inverse_inertia_W = R_WB * model.inverse_inertia_C() * R_WB.transpose();
    for (int i = 0; i < data.gaps_.count; ++i) {
      const GapPoint& gap = data.gaps_.points[static_cast<std::size_t>(i)];
      const auto slot = static_cast<std::size_t>(data.count_++);
      const int key = static_cast<int>(s) * RigidData::kFeatures + gap.feature;
      ConeContact& contact = data.contacts_[slot];
      data.keys_[slot] = key;
      contact.n = gap.n_W;
      contact.p_CQ = gap.p_W - data.p_WC;
      contact.v_surface = surface.velocity_W + X_WS.R * surface.running_S;
      contact.v_surface -= gap.n_W * gap.n_W.dot(X_WS.R * surface.running_S);
      contact.friction = surface.law.friction;
      contact.restitution = surface.law.restitution;
      contact.impulse.setZero();
      for (std::size_t k = 0; k < static_cast<std::size_t>(data.last_count_); ++k)
        if (data.last_keys_[k] == key) contact.impulse = data.last_contacts_[k].impulse;
      prepare_contact(contact, mass, inverse_inertia_W, data.v_WC, w_W);
    }
  }

  const Vector3d v_free = data.v_WC + h * model.gravity();
  if (data.count_ == 0) {
    data.v_WC = v_free;
  } else {
    const std::span<ConeContact> contacts(data.contacts_.data(),
                                          static_cast<std::size_t>(data.count_));
    // of rounding and of the solver's tolerance; and of weight alone, see step()
    const double fall = h * model.gravity().norm();
    const double let_through = 1e-8 * (mass * data.v_WC.squaredNorm() +
                                       data.w_WB_B.dot(model.box().inertia_C * data.w_WB_B)) +
                               0.125 * mass * fall * fall;
    ConeOptions options;
    ConeResult result;
    Vector3d v, w;
    for (int quarter = 4; quarter >= 0; --quarter) {
      options.restitution_scale = 0.25 * quarter;
      v = v_free;
      w = w_W;
      result = solve_impulses(contacts, mass, v, w, options);
      if (result.work <= let_through) break;
      if (quarter == 4) ++data.softened;
    }
    if (!result.converged) ++data.unconverged;
    if (result.work > 0.0) data.energy_made += result.work;
    data.v_WC = v;
    data.w_WB_B = R_WB.transpose() * w;
  }

  data.p_WC += 0.5 * h * data.v_WC;
  rotate_freely(model, data.q_WB, data.w_WB_B, 0.5 * h);
  ++data.steps;
  data.time += h;
}

double energy(const RigidModel& model, const RigidData& data) {
  return 0.5 * model.box().mass * data.v_WC.squaredNorm() +
         0.5 * data.w_WB_B.dot(model.box().inertia_C * data.w_WB_B) -
         model.box().mass * model.gravity().dot(data.p_WC);
}

Vector3d angular_momentum(const RigidModel& model, const RigidData& data) {
  return data.q_WB * Vector3d(model.box().inertia_C * data.w_WB_B);
}

double deepest_gap(const RigidModel& model, const RigidData& data) {
  const Matrix3d R_WB = data.q_WB.toRotationMatrix();
  const Vector3d p_WB = data.p_WC - R_WB * model.box().p_BC;
  GapPoints gaps;
  double deepest = 0.0;
  for (const RigidSurface& surface : model.surfaces()) {
    find_gaps(model, surface, surface_pose(surface, data.time), R_WB, p_WB, gaps);
    for (int i = 0; i < gaps.count; ++i)
      deepest = std::min(deepest, gaps.points[static_cast<std::size_t>(i)].gap);
  }
  return deepest;
}

}  // namespace handspan
