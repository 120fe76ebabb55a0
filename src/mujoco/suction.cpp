#include "mujoco/suction.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "plant/plant.hpp"
#include "robot/mujoco_shapes.hpp"
#include "scene/mujoco_spec.hpp"

namespace handspan {
namespace {

std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

using Matrix3 = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;

Pose pose_of(const mjData& data, int body) {
  return Pose::from(Eigen::Vector3d::Map(data.xpos + 3 * body),
                    quaternion_from_mujoco(data.xquat + 4 * body));
}

Nanoseconds nanoseconds(double s) { return std::llround(s * 1e9); }

void push(mjData& data, int body, const Eigen::Vector3d& f_W, const Eigen::Vector3d& p_W) {
  const Eigen::Vector3d arm = p_W - Eigen::Vector3d::Map(data.xipos + 3 * body);
  Eigen::Vector3d::Map(data.xfrc_applied + 6 * body) += f_W;
  Eigen::Vector3d::Map(data.xfrc_applied + 6 * body + 3) += arm.cross(f_W);
}

// so far that no pair of a scene comes near it [m]
constexpr double kNoContact = 1e3;

}  // namespace

SuctionCup::SuctionCup(const Scene& scene, const SuctionDescription& suction, const mjModel& model)
    : suction_(suction),
      until_holds_(nanoseconds(-suction.evacuation.time_constant *
                               std::log1p(-suction.evacuation.holds_at))),
      delay_(nanoseconds(suction.release.delay)),
      blow_time_(nanoseconds(suction.blow_off.time)),
      lip_(id_of(model, mjOBJ_BODY, suction.shape)) {
  for (int i = 0; i < 6; ++i) {
    const int joint = id_of(model, mjOBJ_JOINT, lip_joint(suction, i));
    qpos_[at(i)] = model.jnt_qposadr[joint];
    dof_[at(i)] = model.jnt_dofadr[joint];
    empty_damping_[at(i)] = model.dof_damping[dof_[at(i)]];
  }
  for (const auto& object : scene.objects)
    objects_.push_back({id_of(model, mjOBJ_EQUALITY, suction.name + "-" + object.name),
                        id_of(model, mjOBJ_BODY, object.name),
                        SealProbe(model, suction, object.name)});
  for (int i = 0; i < kLipBalls; ++i) {
    const int ball = id_of(model, mjOBJ_GEOM, lip_ball(suction, i));
    balls_.push_back({ball, model.geom_contype[ball], model.geom_conaffinity[ball]});
    for (int p = 0; p < model.npair; ++p)
      if (model.pair_geom1[p] == ball || model.pair_geom2[p] == ball)
        pairs_.push_back({p, model.pair_gap[p]});
  }
}

void SuctionCup::reset(mjModel& model) {
  state_ = {};
  restore(model);
}

void SuctionCup::start(mjModel& model, mjData& data) {
  if (suction_.holds.empty()) return;
  for (std::size_t i = 0; i < objects_.size(); ++i)
    if (mj_name2id(&model, mjOBJ_BODY, suction_.holds.c_str()) == objects_[i].body)
      hold(static_cast<std::int64_t>(i), model, data);
}

void SuctionCup::hold(std::int64_t object, mjModel& model, mjData& data) {
  if (held()) part(model, data);
  state_.command = 1.0;
  state_.valve = 1;
  state_.object = object;
  // so long ago that the vacuum is full
  state_.met = -3600 * kSecond;
  state_.release = kNever;
  join(model, data);
}

void SuctionCup::let_go(mjModel& model, mjData& data) {
  if (held()) part(model, data);
  state_.object = -1;
  state_.release = kNever;
}

// While it holds, the lip touches nothing: what it holds covers it, and the weld is all there is
// between them.
void SuctionCup::restore(mjModel& model) const {
  for (const Geom& ball : balls_) {
    model.geom_contype[ball.id] = held() ? 0 : ball.contype;
    model.geom_conaffinity[ball.id] = held() ? 0 : ball.conaffinity;
  }
  for (const Pair& pair : pairs_) model.pair_gap[pair.id] = held() ? kNoContact : pair.gap;
  for (std::size_t i = 0; i < 6; ++i) model.dof_damping[dof_[i]] = held() ? 0.0 : empty_damping_[i];
}

void SuctionCup::damp(mjData& data) const {
  for (std::size_t i = 0; i < 6; ++i)
    data.qfrc_applied[dof_[i]] = -state_.damping[i] * data.qvel[dof_[i]];
}

void SuctionCup::switch_valve(Nanoseconds now) {
  const std::int64_t wanted = asks_for_vacuum(state_.command) ? 1 : state_.command < -0.5 ? -1 : 0;
  if (wanted == state_.valve) return;
  const bool was_on = state_.valve == 1;
  state_.valve = wanted;
  if (wanted == 1) {
    // what was not let go yet is kept
    state_.release = kNever;
  } else if (held()) {
    // between off and off with blow-off the delay goes on
    if (was_on) state_.release = now + delay_;
  } else {
    state_.object = -1;
  }
}

Nanoseconds SuctionCup::next() const {
  if (held()) return state_.release;
  return state_.object >= 0 ? state_.met + until_holds_ : kNever;
}

void SuctionCup::act(Nanoseconds now, mjModel& model, mjData& data) {
  if (!held()) return join(model, data);
  const Object& object = objects_[at(state_.object)];
  if (state_.valve == 0 && blow_time_ > 0 && suction_.blow_off.impulse > 0.0) {
    const Pose X_WL = pose_of(data, lip_), X_WB = pose_of(data, object.body);
    state_.blown = state_.object;
    state_.blow_begin = now;
    state_.blow_end = now + blow_time_;
    Eigen::Vector3d::Map(state_.p_B) = X_WB.inverse() * X_WL.p;
    Eigen::Vector3d::Map(state_.n_B) = X_WB.R.transpose() * X_WL.R.col(2);
  }
  part(model, data);
  state_.object = -1;
  state_.release = kNever;
}

void SuctionCup::blow(Nanoseconds from, Nanoseconds to, mjData& data) const {
  const Nanoseconds overlap = std::min(to, state_.blow_end) - std::max(from, state_.blow_begin);
  // the impulse is the same however the steps fall
  const double force = suction_.blow_off.impulse / seconds(blow_time_) *
                       (static_cast<double>(overlap) / static_cast<double>(to - from));
  const int body = objects_[at(state_.blown)].body;
  const Pose X_WB = pose_of(data, body);
  const Eigen::Vector3d f_W = force * (X_WB.R * Eigen::Vector3d::Map(state_.n_B));
  push(data, body, f_W, X_WB * Eigen::Vector3d::Map(state_.p_B));
  push(data, lip_, -f_W, Eigen::Vector3d::Map(data.xpos + 3 * lip_));
}

void SuctionCup::still(mjData& data) const {
  for (const int body : {lip_, objects_[at(state_.blown)].body})
    std::fill_n(data.xfrc_applied + 6 * body, 6, 0.0);
}

void SuctionCup::strain(Nanoseconds now, mjModel& model, mjData& data) {
  state_.load = 0.0;
  if (!held()) return;
  const int weld = objects_[at(state_.object)].weld;
  // forces of the weld on the lip along its joints' axes and about them
  Eigen::Matrix<double, 6, 1> on_lip = Eigen::Matrix<double, 6, 1>::Zero();
  const bool sparse = mj_isSparse(&model);
  for (int row = 0; row < data.ne; ++row) {
    if (data.efc_type[row] != mjCNSTR_EQUALITY || data.efc_id[row] != weld) continue;
    for (std::size_t i = 0; i < 6; ++i) {
      double J = 0.0;
      if (!sparse) {
        J = data.efc_J[row * model.nv + dof_[i]];
      } else {
        const int begin = data.efc_J_rowadr[row], end = begin + data.efc_J_rownnz[row];
        for (int k = begin; k < end; ++k)
          if (data.efc_J_colind[k] == dof_[i]) J = data.efc_J[k];
      }
      on_lip[static_cast<Eigen::Index>(i)] += J * data.efc_force[row];
    }
  }
  // slides lie along S, the face across L; hinges are small turns in turn
  const auto angle = [&](int i) { return data.qpos[qpos_[at(3 + i)]]; };
  const Eigen::Vector3d z_S = (Eigen::AngleAxisd(angle(0), Eigen::Vector3d::UnitX()) *
                               Eigen::AngleAxisd(angle(1), Eigen::Vector3d::UnitY()))
                                  .toRotationMatrix()
                                  .col(2);
  const Eigen::Vector3d f_S = on_lip.head<3>();
  const double pull = f_S.dot(z_S), shear = (f_S - pull * z_S).norm();
  const double tilting = on_lip.segment<2>(3).norm(), torsion = std::abs(on_lip[5]);
  const double force = vacuum(now) * suction_.break_away.force;
  const double radius = suction_.lip.radius;
  // Rim of radius r, drawn by the vacuum F, pulled by T, tilted by M: its line pressure
  // (F - T) / (2 pi r) + M cos(a) / (pi r^2) must stay positive all round.
  const double normal = (pull + 2.0 * tilting / radius) / force;
  const double slip = std::hypot(shear, torsion / radius);
  const double friction = suction_.break_away.friction * (force - pull);
  state_.load = std::max(0.0, normal);
  if (slip > 0.0) state_.load = std::max(state_.load, friction > 0.0 ? slip / friction : 2.0);
  if (state_.load <= 1.0) return;
  part(model, data);
  state_.object = -1;
  state_.release = kNever;
  state_.load = 0.0;
  ++state_.broken;
}

bool SuctionCup::looks(const mjModel& model, const mjData& data) const {
  if (held() || state_.valve != 1) return false;
  if (state_.object >= 0) return true;
  return std::ranges::any_of(objects_, [&](const Object& o) { return o.probe.near(model, data); });
}

void SuctionCup::look(Nanoseconds now, mjModel& model, mjData& data) {
  if (state_.object >= 0) {
    if (!objects_[at(state_.object)].probe.fit(model, data)) state_.object = -1;
    return;
  }
  for (std::size_t i = 0; i < objects_.size(); ++i) {
    const SealProbe& probe = objects_[i].probe;
    if (!probe.near(model, data) || !probe.fit(model, data)) continue;
    state_.object = static_cast<std::int64_t>(i);
    state_.met = now;
    if (until_holds_ == 0) join(model, data);
    return;
  }
}

FixedText<166> SuctionCup::why_not(const mjModel& model, const mjData& data) const {
  constexpr double kDegree = 180.0 / 3.14159265358979323846;
  if (held()) return {};
  if (state_.valve != 1) return "is not switched on";
  if (state_.object >= 0) return "has met a face, and its vacuum comes";
  char text[166];
  const auto said = [&](const auto& end) {
    return FixedText<166>(std::string_view(text, std::min(end.size, sizeof text)));
  };
  for (const Object& object : objects_) {
    if (!object.probe.near(model, data)) continue;
    LipFit fit;
    switch (object.probe.look(model, data, fit)) {
      case SealFault::kNone:
        continue;
      case SealFault::kOverEdge:
        return "does not seal: part of its rim is over no face; move it to the middle of one";
      case SealFault::kTooFar:
        return said(fmt::format_to_n(
            text, sizeof text,
            "does not seal: it is {:.1f} mm from the face, and must be within {:.1f} mm; move it "
            "nearer",
            1e3 * fit.gap, 1e3 * suction_.seal.gap));
      case SealFault::kTilted:
        return said(fmt::format_to_n(text, sizeof text,
                                     "does not seal: it is tilted by {:.1f} deg to the face, at "
                                     "most {:.1f} deg seal; turn it",
                                     kDegree * fit.angle, kDegree * suction_.seal.angle));
      case SealFault::kUneven:
        return "does not seal: what is under its rim is not flat";
    }
  }
  return "does not seal: there is nothing within its reach; move it onto a face";
}

double SuctionCup::vacuum(Nanoseconds now) const {
  if (state_.object < 0) return 0.0;
  const double tau = suction_.evacuation.time_constant;
  return tau > 0.0 ? -std::expm1(-seconds(now - state_.met) / tau) : 1.0;
}

void SuctionCup::join(mjModel& model, mjData& data) {
  const Object& object = objects_[at(state_.object)];
  const Pose X_WL = pose_of(data, lip_), X_WB = pose_of(data, object.body);
  // the weld's point is the lip's centre in both bodies
  mjtNum* to = model.eq_data + object.weld * mjNEQDATA;
  Eigen::Vector3d::Map(to) = X_WB.inverse() * X_WL.p;
  Eigen::Vector3d::Map(to + 3).setZero();
  quaternion_to_mujoco((X_WL.inverse() * X_WB).quaternion(), to + 6);
  data.eq_active[object.weld] = 1;
  state_.held = 1;
  const auto damping = lip_damping(suction_, inertia_about_lip(model, data, lip_, object.body));
  std::copy(damping.begin(), damping.end(), state_.damping);
  restore(model);
}

void SuctionCup::part(mjModel& model, mjData& data) {
  data.eq_active[objects_[at(state_.object)].weld] = 0;
  state_.held = 0;
  std::fill_n(state_.damping, 6, 0.0);
  restore(model);
}

}  // namespace handspan
