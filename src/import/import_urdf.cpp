// One file, since it is one function for each element of the format.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "core/error.hpp"
#include "core/suggest.hpp"
#include "import/import.hpp"
#include "import/import_base.hpp"
#include "import/import_finish.hpp"
#include "import/import_inertia.hpp"
#include "import/import_limits.hpp"
#include "import/import_srdf.hpp"
#include "import/urdf_check.hpp"
#include "import/urdf_mesh.hpp"
#include "import/urdf_repair.hpp"
#include "scene/mesh_file.hpp"

namespace handspan {
namespace {

constexpr double kUnitAxis = 1e-9;
// No robot's joint is faster or stronger; files say 10000 where their author had no number.
constexpr double kPlaceholderVelocity = 100.0, kPlaceholderEffort = 2e4;

class UrdfBuilder {
 public:
  UrdfBuilder(UrdfRobot& urdf, const std::filesystem::path& file, const ImportOptions& options)
      : urdf_(urdf),
        file_(file),
        options_(options),
        limits_{options.velocity,          options.effort,          options.passive,
                options.velocity_by_joint, options.effort_by_joint, {}} {
    if (options.base) limits_.added.insert(std::begin(kBaseJoints), std::end(kBaseJoints));
  }

  // `issues`: what is wrong with the text
  ImportedRobot build(std::vector<Issue> issues) {
    issues_ = std::move(issues);
    fix_joints();
    const auto repaired = repair_urdf(urdf_);
    check();
    out_.source = file_.filename().string();
    out_.srdf = find_srdf(file_).value_or("");
    out_.notes.insert(out_.notes.begin(), urdf_.notes.begin(), urdf_.notes.end());
    out_.notes.insert(out_.notes.end(), repaired.begin(), repaired.end());
    description_.name = urdf_.name;
    root();
    if (!issues_.empty()) throw ConfigError(std::move(issues_));
    for (const auto& joint : urdf_.joints) {
      if (joint.mimic)
        description_.mimics.push_back(
            {joint.name, joint.mimic->master, joint.mimic->multiplier, joint.mimic->offset});
    }
    for (const auto& mimic : description_.mimics)
      if (std::ranges::count(description_.mimics, mimic.master, &MimicDescription::joint))
        note(fmt::format(
            "joint '{}' mimics '{}', which mimics another: it follows the first of them",
            mimic.joint, mimic.master));
    covers_.finish(description_);
    const auto fixed = std::ranges::count(urdf_.joints, UrdfJointType::kFixed, &UrdfJoint::type);
    if (fixed > 0)
      note(fmt::format(
          "the names of {} fixed joints are not kept: their links are bodies or frames", fixed));
    limits();
    if (options_.base) {
      for (auto& issue : add_base(out_, description_, options_, urdf_.file))
        issues_.push_back(std::move(issue));
      if (!issues_.empty()) throw ConfigError(std::move(issues_));
    }
    finish_import(out_, std::move(description_), options_);
    return std::move(out_);
  }

 private:
  // what --fixed names, before anything looks at joints
  void fix_joints() {
    for (const auto& name : options_.fixed) {
      const auto found = std::ranges::find(urdf_.joints, name, &UrdfJoint::name);
      if (found == urdf_.joints.end()) {
        std::vector<std::string> names;
        for (const auto& joint : urdf_.joints) names.push_back(joint.name);
        issues_.push_back({{urdf_.file, 0, 0},
                           "--fixed",
                           fmt::format("names the joint '{}', which is not there", shown(name)),
                           did_you_mean(name, names, "it has")});
        continue;
      }
      found->type = UrdfJointType::kFixed;
      found->mimic.reset();
      note(fmt::format("joint '{}' does not move, as --fixed says", name));
    }
  }

