#include "contact/rigid_model.hpp"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <utility>

#include "core/error.hpp"

namespace handspan {
namespace {

std::string text(const Eigen::Vector3d& v) { return fmt::format("({}, {}, {})", v[0], v[1], v[2]); }

void check_size(const std::string& what, const Eigen::Vector3d& size) {
  if (!size.allFinite() || size.minCoeff() <= 0.0)
    throw InputError(fmt::format("{} is {}; its edges must be > 0", what, text(size)));
}

void check_finite(const std::string& what, const Eigen::Vector3d& v) {
  if (!v.allFinite()) throw InputError(fmt::format("{} is {}; it must be finite", what, text(v)));
}

void check_inertia(const Eigen::Matrix3d& inertia) {
  const double scale = inertia.cwiseAbs().maxCoeff();
  if (!inertia.allFinite() || !(scale > 0.0))
    throw InputError(
        "the box's inertia is zero or not finite; give kg m^2 about its centre of mass");
  if (!inertia.isApprox(inertia.transpose(), 1e-9))
    throw InputError("the box's inertia is not symmetric");
  const Eigen::Vector3d moments =
      Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d>(inertia, Eigen::EigenvaluesOnly).eigenvalues();
  // moments come in rising order; the rounding of a flat plate's is let through
  if (moments[0] <= 0.0 || moments[0] + moments[1] < moments[2] * (1.0 - 1e-9))
    throw InputError(fmt::format(
        "the box's principal moments of inertia are {}; all must be > 0 and none larger than the "
        "other two together",
        text(moments)));
}

void check_surface(const RigidSurface& surface) {
  const std::string who = fmt::format("surface '{}'", surface.name);
  check_finite(who + ": position", surface.X_WS.p);
  if (!surface.X_WS.R.allFinite() || surface.X_WS.R.determinant() <= 0.0 ||
      !(surface.X_WS.R * surface.X_WS.R.transpose()).isIdentity(1e-9))
    throw InputError(who + ": its R is not a rotation");
  if (surface.size) check_size(who + ": size", *surface.size);
  check_finite(who + ": running velocity", surface.running_S);
  check_finite(who + ": velocity", surface.velocity_W);
  if (!(surface.law.friction >= 0.0 && std::isfinite(surface.law.friction)))
    throw InputError(fmt::format("{}: friction is {}; it must be >= 0", who, surface.law.friction));
  if (!(surface.law.restitution >= 0.0 && surface.law.restitution <= 1.0))
    throw InputError(
        fmt::format("{}: restitution is {}; it must be 0 to 1", who, surface.law.restitution));
}

}  // namespace

RigidBox uniform_box(const Eigen::Vector3d& size, double mass) {
  RigidBox box;
  box.size = size;
  box.mass = mass;
  const Eigen::Vector3d square = size.cwiseAbs2();
  box.inertia_C = (mass / 12.0 * (Eigen::Vector3d::Constant(square.sum()) - square)).asDiagonal();
  return box;
}

RigidSurface plane_surface(std::string name, const Pose& X_WS, const ImpactLaw& law) {
  RigidSurface surface;
  surface.name = std::move(name);
  surface.X_WS = X_WS;
  surface.law = law;
  return surface;
}

RigidSurface belt_surface(std::string name, const Pose& X_WS, const Eigen::Vector3d& size,
                          double speed, const ImpactLaw& law) {
  RigidSurface surface = plane_surface(std::move(name), X_WS, law);
  surface.size = size;
  surface.running_S = Eigen::Vector3d(speed, 0.0, 0.0);
  return surface;
}

std::vector<RigidSurface> tray_surfaces(const std::string& name, const Pose& X_WT,
                                        const Eigen::Vector3d& inside, double wall,
                                        const ImpactLaw& law, const Eigen::Vector3d& velocity_W) {
  check_size(fmt::format("tray '{}': inside", name), inside);
  if (!(wall > 0.0 && std::isfinite(wall)))
    throw InputError(fmt::format("tray '{}': wall is {}; it must be > 0", name, wall));
  const double l = inside[0], w = inside[1], h = inside[2], t = wall;
  std::vector<RigidSurface> surfaces;
  const auto add = [&](const char* part, const Eigen::Vector3d& center,
                       const Eigen::Vector3d& size) {
    RigidSurface surface = plane_surface(name + "." + part, X_WT * Pose::translation(center), law);
    surface.size = size;
    surface.velocity_W = velocity_W;
    surfaces.push_back(std::move(surface));
  };
  add("floor", {0, 0, -t / 2}, {l + 2 * t, w + 2 * t, t});
  add("front", {(l + t) / 2, 0, h / 2}, {t, w + 2 * t, h});
  add("back", {-(l + t) / 2, 0, h / 2}, {t, w + 2 * t, h});
  add("left", {0, (w + t) / 2, h / 2}, {l, t, h});
  add("right", {0, -(w + t) / 2, h / 2}, {l, t, h});
  return surfaces;
}

RigidModel::RigidModel(const RigidBox& box, std::vector<RigidSurface> surfaces,
                       const Eigen::Vector3d& gravity, double timestep)
    : box_(box), surfaces_(std::move(surfaces)), gravity_(gravity), timestep_(timestep) {
  check_size("the box's size", box.size);
  const double most = 0.5 * box.size.minCoeff();
  if (!(box.rounding >= 0.0 && box.rounding <= most * (1.0 + 1e-12)))
    throw InputError(
        fmt::format("the box's rounding is {}; it must be 0 to half its shortest edge, {}",
                    box.rounding, most));
  if (!(box.mass > 0.0 && std::isfinite(box.mass)))
    throw InputError(fmt::format("the box's mass is {}; it must be > 0", box.mass));
  if (!box.p_BC.allFinite() || (box.p_BC.cwiseAbs() - 0.5 * box.size).maxCoeff() > 0.0)
    throw InputError(fmt::format("the box's centre of mass {} is outside of it", text(box.p_BC)));
  check_inertia(box.inertia_C);
  for (const auto& surface : surfaces_) check_surface(surface);
  check_finite("gravity", gravity);
  if (!(timestep > 0.0 && timestep <= kLongestRigidStep))
    throw InputError(fmt::format("the timestep is {} s; it must be > 0 and at most {} s", timestep,
                                 kLongestRigidStep));

  core_ = (0.5 * box.size.array() - box.rounding).max(0.0);
  for (int corner = 0; corner < 8; ++corner) {
    Eigen::Vector3d p = core_;
    bool again = false;  // the ball on the other side of an edge of no length
    for (int axis = 0; axis < 3; ++axis)
      if ((corner >> axis) & 1) {
        again = again || core_[axis] == 0.0;
        p[axis] = -p[axis];
      }
    if (again) continue;
    corners_.push_back(p);
    reach_ = std::max(reach_, (p - box.p_BC).norm() + box.rounding);
  }
  inverse_inertia_C_ = box.inertia_C.inverse();
  const double moment = box.inertia_C(0, 0);
  isotropic_ = box.inertia_C == Eigen::Matrix3d(moment * Eigen::Matrix3d::Identity());
}

}  // namespace handspan
