#include "robot/urdf_export.hpp"

#include "core/error.hpp"

#include <fmt/format.h>

#include <set>
#include <stdexcept>

#include "core/escape.hpp"
#include "math/pose.hpp"

namespace handspan {
namespace {

// adding zero turns -0 into 0
std::string numbers(const Eigen::Vector3d& v) {
  return fmt::format("{} {} {}", v[0] + 0.0, v[1] + 0.0, v[2] + 0.0);
}

class Exporter {
 public:
  Exporter(const ModelDescription& description, const JointVelocities& velocities,
           const MeshFile& mesh_file)
      : description_(description), velocities_(velocities), mesh_file_(mesh_file) {
    for (const auto& body : description.bodies) links_.insert(body.name);
    for (const auto& frame : description.frames)
      if (!links_.insert(frame.name).second)
        throw InputError(
            fmt::format("frame '{}' has the name of a body; in URDF both are links", frame.name));
    for (const auto& body : description.bodies)
      for (const auto& joint : body.joints) joints_.insert(joint.name);
  }

  std::string write() {
    out_ =
        fmt::format("<?xml version=\"1.0\"?>\n<robot name=\"{}\">\n", escaped(description_.name));
    if (needs_world()) {
      world_ = description_.frame_index("world") >= 0 || description_.body_index("world") >= 0
                   ? unique(links_, "world_root")
                   : "world";
      links_.insert(world_);
      link(world_);
    }
    for (const auto& body : description_.bodies) write_body(body);
    for (const auto& frame : description_.frames) {
      link(frame.name);
      fixed(parent_link(frame.body), frame.name, frame.X_BF);
    }
    for (const auto& rolling : description_.rollings)
      comment(fmt::format("frame {} does not slip along its y axis", rolling.frame));
    return out_ + "</robot>\n";
  }

 private:
  bool needs_world() const {
    int roots = 0;
    bool moves = false, placed = false;
    for (const auto& body : description_.bodies) {
      if (body.parent >= 0) continue;
      ++roots;
      moves = moves || !body.joints.empty();
      placed = placed || !body.X_PB.p.isZero(0.0) || body.X_PB.q.w() != 1.0;
    }
    bool frames = false;
    for (const auto& frame : description_.frames) frames = frames || frame.body < 0;
    return roots > 1 || moves || placed || frames;
  }

  static std::string unique(std::set<std::string>& taken, std::string name) {
    while (!taken.insert(name).second) name += "_";
    return name;
  }

  // a comment may not hold two hyphens
  void comment(std::string text) {
    for (std::size_t i = 0; (i = text.find("--", i)) != std::string::npos;)
      text.replace(i, 2, "- ");
    out_ += fmt::format("  <!-- {} -->\n", text);
  }

  std::string parent_link(int body) const {
    return body < 0 ? world_ : description_.bodies[static_cast<std::size_t>(body)].name;
  }

  static std::string origin(const Eigen::Vector3d& p, const Eigen::Quaterniond& q) {
    return fmt::format("<origin xyz=\"{}\" rpy=\"{}\"/>", numbers(p),
                       numbers(rpy_from_rotation(q.toRotationMatrix())));
  }

  void link(const std::string& name) {
    out_ += fmt::format("  <link name=\"{}\"/>\n", escaped(name));
  }

  void open_joint(const std::string& name, const char* type, const std::string& parent,
                  const std::string& child, const Placement& X) {
    out_ += fmt::format(
        "  <joint name=\"{}\" type=\"{}\">\n    <parent link=\"{}\"/>\n    <child link=\"{}\"/>\n  "
        "  {}\n",
        escaped(name), type, escaped(parent), escaped(child), origin(X.p, X.q));
  }

  void fixed(const std::string& parent, const std::string& child, const Placement& X) {
    open_joint(unique(joints_, child + "_joint"), "fixed", parent, child, X);
    out_ += "  </joint>\n";
  }

  void write_body(const BodyDescription& body) {
    write_link(body);
    std::string parent = parent_link(body.parent);
    if (body.joints.empty()) {
      if (!parent.empty()) fixed(parent, body.name, body.X_PB);
      return;
    }
    // pose of the next joint's frame in the last link: joints act about anchors of the body, one
    // after the other
    Placement X = body.X_PB;
    Eigen::Vector3d anchor = Eigen::Vector3d::Zero();
    for (std::size_t i = 0; i < body.joints.size(); ++i) {
      const JointDescription& joint = body.joints[i];
      if (joint.type == JointType::kBall)
        throw InputError(
            fmt::format("joint '{}' is a ball joint, which URDF does not know; replace it by three "
                        "revolute ones",
                        joint.name));
      const Eigen::Vector3d p_BJ = joint.type == JointType::kRevolute ? joint.p_BJ : anchor;
      X.p += X.q * (p_BJ - anchor);
      anchor = p_BJ;
      const bool last = i + 1 == body.joints.size() && anchor.isZero(0.0);
      const std::string child =
          last ? body.name : unique(links_, fmt::format("{}_{}", body.name, i + 1));
      if (!last) link(child);
      write_joint(joint, parent, child, X);
      parent = child;
      X = {};
    }
    if (parent != body.name) fixed(parent, body.name, {-anchor, Eigen::Quaterniond::Identity()});
  }