  // everything that is wrong, at once
  void check() {
    auto found = check_urdf_tree(urdf_);
    for (auto& issue : check_urdf_limits(urdf_, limits_)) found.push_back(std::move(issue));
    // an element whose text is wrong says nothing more
    std::erase_if(found, [&](const Issue& issue) {
      if (issue.key == "link ''" || issue.key == "joint ''") return true;
      return !issue.key.empty() && std::ranges::any_of(issues_, [&](const Issue& text) {
        return text.key.starts_with(issue.key);
      });
    });
    for (auto& issue : found) issues_.push_back(std::move(issue));
    if (urdf_.name.empty() && !options_.name)
      issues_.push_back({{urdf_.file, urdf_.line, 0},
                         "<robot>",
                         "has no name",
                         "give it name=\"...\", or --name NAME"});
    std::vector<std::string> links, joints;
    for (const auto& link : urdf_.links) links.push_back(link.name);
    for (const auto& joint : urdf_.joints) joints.push_back(joint.name);
    joints.insert(joints.end(), limits_.added.begin(), limits_.added.end());
    for (auto& issue : option_issues(options_, urdf_.file, links, joints))
      issues_.push_back(std::move(issue));
    if (issues_.empty()) return;
    if (file_.extension() == ".xacro")
      issues_.insert(issues_.begin(),
                     {{urdf_.file, 0, 0},
                      "",
                      "is a xacro file, perhaps a part of a robot's",
                      "run xacro on the file that includes it (`pip install xacrodoc`, then "
                      "`xacrodoc FILE.xacro -o robot.urdf`), and import what comes out"});
    // a file that is right loads them below, once
    for (const auto& l : urdf_.links)
      for (const auto& c : l.collisions) {
        BodyDescription scratch;
        if (c.geometry.type == UrdfGeometryType::kMesh) mesh(c, {}, scratch);
      }
    throw ConfigError(std::move(issues_));
  }

  void note(std::string text) { out_.notes.push_back(std::move(text)); }

  const UrdfLink& link(const std::string& name) const {
    return *std::ranges::find(urdf_.links, name, &UrdfLink::name);
  }

  bool has_mass(const UrdfLink& l) const { return l.inertial && l.inertial->mass > 0.0; }
  bool has_shapes(const UrdfLink& l) const {
    return std::ranges::any_of(l.collisions, [&](const UrdfCollision& c) {
      return c.geometry.type != UrdfGeometryType::kMesh || options_.meshes != MeshShapes::kNone;
    });
  }

  void root() {
    const auto is_child = [&](const UrdfLink& l) {
      return std::ranges::any_of(urdf_.joints,
                                 [&](const UrdfJoint& j) { return j.child == l.name; });
    };
    const UrdfLink& root = *std::ranges::find_if_not(urdf_.links, is_child);
    const bool bare = !has_mass(root) && !has_shapes(root);
    const bool floats = std::ranges::any_of(urdf_.joints, [&](const UrdfJoint& j) {
      return j.type == UrdfJointType::kFloating && j.parent == root.name;
    });
    if (root.name == "world") {
      note("link 'world' is the world itself, not a body");
      children(root, -1, {});
    } else if (bare && floats) {
      description_.frames.push_back({root.name, -1, {}});
      children(root, -1, {});
    } else {
      body(root, nullptr, -1, {});
    }
  }

  void children(const UrdfLink& l, int parent, const Placement& X_BL) {
    for (const auto& joint : urdf_.joints)
      if (joint.parent == l.name) visit(link(joint.child), joint, parent, X_BL * joint.X_PJ);
  }

  // X_BL: pose of the link in the body `parent` at q = 0
  void visit(const UrdfLink& l, const UrdfJoint& joint, int parent, const Placement& X_BL) {
    if (const UrdfJoint* next = next_of_virtual(urdf_, l, joint);
        next && !has_mass(l) && !has_shapes(l)) {
      note(
          fmt::format("link '{}' has no mass and no shapes: the joints '{}' and '{}' act on one "
                      "body, and the link is not a frame",
                      l.name, joint.name, next->name));
      before_.emplace_back(&joint, X_BL);
      return visit(link(next->child), *next, parent, X_BL * next->X_PJ);
    }
    if (joint.type != UrdfJointType::kFixed || has_mass(l) || has_shapes(l))
      return body(l, &joint, parent, X_BL);
    description_.frames.push_back({l.name, parent, X_BL});
    children(l, parent, X_BL);
  }

