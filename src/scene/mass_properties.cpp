#include "scene/mass_properties.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <stdexcept>

#include "core/error.hpp"
#include "scene/mesh_integrals.hpp"
#include "scene/mujoco_spec.hpp"

namespace handspan {
namespace {

struct Solid {
  double volume;
  Placement X_GC;             // centre and principal axes in the shape's frame
  Eigen::Vector3d principal;  // per unit of density
};

Solid solid(const Shape& shape) {
  using std::numbers::pi;
  const Eigen::Vector3d& s = shape.size;
  const double r = s[0], h = s[1];
  switch (shape.type) {
    case ShapeType::kBox: {
      const double volume = 8.0 * s.prod();
      return {volume,
              {},
              volume / 3.0 *
                  Eigen::Vector3d(s[1] * s[1] + s[2] * s[2], s[0] * s[0] + s[2] * s[2],
                                  s[0] * s[0] + s[1] * s[1])};
    }
    case ShapeType::kSphere: {
      const double volume = 4.0 / 3.0 * pi * r * r * r;
      return {volume, {}, Eigen::Vector3d::Constant(0.4 * volume * r * r)};
    }
    case ShapeType::kCylinder: {
      const double volume = 2.0 * pi * r * r * h;
      const double across = volume * (r * r / 4.0 + h * h / 3.0);
      return {volume, {}, {across, across, volume * r * r / 2.0}};
    }
    case ShapeType::kCapsule: {
      const double cylinder = 2.0 * pi * r * r * h, sphere = 4.0 / 3.0 * pi * r * r * r;
      // two half spheres whose centroids are 3/8 r beyond the cylinder's ends
      const double across =
          cylinder * (r * r / 4.0 + h * h / 3.0) + sphere * (0.4 * r * r + h * h + 0.75 * h * r);
      return {
          cylinder + sphere, {}, {across, across, cylinder * r * r / 2.0 + sphere * 0.4 * r * r}};
    }
    case ShapeType::kMesh:
      break;
  }
  MjSpecPtr spec = make_spec();
  spec->compiler.inertiafromgeom = mjINERTIAFROMGEOM_TRUE;
  mjsBody* body = mjs_addBody(mjs_findBody(spec.get(), "world"), nullptr);
  Shape alone = shape;
  alone.X_BG = {};
  mjsGeom* geom = add_shape(spec.get(), body, alone, 0);
  geom->mass = std::numeric_limits<double>::quiet_NaN();  // by density
  geom->density = 1000.0;  // near water: MuJoCo refuses masses near zero
  MjModelPtr model;
  try {
    model = compile_spec(spec.get(), "mesh '" + shape.name + "'");
  } catch (const std::runtime_error& e) {
    throw InputError(e.what());
  }
  const double volume = model->body_mass[1] / 1000.0;
  return {
      volume,
      {Eigen::Vector3d::Map(model->body_ipos + 3), quaternion_from_mujoco(model->body_iquat + 4)},
      Eigen::Vector3d::Map(model->body_inertia + 3) / 1000.0};
}

}  // namespace

Inertial uniform_inertial(const std::vector<Shape>& shapes, double mass,
                          const std::vector<PlacedSurface>& surfaces) {
  std::vector<Solid> solids;  // X_GC is in the body
  for (const auto& shape : shapes) {
    solids.push_back(solid(shape));
    solids.back().X_GC = Placement::from(shape.X_BG.pose() * solids.back().X_GC.pose());
  }
  for (const auto& placed : surfaces) {
    const MeshIntegrals m = mesh_integrals(placed.surface);
    const Inertial own = Inertial::from_full(m.volume, m.center, m.inertia);
    solids.push_back(
        {m.volume, Placement::from(placed.X_BG.pose() * own.X_BC.pose()), own.principal});
  }
  double volume = 0.0;
  Eigen::Vector3d moment = Eigen::Vector3d::Zero();
  for (const Solid& s : solids) {
    volume += s.volume;
    moment += s.volume * s.X_GC.p;
  }
  if (!(volume > 0.0)) throw InputError("a body of uniform density needs shapes with a volume");
  const double density = mass / volume;
  const Eigen::Vector3d p_BC = moment / volume;
  Eigen::Matrix3d I = Eigen::Matrix3d::Zero();
  for (const Solid& s : solids) {
    const Eigen::Matrix3d R_BC = s.X_GC.pose().R;
    const Eigen::Vector3d r = s.X_GC.p - p_BC;
    I += density * (R_BC * s.principal.asDiagonal() * R_BC.transpose() +
                    s.volume * (r.squaredNorm() * Eigen::Matrix3d::Identity() - r * r.transpose()));
  }
  // rounding of a turned box leaves off-diagonals of 1e-19, which would spin the principal axes
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      if (i != j && std::abs(I(i, j)) < 1e-14 * I.trace()) I(i, j) = 0.0;
  return Inertial::from_full(mass, p_BC, I);
}

}  // namespace handspan
