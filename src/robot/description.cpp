#include "robot/description.hpp"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <cmath>
#include <set>
#include <stdexcept>

#include "core/error.hpp"

namespace handspan {
namespace {

// Relative slack of the checks below: inertias come from decimal files and eigenvalue
// decompositions.
constexpr double kUnitTolerance = 1e-9;
constexpr double kTriangleTolerance = 1e-9;

[[noreturn]] void fail(const std::string& what) { throw InputError(what); }

void require_placement(const Placement& X, const std::string& owner) {
  if (!X.p.allFinite() || !X.q.coeffs().allFinite()) fail(owner + " has a pose that is not finite");
  if (std::abs(X.q.norm() - 1.0) > kUnitTolerance)
    fail(fmt::format("{} has a quaternion of norm {}; it must be 1", owner, X.q.norm()));
}

void require_inertial(const Inertial& inertial, const std::string& owner, bool moves) {
  if (!std::isfinite(inertial.mass) || !inertial.principal.allFinite())
    fail(owner + " has an inertia that is not finite");
  require_placement(inertial.X_BC, owner + "'s inertial frame");
  if (inertial.mass < 0.0)
    fail(fmt::format("{} has mass {} kg; it must not be negative", owner, inertial.mass));
  if (inertial.mass == 0.0 && inertial.principal.isZero(0.0)) {
    if (moves) fail(owner + " moves but has no mass; give it an inertia or fix it to its parent");
    return;
  }
  const Eigen::Vector3d& I = inertial.principal;
  if (I.minCoeff() <= 0.0)
    fail(fmt::format("{} has principal inertias {}, {}, {} kg m^2; each must be > 0", owner, I[0],
                     I[1], I[2]));
  if (2.0 * I.maxCoeff() > I.sum() * (1.0 + kTriangleTolerance))
    fail(
        fmt::format("{} has principal inertias {}, {}, {} kg m^2, which no body can have: the "
                    "largest exceeds the sum "
                    "of the others",
                    owner, I[0], I[1], I[2]));
}

void require_joint(const JointDescription& joint) {
  const std::string owner = "joint '" + joint.name + "'";
  const bool scalar = joint.type == JointType::kRevolute || joint.type == JointType::kPrismatic;
  if (scalar && std::abs(joint.axis.norm() - 1.0) > kUnitTolerance)
    fail(fmt::format("{} has an axis of length {}; it must be 1", owner, joint.axis.norm()));
  if (!joint.p_BJ.allFinite()) fail(owner + " has an anchor that is not finite");
  if (joint.range) {
    const auto [lower, upper] = *joint.range;
    if (!scalar) fail(owner + " is a ball or free joint, which has no range");
    if (!std::isfinite(lower) || !std::isfinite(upper))
      fail(owner + " has a range that is not finite");
    if (lower >= upper)
      fail(fmt::format("{} has the range {} to {}; the lower end must be smaller", owner, lower,
                       upper));
  }
  if (joint.effort && !(*joint.effort > 0.0 && std::isfinite(*joint.effort)))
    fail(fmt::format("{} has effort {}; it must be > 0 and finite", owner, *joint.effort));
  for (const double value : {joint.armature, joint.damping, joint.friction_loss})
    if (!(value >= 0.0 && std::isfinite(value)))
      fail(owner + ": armature, damping and friction_loss must be finite and not negative");
}

void require_shape(const Shape& shape) {
  const std::string owner = "shape '" + shape.name + "'";
  require_placement(shape.X_BG, owner);
  const int sizes = shape.type == ShapeType::kBox ? 3 : shape.type == ShapeType::kSphere ? 1 : 2;
  if (shape.type == ShapeType::kMesh) {
    if (shape.vertices.size() < 4) fail(owner + " is a mesh of fewer than 4 vertices");
    for (const auto& v : shape.vertices)
      if (!v.allFinite()) fail(owner + " has a vertex that is not finite");
    return;
  }
  for (int i = 0; i < sizes; ++i)
    if (!(shape.size[i] > 0.0 && std::isfinite(shape.size[i])))
      fail(fmt::format("{} has size {}; each size must be > 0", owner, shape.size[i]));
}

// Names live in one list a kind, as they do in both engines.
class Names {
 public:
  explicit Names(std::string kind) : kind_(std::move(kind)) {}
  void add(const std::string& name) {
    if (name.empty()) fail(fmt::format("a {} has no name", kind_));
    if (!seen_.insert(name).second)
      fail(fmt::format("two elements of kind {} are named '{}'", kind_, name));
  }
  bool has(const std::string& name) const { return seen_.contains(name); }