  void body(const UrdfLink& l, const UrdfJoint* joint, int parent, const Placement& X_PB) {
    BodyDescription b;
    b.name = l.name;
    b.parent = parent;
    b.X_PB = X_PB;
    if (has_mass(l))
      b.inertial = inertial(l);
    else if (l.inertial)
      note(fmt::format("link '{}' has an <inertial> of zeros: it is massless", l.name));
    if (joint && joint->type == UrdfJointType::kFloating) to_world(*joint, b);
    joints_before(b);
    if (joint) joints(*joint, b);
    for (std::size_t i = 0; i < l.collisions.size(); ++i) shape(l, l.collisions[i], i, b);
    const int index = static_cast<int>(description_.bodies.size());
    description_.bodies.push_back(std::move(b));
    children(l, index, {});
  }

  // a free joint stands in the world: what its body hangs on must be fixed there
  void to_world(const UrdfJoint& joint, BodyDescription& b) {
    while (b.parent >= 0) {
      const auto& up = description_.bodies[static_cast<std::size_t>(b.parent)];
      if (!up.joints.empty()) {
        issues_.push_back({{urdf_.file, joint.line, 0},
                           "joint '" + joint.name + "'",
                           fmt::format("floats, and its parent '{}' moves", up.name),
                           "let it float in a link that is fixed to the root"});
        return;
      }
      b.X_PB = up.X_PB * b.X_PB;
      b.parent = up.parent;
    }
    note(fmt::format(
        "joint '{}' floats: its coordinates are the pose of '{}' in the world, and it has no drive",
        joint.name, b.name));
  }

  Inertial inertial(const UrdfLink& l) {
    const UrdfInertial& i = *l.inertial;
    if (!i.has_tensor) {
      // the smallest inertia that both engines take, which a repair describes
      RepairedInertia point = repair_inertia(l.name, i.mass, i.X_LC.p, Eigen::Matrix3d::Zero());
      point.repair->published = "none";
      point.repair->reason =
          "<inertial> without <inertia>; a point mass, but for second moments of mass x (0.1 mm)^2";
      out_.repairs.push_back(*point.repair);
      return point.inertial;
    }
    const Eigen::Matrix3d R = i.X_LC.q.toRotationMatrix();
    const bool turned = !i.X_LC.q.isApprox(Eigen::Quaterniond::Identity(), 0.0);
    const RepairedInertia repaired =
        repair_inertia(l.name, i.mass, i.X_LC.p, turned ? R * i.I_C * R.transpose() : i.I_C);
    if (repaired.repair) out_.repairs.push_back(*repaired.repair);
    if (repaired.rounded)
      note(
          fmt::format("the inertia of '{}' missed the triangle inequality by its last decimal: "
                      "largest moment lowered to it",
                      l.name));
    return repaired.inertial;
  }

  Eigen::Vector3d axis(const UrdfJoint& joint) {
    if (!joint.axis) {
      note(fmt::format("joint '{}' has no axis: x, by URDF's definition", joint.name));
      return Eigen::Vector3d::UnitX();
    }
    const double norm = joint.axis->norm();
    if (std::abs(norm - 1.0) > kUnitAxis)
      note(fmt::format("joint '{}' has an axis of length {}: normalised", joint.name, norm));
    return *joint.axis / norm;
  }