  void write_joint(const JointDescription& joint, const std::string& parent,
                   const std::string& child, const Placement& X) {
    if (joint.type == JointType::kFree) {
      open_joint(joint.name, "floating", parent, child, X);
      out_ += "  </joint>\n";
      return;
    }
    if (joint.type == JointType::kPrismatic && !joint.range)
      comment(fmt::format("joint {} has no stops; URDF requires limits of a prismatic joint",
                          joint.name));
    if (joint.armature != 0.0)
      comment(fmt::format("joint {} has rotor inertia {}", joint.name, joint.armature));
    const char* type = joint.type == JointType::kPrismatic ? "prismatic"
                       : joint.range                       ? "revolute"
                                                           : "continuous";
    open_joint(joint.name, type, parent, child, X);
    out_ += fmt::format("    <axis xyz=\"{}\"/>\n", numbers(joint.axis));
    const auto velocity = velocities_.find(joint.name);
    std::string range;
    if (joint.range)
      range = fmt::format("lower=\"{}\" upper=\"{}\" ", (*joint.range)[0], (*joint.range)[1]);
    else if (joint.type == JointType::kPrismatic)
      range = "lower=\"-1e6\" upper=\"1e6\" ";
    out_ += fmt::format("    <limit {}effort=\"{}\" velocity=\"{}\"/>\n", range,
                        joint.effort.value_or(0.0),
                        velocity == velocities_.end() ? 0.0 : velocity->second);
    if (joint.damping != 0.0 || joint.friction_loss != 0.0)
      out_ += fmt::format("    <dynamics damping=\"{}\" friction=\"{}\"/>\n", joint.damping,
                          joint.friction_loss);
    for (const auto& mimic : description_.mimics)
      if (mimic.joint == joint.name)
        out_ += fmt::format("    <mimic joint=\"{}\" multiplier=\"{}\" offset=\"{}\"/>\n",
                            escaped(mimic.master), mimic.multiplier, mimic.offset);
    out_ += "  </joint>\n";
  }

  void write_link(const BodyDescription& body) {
    out_ += fmt::format("  <link name=\"{}\">\n", escaped(body.name));
    if (body.inertial.mass > 0.0) {
      const Eigen::Matrix3d I = body.inertial.inertia_B();
      out_ +=
          fmt::format("    <inertial>\n      <origin xyz=\"{}\"/>\n      <mass value=\"{}\"/>\n",
                      numbers(body.inertial.X_BC.p), body.inertial.mass);
      out_ += fmt::format(
          "      <inertia ixx=\"{}\" ixy=\"{}\" ixz=\"{}\" iyy=\"{}\" iyz=\"{}\" izz=\"{}\"/>\n    "
          "</inertial>\n",
          I(0, 0), I(0, 1), I(0, 2), I(1, 1), I(1, 2), I(2, 2));
    }
    for (const auto& shape : body.shapes) write_shape(shape);
    out_ += "  </link>\n";
  }

  void write_shape(const Shape& shape) {
    const Eigen::Vector3d end = shape.X_BG.q * Eigen::Vector3d(0.0, 0.0, shape.size[1]);
    const auto sphere = fmt::format("<sphere radius=\"{}\"/>", shape.size[0]);
    const auto cylinder =
        fmt::format("<cylinder radius=\"{}\" length=\"{}\"/>", shape.size[0], 2.0 * shape.size[1]);
    switch (shape.type) {
      case ShapeType::kBox:
        return geometry(shape, "", fmt::format("<box size=\"{}\"/>", numbers(2.0 * shape.size)),
                        shape.X_BG.p);
      case ShapeType::kSphere:
        return geometry(shape, "", sphere, shape.X_BG.p);
      case ShapeType::kCylinder:
        return geometry(shape, "", cylinder, shape.X_BG.p);
      case ShapeType::kCapsule:
        geometry(shape, "", cylinder, shape.X_BG.p);
        geometry(shape, "_end1", sphere, shape.X_BG.p - end);
        geometry(shape, "_end2", sphere, shape.X_BG.p + end);
        return;
      case ShapeType::kMesh:
        if (!mesh_file_)
          throw InputError(fmt::format(
              "shape '{}' is a mesh, which URDF keeps in a file of its own; use primitives",
              shape.name));
        return geometry(shape, "",
                        fmt::format("<mesh filename=\"{}\"/>", escaped(mesh_file_(shape))),
                        shape.X_BG.p);
    }
  }

  void geometry(const Shape& shape, const char* suffix, const std::string& text,
                const Eigen::Vector3d& p_BG) {
    const std::string inside =
        fmt::format("      {}\n      <geometry>{}</geometry>\n", origin(p_BG, shape.X_BG.q), text);
    const std::string name = escaped(shape.name + suffix);
    out_ += fmt::format(
        "    <visual name=\"{0}\">\n{1}      <material name=\"{0}_color\"><color rgba=\"{2} {3} "
        "{4} {5}\"/></material>\n    </visual>\n",
        name, inside, shape.rgba[0], shape.rgba[1], shape.rgba[2], shape.rgba[3]);
    if (shape.collides)
      out_ += fmt::format("    <collision name=\"{}\">\n{}    </collision>\n", name, inside);
  }

  const ModelDescription& description_;
  const JointVelocities& velocities_;
  const MeshFile& mesh_file_;
  std::set<std::string> links_, joints_;
  std::string world_, out_;
};

}  // namespace

std::string export_urdf(const ModelDescription& description, const JointVelocities& velocities,
                        const MeshFile& mesh_file) {
  validate(description);
  return Exporter(description, velocities, mesh_file).write();
}

}  // namespace handspan