 private:
  std::string kind_;
  std::set<std::string> seen_;
};

void require_mimics(const ModelDescription& description, const Names& joints) {
  std::set<std::string> driven;
  for (const auto& mimic : description.mimics) {
    for (const auto& name : {mimic.joint, mimic.master})
      if (!joints.has(name))
        fail(fmt::format("mimic of joint '{}' names the joint '{}', which does not exist",
                         mimic.joint, name));
    if (!std::isfinite(mimic.multiplier) || !std::isfinite(mimic.offset))
      fail(fmt::format("mimic of joint '{}' has a number that is not finite", mimic.joint));
    if (!driven.insert(mimic.joint).second)
      fail(fmt::format("joint '{}' mimics two joints", mimic.joint));
  }
  const auto master_of = [&](const std::string& joint) -> const std::string* {
    for (const auto& mimic : description.mimics)
      if (mimic.joint == joint) return &mimic.master;
    return nullptr;
  };
  for (const auto& mimic : description.mimics) {
    const std::string* joint = &mimic.joint;
    for (std::size_t steps = 0; (joint = master_of(*joint)) != nullptr; ++steps)
      if (*joint == mimic.joint || steps > description.mimics.size())
        fail(fmt::format("mimic of joint '{}' goes round in a circle", mimic.joint));
  }
}

}  // namespace

Eigen::Matrix3d Inertial::inertia_B() const {
  const Eigen::Matrix3d R = X_BC.q.toRotationMatrix();
  return R * principal.asDiagonal() * R.transpose();
}

Inertial Inertial::from_full(double mass, const Eigen::Vector3d& p_BC,
                             const Eigen::Matrix3d& I_BC_B) {
  const Eigen::Matrix3d symmetric = 0.5 * (I_BC_B + I_BC_B.transpose());
  if (symmetric.isDiagonal(0.0))
    return {mass, {p_BC, Eigen::Quaterniond::Identity()}, symmetric.diagonal()};
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> eigen(symmetric);
  Eigen::Matrix3d R = eigen.eigenvectors();
  if (R.determinant() < 0.0) R.col(0) = -R.col(0);
  return {mass, {p_BC, Eigen::Quaterniond(R).normalized()}, eigen.eigenvalues()};
}

int joint_nq(JointType type) {
  switch (type) {
    case JointType::kFree:
      return 7;
    case JointType::kBall:
      return 4;
    default:
      return 1;
  }
}

int joint_nv(JointType type) {
  switch (type) {
    case JointType::kFree:
      return 6;
    case JointType::kBall:
      return 3;
    default:
      return 1;
  }
}

int ModelDescription::body_index(std::string_view body) const {
  for (std::size_t i = 0; i < bodies.size(); ++i)
    if (bodies[i].name == body) return static_cast<int>(i);
  return -1;
}

int ModelDescription::frame_index(std::string_view frame) const {
  for (std::size_t i = 0; i < frames.size(); ++i)
    if (frames[i].name == frame) return static_cast<int>(i);
  return -1;
}

int ModelDescription::nq() const {
  int n = 0;
  for (const auto& body : bodies)
    for (const auto& joint : body.joints) n += joint_nq(joint.type);
  return n;
}

int ModelDescription::nv() const {
  int n = 0;
  for (const auto& body : bodies)
    for (const auto& joint : body.joints) n += joint_nv(joint.type);
  return n;
}

void validate(const ModelDescription& description) {
  if (description.bodies.empty()) fail("model '" + description.name + "' has no bodies");
  const int n = static_cast<int>(description.bodies.size());
  Names bodies("body"), joints("joint"), shapes("shape"), frames("frame");
  std::vector<char> carries_mass(description.bodies.size(), 0);
  for (int i = n - 1; i >= 0; --i) {
    const auto& body = description.bodies[i];
    if (body.inertial.mass > 0.0) carries_mass[i] = 1;
    if (body.parent >= 0 && body.parent < n && carries_mass[i] && body.joints.empty())
      carries_mass[body.parent] = 1;
  }
  for (int i = 0; i < n; ++i) {
    const auto& body = description.bodies[i];
    bodies.add(body.name);
    const std::string owner = "body '" + body.name + "'";
    if (body.parent < -1 || body.parent >= i) fail(owner + " stands before its parent");
    require_placement(body.X_PB, owner);
    // a massless body moves lawfully when something rigidly fixed to it has mass
    require_inertial(body.inertial, owner, !body.joints.empty() && !carries_mass[i]);
    for (const auto& joint : body.joints) {
      joints.add(joint.name);
      require_joint(joint);
      if (joint.type == JointType::kFree && (body.joints.size() != 1 || body.parent != -1))
        fail(fmt::format("joint '{}' is free; it must be the only joint of a body of the world",
                         joint.name));
    }
    for (const auto& shape : body.shapes) {
      shapes.add(shape.name);
      require_shape(shape);
    }
  }
  for (const auto& frame : description.frames) {
    frames.add(frame.name);
    if (frame.body < -1 || frame.body >= n)
      fail(fmt::format("frame '{}' is on a body that does not exist", frame.name));
    require_placement(frame.X_BF, "frame '" + frame.name + "'");
  }
  require_mimics(description, joints);
  for (const auto& rolling : description.rollings)
    if (!frames.has(rolling.frame))
      fail(fmt::format("rolling constraint names the frame '{}', which does not exist",
                       rolling.frame));
}

ModelDescription with_prefix(ModelDescription description, std::string_view prefix) {
  const auto add = [&](std::string& name) { name.insert(0, prefix); };
  for (auto& body : description.bodies) {
    add(body.name);
    for (auto& joint : body.joints) add(joint.name);
    for (auto& shape : body.shapes) add(shape.name);
  }
  for (auto& frame : description.frames) add(frame.name);
  for (auto& mimic : description.mimics) {
    add(mimic.joint);
    add(mimic.master);
  }
  for (auto& rolling : description.rollings) add(rolling.frame);
  return description;
}

ModelDescription placed(ModelDescription description, const Placement& X_WA) {
  const auto move = [&](Placement& X) { X = {X_WA.p + X_WA.q * X.p, (X_WA.q * X.q).normalized()}; };
  for (auto& body : description.bodies)
    if (body.parent == -1) move(body.X_PB);
  for (auto& frame : description.frames)
    if (frame.body == -1) move(frame.X_BF);
  return description;
}

void append(ModelDescription& into, ModelDescription other) {
  const auto offset = static_cast<int>(into.bodies.size());
  for (auto& body : other.bodies) {
    if (body.parent >= 0) body.parent += offset;
    into.bodies.push_back(std::move(body));
  }
  for (auto& frame : other.frames) {
    if (frame.body >= 0) frame.body += offset;
    into.frames.push_back(std::move(frame));
  }
  for (auto& mimic : other.mimics) into.mimics.push_back(std::move(mimic));
  for (auto& rolling : other.rollings) into.rollings.push_back(std::move(rolling));
}

ModelDescription mounted(ModelDescription robot, std::string_view at, ModelDescription tool) {
  const int frame = robot.frame_index(at);
  if (frame < 0)
    fail(fmt::format("robot '{}' has no frame '{}' to mount '{}' on", robot.name, at, tool.name));
  int roots = 0;
  for (const auto& body : tool.bodies) roots += body.parent == -1;
  if (roots != 1)
    fail(fmt::format("tool '{}' has {} root bodies; a tool has one", tool.name, roots));
  const int offset = static_cast<int>(robot.bodies.size());
  const FrameDescription mount = robot.frames[frame];
  for (auto& body : tool.bodies) {
    if (body.parent >= 0) {
      body.parent += offset;
    } else {
      if (!body.joints.empty())
        fail(fmt::format("tool '{}' moves against its mount; its root must have no joint",
                         tool.name));
      body.parent = mount.body;
      body.X_PB = {mount.X_BF.p + mount.X_BF.q * body.X_PB.p,
                   (mount.X_BF.q * body.X_PB.q).normalized()};
    }
    robot.bodies.push_back(std::move(body));
  }
  for (auto& tool_frame : tool.frames) {
    if (tool_frame.body < 0)
      fail(fmt::format("tool '{}' has the frame '{}' outside its bodies", tool.name,
                       tool_frame.name));
    tool_frame.body += offset;
    robot.frames.push_back(std::move(tool_frame));
  }
  for (auto& mimic : tool.mimics) robot.mimics.push_back(std::move(mimic));
  for (auto& rolling : tool.rollings) robot.rollings.push_back(std::move(rolling));
  validate(robot);
  return robot;
}

ModelDescription with_base(ModelDescription description, BaseType base) {
  if (base == BaseType::kFixed) return description;
  BodyDescription* root = nullptr;
  for (auto& body : description.bodies) {
    if (body.parent != -1) continue;
    if (root)
      fail(fmt::format("model '{}' has several roots; a moving base needs one", description.name));
    root = &body;
  }
  if (!root || !root->joints.empty())
    fail(fmt::format("the root of model '{}' has joints already", description.name));
  const auto joint = [&](const char* suffix, JointType type, Eigen::Vector3d axis) {
    JointDescription j;
    j.name = description.name + ".base" + suffix;
    j.type = type;
    j.axis = axis;
    root->joints.push_back(std::move(j));
  };
  if (base == BaseType::kFree) {
    joint("", JointType::kFree, Eigen::Vector3d::UnitZ());
  } else {
    joint("_x", JointType::kPrismatic, Eigen::Vector3d::UnitX());
    joint("_y", JointType::kPrismatic, Eigen::Vector3d::UnitY());
    joint("_yaw", JointType::kRevolute, Eigen::Vector3d::UnitZ());
  }
  return description;
}

}  // namespace handspan