  // joints of virtual links, seen from the body that they move: V frame of such a link
  void joints_before(BodyDescription& b) {
    for (const auto& [joint, X_PV] : std::exchange(before_, {})) {
      const std::size_t first = b.joints.size();
      joints(*joint, b);
      for (std::size_t k = first; k < b.joints.size(); ++k) {
        JointDescription& j = b.joints[k];
        const Eigen::Quaterniond q_BP = b.X_PB.q.conjugate();
        j.axis = (q_BP * (X_PV.q * j.axis)).normalized();
        if (j.type == JointType::kRevolute) j.p_BJ = q_BP * (X_PV.p - b.X_PB.p);
      }
    }
  }

  void joints(const UrdfJoint& joint, BodyDescription& b) {
    JointDescription j;
    j.name = joint.name;
    j.damping = joint.damping;
    j.friction_loss = joint.friction;
    switch (joint.type) {
      case UrdfJointType::kFixed:
        return;
      case UrdfJointType::kFloating:
        j.type = JointType::kFree;
        drop_friction(joint, j);
        break;
      case UrdfJointType::kPlanar:
        return planar(joint, j, b);
      case UrdfJointType::kPrismatic:
        j.type = JointType::kPrismatic;
        [[fallthrough]];
      case UrdfJointType::kRevolute:
        j.range = {joint.limit->lower.value_or(0.0), joint.limit->upper.value_or(0.0)};
        for (const auto& [end, value] :
             {std::pair{"lower", joint.limit->lower}, {"upper", joint.limit->upper}})
          if (!value)
            note(fmt::format("joint '{}' has no {} limit: 0, by URDF's definition", joint.name,
                             end));
        [[fallthrough]];
      case UrdfJointType::kContinuous:
        j.axis = axis(joint);
        break;
    }
    if (urdf_driven(joint, limits_)) j.effort = effort(joint);
    b.joints.push_back(std::move(j));
  }

  void drop_friction(const UrdfJoint& joint, JointDescription& j) {
    if (j.damping != 0.0 || j.friction_loss != 0.0)
      note(fmt::format(
          "damping and friction of joint '{}' are not kept: one number for several directions",
          joint.name));
    j.damping = j.friction_loss = 0.0;
  }

  void planar(const UrdfJoint& joint, JointDescription j, BodyDescription& b) {
    const Eigen::Quaterniond turn =
        Eigen::Quaterniond::FromTwoVectors(Eigen::Vector3d::UnitZ(), axis(joint));
    drop_friction(joint, j);
    const auto add = [&](const char* suffix, JointType type, const Eigen::Vector3d& direction) {
      j.name = joint.name + suffix;
      j.type = type;
      j.axis = (turn * direction).normalized();
      b.joints.push_back(j);
    };
    add("_x", JointType::kPrismatic, Eigen::Vector3d::UnitX());
    add("_y", JointType::kPrismatic, Eigen::Vector3d::UnitY());
    add("_yaw", JointType::kRevolute, Eigen::Vector3d::UnitZ());
    note(fmt::format("the planar joint '{0}' is {0}_x, {0}_y and {0}_yaw, without limits and drive",
                     joint.name));
  }

  double effort(const UrdfJoint& j) const {
    const auto by_joint = options_.effort_by_joint.find(j.name);
    if (by_joint != options_.effort_by_joint.end()) return by_joint->second;
    return has_effort(j) ? *j.limit->effort : *options_.effort;
  }
  double velocity(const UrdfJoint& j) const {
    const auto by_joint = options_.velocity_by_joint.find(j.name);
    if (by_joint != options_.velocity_by_joint.end()) return by_joint->second;
    return has_velocity(j) ? *j.limit->velocity : *options_.velocity;
  }
  static bool has_effort(const UrdfJoint& j) { return j.limit && j.limit->effort.value_or(0) > 0; }
  static bool has_velocity(const UrdfJoint& j) {
    return j.limit && j.limit->velocity.value_or(0) > 0;
  }

