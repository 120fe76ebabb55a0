#include "import/import_base.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "import/import_limits.hpp"

namespace handspan {
namespace {

constexpr double kClear = 0.01;  // of the floor [m]

// how low a shape reaches, in the frame in which X_RG is its pose [m]
double lowest(const Shape& shape, const Placement& X_RG) {
  const Eigen::Matrix3d R = X_RG.q.toRotationMatrix();
  const Eigen::Vector3d up = R.row(2).transpose().cwiseAbs();  // of G's axes
  const double round = shape.size[0], half = shape.size[1];
  switch (shape.type) {
    case ShapeType::kBox:
      return X_RG.p.z() - up.dot(shape.size);
    case ShapeType::kSphere:
      return X_RG.p.z() - round;
    case ShapeType::kCapsule:
      return X_RG.p.z() - round - up.z() * half;
    case ShapeType::kCylinder:
      return X_RG.p.z() - up.z() * half - round * std::sqrt(std::max(0.0, 1.0 - up.z() * up.z()));
    case ShapeType::kMesh:
      break;
  }
  double z = HUGE_VAL;
  for (const auto& p : shape.vertices) z = std::min(z, X_RG.p.z() + R.row(2).dot(p));
  return z;
}

// Whatever is fixed to the root and touches the floor.
std::vector<std::string> lift_off(ModelDescription& description) {
  std::vector<std::string> lifted;
  std::vector<Placement> X_RB(description.bodies.size());
  std::vector<bool> rigid(description.bodies.size(), false);
  for (std::size_t b = 0; b < description.bodies.size(); ++b) {
    BodyDescription& body = description.bodies[b];
    const auto up = static_cast<std::size_t>(std::max(0, body.parent));
    rigid[b] = body.parent < 0 || (rigid[up] && body.joints.empty());
    if (!rigid[b]) continue;
    if (body.parent >= 0) X_RB[b] = X_RB[up] * body.X_PB;
    for (Shape& shape : body.shapes) {
      if (!shape.collides || lowest(shape, X_RB[b] * shape.X_BG) >= kClear) continue;
      shape.collides = false;
      if (!std::ranges::count(lifted, body.name)) lifted.push_back(body.name);
    }
  }
  return lifted;
}

std::vector<Issue> faults(const ModelDescription& description, const std::string& file) {
  std::vector<Issue> issues;
  const auto issue = [&](std::string cause, std::string hint) {
    issues.push_back({{file, 0, 0}, "--base", std::move(cause), std::move(hint)});
  };
  const auto roots = std::ranges::count(description.bodies, -1, &BodyDescription::parent);
  if (roots != 1)
    issue(fmt::format("has {} bodies that stand in the world", roots), "a base needs one");
  else if (!description.bodies.front().joints.empty())
    issue(fmt::format("would move '{}', which the joint '{}' moves already",
                      description.bodies.front().name,
                      description.bodies.front().joints.front().name),
          "leave --base out, or fix that joint with --fixed");
  for (const auto& body : description.bodies)
    for (const auto& joint : body.joints)
      if (std::ranges::count(kBaseJoints, joint.name))
        issue(fmt::format("would add the joint '{}', which is there", joint.name),
              "rename that joint");
  if (description.frame_index(kBaseAxle) >= 0 || description.body_index(kBaseAxle) >= 0)
    issue(fmt::format("would add the frame '{}', which is there", kBaseAxle), "rename it");
  return issues;
}

}  // namespace

std::vector<Issue> add_base(ImportedRobot& robot, ModelDescription& description,
                            const ImportOptions& options, const std::string& file) {
  std::vector<Issue> issues = faults(description, file);
  if (!issues.empty()) return issues;
  BodyDescription& root = description.bodies.front();
  for (const char* name : kBaseJoints) {
    JointDescription joint;
    joint.name = name;
    const bool turns = joint.name == "base_yaw";
    joint.type = turns ? JointType::kRevolute : JointType::kPrismatic;
    joint.axis = turns                    ? Eigen::Vector3d::UnitZ()
                 : joint.name == "base_x" ? Eigen::Vector3d::UnitX()
                                          : Eigen::Vector3d::UnitY();
    ImportedLimits l;
    l.joint = name;
    l.limits.continuous = true;
    for (const auto& [what, to, by_joint, all] :
         {std::tuple{"velocity", &l.limits.velocity, &options.velocity_by_joint, options.velocity},
          {"effort", &l.limits.torque, &options.effort_by_joint, options.effort}}) {
      const auto own = by_joint->find(name);
      if (own == by_joint->end() && !all)
        issues.push_back(
            {{file, 0, 0},
             fmt::format("joint '{}'", name),
             fmt::format("has no {}, since no file states that of a base", what),
             fmt::format("give --{0} NUMBER, or --{0} FILE with the line `{1}: NUMBER`", what,
                         name)});
      else
        *to = own != by_joint->end() ? own->second : *all;
    }
    joint.effort = l.limits.torque;
    l.sources = stated_sources(name, false, false, options);
    complete_limits(l, options);
    // as coordinates are: the root's come first
    robot.limits.insert(robot.limits.begin() + static_cast<std::ptrdiff_t>(root.joints.size()),
                        std::move(l));
    root.joints.push_back(std::move(joint));
  }
  const bool rolls = options.base == BaseMotion::kDifferential;
  if (rolls) {
    description.frames.push_back({kBaseAxle, 0, {}});
    robot.rolling.emplace_back(kBaseAxle);
  }
  robot.notes.push_back(fmt::format(
      "the base is the joints base_x, base_y and base_yaw of '{}'{}", root.name,
      rolls ? ", and does not move along y of the frame 'base_axle' at its origin: move that frame "
              "in model.xml where the axle of its wheels is elsewhere"
            : ""));
  if (const auto lifted = lift_off(description); !lifted.empty())
    robot.notes.push_back(fmt::format(
        "shapes of {} are only drawn: they touch the floor, and the base's joints carry "
        "the robot",
        fmt::join(lifted, ", ")));
  return issues;
}

}  // namespace handspan
