#include "scene/scene_urdf.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/error.hpp"
#include "core/escape.hpp"
#include "core/named.hpp"
#include "robot/urdf_export.hpp"

namespace handspan {
namespace {

void without_meshes(std::vector<Shape>& shapes) {
  std::erase_if(shapes, [](const Shape& shape) { return shape.type == ShapeType::kMesh; });
}

ModelDescription alone(const SceneBody& body, bool moves) {
  ModelDescription model;
  model.name = body.name;  // of its floating joint
  BodyDescription b;
  b.name = body.name;
  b.X_PB = body.X_WB;
  b.inertial = body.inertial;
  if (!(b.inertial.mass > 0.0)) {
    // viewers want an inertia; nothing is computed with it
    b.inertial = {};
    b.inertial.mass = 1.0;
    b.inertial.principal.setConstant(1.0);
  }
  b.shapes = body.shapes;
  without_meshes(b.shapes);
  model.bodies.push_back(std::move(b));
  return moves ? with_base(std::move(model), BaseType::kFree) : model;
}

}  // namespace

std::string scene_urdf(const Scene& scene) {
  ModelDescription all;
  all.name = scene.name.empty() ? "scene" : scene.name;
  JointVelocities velocities;
  for (const auto& robot : scene.robots) {
    ModelDescription description = robot.description;
    for (auto& body : description.bodies) {
      without_meshes(body.shapes);
      for (auto& joint : body.joints)
        if (const JointLimits* l = robot.limits.find(joint.name))
          velocities[joint.name] = l->velocity;
    }
    append(all, std::move(description));
  }
  for (const auto& object : scene.objects) append(all, alone(object, true));
  for (const auto& kinematic : scene.kinematics) append(all, alone(kinematic.body, true));
  for (const auto& fixture : scene.fixtures) append(all, alone(fixture, false));
  for (const auto& belt : scene.belts) append(all, alone(belt.body, false));
  return export_urdf(all, velocities);
}

ModelDescription object_description(const Scene& scene, const std::string& name, bool free) {
  const auto refuse = [&](const char* what) {
    throw InputError(
        fmt::format("'{}' of the scene is a {}, which has no mass; what is exported is an object",
                    shown(name), what));
  };
  for (const auto& fixture : scene.fixtures)
    if (fixture.name == name) refuse("fixture");
  for (const auto& belt : scene.belts)
    if (belt.body.name == name) refuse("belt");
  for (const auto& kinematic : scene.kinematics)
    if (kinematic.body.name == name) refuse("kinematic body");
  std::vector<std::string> there;
  for (const auto& object : scene.objects) there.push_back(object.name);
  find_named("the scene", "object", name, there);
  const SceneBody& object = *std::ranges::find(scene.objects, name, &SceneBody::name);
  ModelDescription model;
  model.name = name;
  BodyDescription body;
  body.name = name;
  body.inertial = object.inertial;
  body.shapes = object.shapes;
  model.bodies.push_back(std::move(body));
  return free ? with_base(std::move(model), BaseType::kFree) : model;
}

}  // namespace handspan