  void shape(const UrdfLink& l, const UrdfCollision& c, std::size_t index, BodyDescription& b) {
    Shape s;
    const std::string own =
        l.collisions.size() > 1 ? fmt::format("{}_shape{}", l.name, index + 1) : l.name + "_shape";
    s.name = c.name.empty() ? own : c.name;
    if (!shape_names_.insert(s.name).second) {
      const std::string taken = s.name;
      for (s.name = own; !shape_names_.insert(s.name).second; s.name += "_") {
      }
      note(fmt::format("a second collision named '{}' is called '{}'", taken, s.name));
    }
    s.X_BG = c.X_LG;
    if (l.rgba) s.rgba = *l.rgba;
    const UrdfGeometry& g = c.geometry;
    switch (g.type) {
      case UrdfGeometryType::kBox:
        s.type = ShapeType::kBox;
        s.size = 0.5 * g.size;
        break;
      case UrdfGeometryType::kSphere:
        s.type = ShapeType::kSphere;
        s.size[0] = g.size[0];
        break;
      case UrdfGeometryType::kCylinder:
      case UrdfGeometryType::kCapsule:
        s.type = g.type == UrdfGeometryType::kCapsule ? ShapeType::kCapsule : ShapeType::kCylinder;
        s.size = {g.size[0], 0.5 * g.size[1], 0.0};
        break;
      case UrdfGeometryType::kMesh:
        return mesh(c, s, b);
    }
    b.shapes.push_back(std::move(s));
  }

  void mesh(const UrdfCollision& c, const Shape& s, BodyDescription& b) {
    const std::string name = fmt::format("the mesh '{}' of shape '{}'", c.geometry.mesh, s.name);
    try {
      MeshSurface surface;
      if (options_.meshes != MeshShapes::kNone)
        surface =
            load_mesh(resolve_mesh(c.geometry.mesh, {file_, options_.packages}), c.geometry.scale);
      covers_.add(b, s, std::move(surface), name);
    } catch (const InputError& e) {
      issues_.push_back(
          {{urdf_.file, c.line, 0}, "", e.what(), "--shapes none imports without meshes"});
    }
  }

  void limits() {
    for (const auto& b : description_.bodies)
      for (const auto& j : b.joints) {
        const auto urdf = std::ranges::find(urdf_.joints, j.name, &UrdfJoint::name);
        if (urdf == urdf_.joints.end() || !urdf_driven(*urdf, limits_)) {
          out_.undriven.push_back(j.name);
          continue;
        }
        ImportedLimits l;
        l.joint = j.name;
        l.limits.continuous = !j.range;
        if (j.range) {
          l.limits.lower = (*j.range)[0];
          l.limits.upper = (*j.range)[1];
        }
        l.limits.velocity = velocity(*urdf);
        l.limits.torque = *j.effort;
        l.sources = stated_sources(j.name, has_velocity(*urdf), has_effort(*urdf), options_);
        if (l.limits.velocity > kPlaceholderVelocity || l.limits.torque > kPlaceholderEffort)
          note(
              fmt::format("joint '{}' has velocity {} and effort {}: a placeholder by its size, "
                          "hence hardly a limit; "
                          "correct limits.yaml",
                          j.name, l.limits.velocity, l.limits.torque));
        complete_limits(l, options_);
        out_.limits.push_back(std::move(l));
      }
  }

  UrdfRobot& urdf_;
  std::filesystem::path file_;
  const ImportOptions& options_;
  UrdfLimitOptions limits_;
  ImportedRobot out_;
  ModelDescription description_;
  std::vector<std::pair<const UrdfJoint*, Placement>> before_;  // of virtual links, parent first
  std::set<std::string> shape_names_;
  MeshCovers covers_{options_, out_.notes};
  std::vector<Issue> issues_;
};

}  // namespace

ImportedRobot import_urdf(const std::filesystem::path& file, const ImportOptions& options) {
  std::vector<Issue> issues;
  UrdfRobot urdf = read_urdf(file, issues);
  return UrdfBuilder(urdf, file, options).build(std::move(issues));
}

}  // namespace handspan
