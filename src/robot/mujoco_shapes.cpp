#include "robot/mujoco_shapes.hpp"

#include <fmt/format.h>

#include <stdexcept>
#include <vector>

namespace handspan {
namespace {

constexpr int mj_geom_type(ShapeType type) {
  switch (type) {
    case ShapeType::kBox:
      return mjGEOM_BOX;
    case ShapeType::kSphere:
      return mjGEOM_SPHERE;
    case ShapeType::kCapsule:
      return mjGEOM_CAPSULE;
    case ShapeType::kCylinder:
      return mjGEOM_CYLINDER;
    case ShapeType::kMesh:
      return mjGEOM_MESH;
  }
  return mjGEOM_SPHERE;
}

}  // namespace

MjSpecPtr make_spec() {
  // MuJoCo would write warnings into a file in the current folder
  mju_user_warning = [](const char* message) { fmt::print(stderr, "mujoco: {}\n", message); };
  MjSpecPtr spec(mj_makeSpec());
  spec->compiler.degree = 0;
  spec->compiler.autolimits = 1;
  spec->compiler.balanceinertia = 0;
  spec->compiler.fusestatic = 0;
  spec->compiler.discardvisual = 0;
  spec->compiler.alignfree = 0;
  spec->compiler.inertiafromgeom = mjINERTIAFROMGEOM_FALSE;
  return spec;
}

MjModelPtr compile_spec(mjSpec* spec, const std::string& what) {
  MjModelPtr model(mj_compile(spec, nullptr));
  if (!model) throw std::runtime_error(fmt::format("{}: {}", what, mjs_getError(spec)));
  return model;
}

mjsGeom* add_shape(mjSpec* spec, mjsBody* body, const Shape& shape, int geom_group) {
  mjsGeom* g = mjs_addGeom(body, nullptr);
  if (mjs_setName(g->element, shape.name.c_str()) != 0)
    throw std::runtime_error(fmt::format("two shapes are named '{}'", shape.name));
  g->type = static_cast<mjtGeom>(mj_geom_type(shape.type));
  if (shape.type == ShapeType::kMesh) {
    mjsMesh* mesh = mjs_addMesh(spec, nullptr);
    mjs_setName(mesh->element, shape.name.c_str());
    std::vector<float> vertices;
    for (const auto& v : shape.vertices)
      for (int i = 0; i < 3; ++i) vertices.push_back(static_cast<float>(v[i]));
    mjs_setFloat(mesh->uservert, vertices.data(), static_cast<int>(vertices.size()));
    mjs_setString(g->meshname, shape.name.c_str());
  } else {
    Eigen::Vector3d::Map(g->size) = shape.size;
  }
  Eigen::Vector3d::Map(g->pos) = shape.X_BG.p;
  quaternion_to_mujoco(shape.X_BG.q, g->quat);
  for (int i = 0; i < 4; ++i) g->rgba[i] = shape.rgba[static_cast<std::size_t>(i)];
  g->contype = g->conaffinity = 0;
  g->group = geom_group;
  g->mass = 0.0;
  return g;
}

}  // namespace handspan
