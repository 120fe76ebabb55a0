#include "scene/mujoco_suction.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>

#include "scene/mujoco_spec.hpp"

namespace handspan {
namespace {

constexpr int kRays = 12;

using Matrix3 = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;

// about a point, in W
Eigen::Matrix3d inertia_about(const mjModel& m, const mjData& d, int body,
                              const Eigen::Vector3d& p_W) {
  const auto R = Eigen::Map<const Matrix3>(d.ximat + 9 * body);
  const Eigen::Vector3d c = Eigen::Vector3d::Map(d.xipos + 3 * body) - p_W;
  return R * Eigen::Vector3d::Map(m.body_inertia + 3 * body).asDiagonal() * R.transpose() +
         m.body_mass[body] * (c.squaredNorm() * Eigen::Matrix3d::Identity() - c * c.transpose());
}

}  // namespace

std::array<double, 6> lip_damping(const SuctionDescription& suction,
                                  const std::array<double, 6>& inertia) {
  std::array<double, 6> damping;
  for (int i = 0; i < 6; ++i) {
    const auto k = static_cast<std::size_t>(i);
    damping[k] =
        2.0 * suction.bellows.damping_ratio * std::sqrt(lip_stiffness(suction, i) * inertia[k]);
  }
  return damping;
}

std::array<double, 6> inertia_about_lip(const mjModel& m, const mjData& d, int lip, int object) {
  const Eigen::Vector3d p_WL = Eigen::Vector3d::Map(d.xpos + 3 * lip);
  const auto R_WL = Eigen::Map<const Matrix3>(d.xmat + 9 * lip);
  double mass = m.body_mass[lip];
  Eigen::Matrix3d I = inertia_about(m, d, lip, p_WL);
  if (object >= 0) {
    mass += m.body_mass[object];
    I += inertia_about(m, d, object, p_WL);
  }
  const Eigen::Vector3d moments = (R_WL.transpose() * I * R_WL).diagonal();
  return {mass, mass, mass, moments[0], moments[1], moments[2]};
}

void add_cup(mjSpec* spec, const Scene& scene, const SuctionDescription& suction,
             const Inertial& lip) {
  const double m = lip.mass;
  const Eigen::Vector3d& c = lip.X_BC.p;
  const Eigen::Vector3d I =
      (lip.inertia_B() + m * (c.squaredNorm() * Eigen::Matrix3d::Identity() - c * c.transpose()))
          .diagonal();
  const auto damping = lip_damping(suction, {m, m, m, I[0], I[1], I[2]});
  for (int i = 0; i < 6; ++i) {
    mjsJoint* joint =
        mjs_asJoint(mjs_findElement(spec, mjOBJ_JOINT, lip_joint(suction, i).c_str()));
    const double stiffness = lip_stiffness(suction, i);
    joint->stiffness[0] = stiffness;
    // Of the empty lip, which may be quick for the step. MuJoCo's spring acts from the step's
    // beginning, its damper from the end. With damping c, step h, mass m: v' = (v - h k q / m) / (1
    // + h c / m), q' = q + h v', whose roots stay within the unit circle when h^2 k / m < 4 + 2 h c
    // / m. That holds for any m when c >= h k / 2.
    joint->damping[0] =
        std::max(damping[static_cast<std::size_t>(i)], 0.5 * scene.physics.timestep * stiffness);
  }
  for (const auto& object : scene.objects) {
    mjsEquality* weld = mjs_addEquality(spec, nullptr);
    mjs_setName(weld->element, (suction.name + "-" + object.name).c_str());
    weld->type = mjEQ_WELD;
    weld->objtype = mjOBJ_BODY;
    mjs_setString(weld->name1, suction.shape.c_str());
    mjs_setString(weld->name2, object.name.c_str());
    weld->active = 0;
    // as stiff as the step allows: what yields is the bellows
    weld->solref[0] = 2.5 * scene.physics.timestep;
    weld->solref[1] = 1.0;
    weld->solimp[0] = weld->solimp[1] = mjMAXIMP;
    for (double& x : weld->data) x = 0.0;
    weld->data[6] = weld->data[10] = 1.0;
  }
}

SealProbe::SealProbe(const mjModel& model, const SuctionDescription& suction,
                     const std::string& object)
    : radius_(suction.lip.radius),
      gap_(suction.seal.gap),
      angle_(suction.seal.angle),
      lip_(id_of(model, mjOBJ_BODY, suction.shape)),
      object_(id_of(model, mjOBJ_BODY, object)) {
  for (int g = 0; g < model.body_geomnum[object_]; ++g) {
    const int geom = model.body_geomadr[object_] + g;
    if (model.geom_contype[geom] != 0) geoms_.push_back(geom);
  }
}

bool SealProbe::near(const mjModel& m, const mjData& d) const {
  // bodies move by less than this in a step
  constexpr double kStepAway = 0.05;
  const Eigen::Vector3d p_WL = Eigen::Vector3d::Map(d.xpos + 3 * lip_);
  return std::ranges::any_of(geoms_, [&](int geom) {
    const double reach = m.geom_rbound[geom] + 2.0 * radius_ + gap_ + kStepAway;
    return (Eigen::Vector3d::Map(d.geom_xpos + 3 * geom) - p_WL).squaredNorm() < reach * reach;
  });
}

std::optional<LipFit> SealProbe::fit(const mjModel& m, const mjData& d) const {
  LipFit fit;
  if (look(m, d, fit) != SealFault::kNone) return std::nullopt;
  return fit;
}

SealFault SealProbe::look(const mjModel& m, const mjData& d, LipFit& fit) const {
  const Eigen::Vector3d p_WL = Eigen::Vector3d::Map(d.xpos + 3 * lip_);
  const auto R_WL = Eigen::Map<const Matrix3>(d.xmat + 9 * lip_);
  const Eigen::Vector3d z = R_WL.col(2);
  std::array<double, kRays> distance;
  double mean = 0.0, along_x = 0.0, along_y = 0.0;
  const auto angle_of = [](int i) { return 2.0 * std::numbers::pi * i / kRays; };
  for (int i = 0; i < kRays; ++i) {
    const double a = angle_of(i);
    const Eigen::Vector3d from =
        p_WL + R_WL * (radius_ * Eigen::Vector3d(std::cos(a), std::sin(a), -1.0));
    double nearest = -1.0;
    for (const int geom : geoms_) {
      const double x =
          m.geom_type[geom] == mjGEOM_MESH
              ? mj_rayMesh(&m, &d, geom, from.data(), z.data(), nullptr)
              : mju_rayGeom(d.geom_xpos + 3 * geom, d.geom_xmat + 9 * geom, m.geom_size + 3 * geom,
                            from.data(), z.data(), m.geom_type[geom], nullptr);
      if (x >= 0.0 && (nearest < 0.0 || x < nearest)) nearest = x;
    }
    if (nearest < 0.0) return SealFault::kOverEdge;
    const double gap = distance[static_cast<std::size_t>(i)] = nearest - radius_;
    mean += gap / kRays;
    along_x += 2.0 * gap * std::cos(a) / kRays;
    along_y += 2.0 * gap * std::sin(a) / kRays;
  }
  const double slope = std::hypot(along_x, along_y);
  fit = {mean - slope, std::atan(slope / radius_)};
  if (fit.angle > angle_) return SealFault::kTilted;
  if (fit.gap > gap_) return SealFault::kTooFar;
  for (int i = 0; i < kRays; ++i) {
    const double a = angle_of(i);
    if (std::abs(distance[static_cast<std::size_t>(i)] - mean - along_x * std::cos(a) -
                 along_y * std::sin(a)) > gap_)
      return SealFault::kUneven;
  }
  return SealFault::kNone;
}

}  // namespace handspan
