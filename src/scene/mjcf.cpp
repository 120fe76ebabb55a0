#include "scene/mjcf.hpp"

#include <fmt/format.h>
#include <tinyxml2.h>

#include <cmath>
#include <map>
#include <stdexcept>

#include "core/files_read.hpp"
#include "scene/mujoco_spec.hpp"

namespace handspan {
namespace {

// MuJoCo moves a mesh to its own principal frame, with single-precision corners: what is written of
// that and read again is never twice the same. Where the file says corners and pose in numbers,
// they are kept as they are written.
void keep_written_meshes(mjSpec& spec, ModelDescription& description) {
  for (auto& body : description.bodies)
    for (auto& shape : body.shapes) {
      if (shape.type != ShapeType::kMesh) continue;
      const mjsGeom* geom = mjs_asGeom(mjs_findElement(&spec, mjOBJ_GEOM, shape.name.c_str()));
      if (geom == nullptr || mjs_getFrame(geom->element) != nullptr ||
          geom->alt.type != mjORIENTATION_QUAT)
        continue;
      const mjsMesh* mesh =
          mjs_asMesh(mjs_findElement(&spec, mjOBJ_MESH, mjs_getString(geom->meshname)));
      if (mesh == nullptr || mesh->uservert->empty()) continue;
      const Eigen::Map<const Eigen::Vector3d> refpos(mesh->refpos), scale(mesh->scale);
      const Eigen::Quaterniond q(geom->quat[0], geom->quat[1], geom->quat[2], geom->quat[3]);
      constexpr double kUnit = 1e-12;
      if (refpos != Eigen::Vector3d::Zero() || scale != Eigen::Vector3d::Ones() ||
          mesh->refquat[0] != 1.0 || std::abs(q.norm() - 1.0) > kUnit)
        continue;
      shape.X_BG = {Eigen::Map<const Eigen::Vector3d>(geom->pos), q};
      shape.vertices.clear();
      const auto& v = *mesh->uservert;
      for (std::size_t i = 0; i + 2 < v.size(); i += 3)
        shape.vertices.emplace_back(v[i], v[i + 1], v[i + 2]);
    }
}

DescribedFile describe_spec(MjSpecPtr spec, const std::string& what) {
  // the file's own angles, Euler order and inertia rules hold; nothing is fused or thrown away
  spec->compiler.fusestatic = 0;
  spec->compiler.discardvisual = 0;
  const MjModelPtr model = compile_spec(spec.get(), what);
  DescribedFile out;
  try {
    out.description =
        describe(*model, *mjs_getString(spec->modelname) ? mjs_getString(spec->modelname) : "robot",
                 out.notes);
    keep_written_meshes(*spec, out.description);
    validate(out.description);
  } catch (const std::exception& e) {
    throw std::runtime_error(what + ": " + e.what());
  }
  return out;
}

// Shortest text that reads back to the same double.
std::string plain_number(double x) { return fmt::format("{}", x); }
std::string numbers(const Eigen::Vector3d& v) { return fmt::format("{} {} {}", v[0], v[1], v[2]); }
std::string quat(const Eigen::Quaterniond& q) {
  return fmt::format("{} {} {} {}", q.w(), q.x(), q.y(), q.z());
}

class Writer {
 public:
  std::string write(const ModelDescription& description) {
    open("mujoco", {{"model", description.name}});
    element("compiler", {{"angle", "radian"},
                         {"autolimits", "true"},
                         {"inertiafromgeom", "false"},
                         {"alignfree", "false"}});
    write_assets(description);
    open("worldbody", {});
    for (const auto& frame : description.frames)
      if (frame.body < 0) write_frame(frame);
    for (std::size_t i = 0; i < description.bodies.size(); ++i)
      if (description.bodies[i].parent < 0) write_body(description, static_cast<int>(i));
    printer_.CloseElement();
    if (!description.mimics.empty()) {
      open("equality", {});
      for (const auto& mimic : description.mimics)
        element("joint",
                {{"joint1", mimic.joint},
                 {"joint2", mimic.master},
                 {"polycoef", fmt::format("{} {} 0 0 0", mimic.offset, mimic.multiplier)}});
      printer_.CloseElement();
    }
    for (const auto& rolling : description.rollings)
      printer_.PushComment(fmt::format(" rolling: {} ", rolling.frame).c_str());
    printer_.CloseElement();
    return printer_.CStr();
  }

 private:
  using Attributes = std::vector<std::pair<const char*, std::string>>;

  void open(const char* name, const Attributes& attributes) {
    printer_.OpenElement(name);
    for (const auto& [key, value] : attributes) printer_.PushAttribute(key, value.c_str());
  }
  void element(const char* name, const Attributes& attributes) {
    open(name, attributes);
    printer_.CloseElement();
  }

  void write_assets(const ModelDescription& description) {
    std::map<std::string, std::array<float, 4>> materials;
    bool meshes = false;
    for (const auto& body : description.bodies)
      for (const auto& shape : body.shapes) {
        if (!shape.material.empty()) materials.emplace(shape.material, shape.rgba);
        meshes = meshes || shape.type == ShapeType::kMesh;
      }
    if (materials.empty() && !meshes) return;
    open("asset", {});
    for (const auto& [name, rgba] : materials)
      element("material", {{"name", name}, {"rgba", color(rgba)}});
    for (const auto& body : description.bodies)
      for (const auto& shape : body.shapes) {
        if (shape.type != ShapeType::kMesh) continue;
        std::string vertices;
        for (const auto& v : shape.vertices) vertices += numbers(v) + " ";
        element("mesh", {{"name", shape.name}, {"vertex", vertices}});
      }
    printer_.CloseElement();
  }

  static std::string color(const std::array<float, 4>& c) {
    return fmt::format("{} {} {} {}", c[0], c[1], c[2], c[3]);
  }

  void write_frame(const FrameDescription& frame) {
    element("site",
            {{"name", frame.name}, {"pos", numbers(frame.X_BF.p)}, {"quat", quat(frame.X_BF.q)}});
  }

  void write_joint(const JointDescription& joint) {
    if (joint.type == JointType::kFree) {
      element("freejoint", {{"name", joint.name}});
      return;
    }
    const char* type = joint.type == JointType::kRevolute    ? "hinge"
                       : joint.type == JointType::kPrismatic ? "slide"
                                                             : "ball";
    Attributes a = {{"name", joint.name}, {"type", type}};
    if (joint.type != JointType::kBall) a.emplace_back("axis", numbers(joint.axis));
    if (joint.type != JointType::kPrismatic) a.emplace_back("pos", numbers(joint.p_BJ));
    if (joint.range)
      a.emplace_back("range", fmt::format("{} {}", (*joint.range)[0], (*joint.range)[1]));
    if (joint.effort)
      a.emplace_back("actuatorfrcrange", fmt::format("{} {}", -*joint.effort, *joint.effort));
    if (joint.armature != 0.0) a.emplace_back("armature", plain_number(joint.armature));
    if (joint.damping != 0.0) a.emplace_back("damping", plain_number(joint.damping));
    if (joint.friction_loss != 0.0)
      a.emplace_back("frictionloss", plain_number(joint.friction_loss));
    element("joint", a);
  }

  void write_shape(const Shape& shape) {
    Attributes a = {{"name", shape.name}};
    switch (shape.type) {
      case ShapeType::kBox:
        a.insert(a.end(), {{"type", "box"}, {"size", numbers(shape.size)}});
        break;
      case ShapeType::kSphere:
        a.insert(a.end(), {{"type", "sphere"}, {"size", plain_number(shape.size[0])}});
        break;
      case ShapeType::kCapsule:
        a.insert(a.end(), {{"type", "capsule"},
                           {"size", fmt::format("{} {}", shape.size[0], shape.size[1])}});
        break;
      case ShapeType::kCylinder:
        a.insert(a.end(), {{"type", "cylinder"},
                           {"size", fmt::format("{} {}", shape.size[0], shape.size[1])}});
        break;
      case ShapeType::kMesh:
        a.insert(a.end(), {{"type", "mesh"}, {"mesh", shape.name}});
        break;
    }
    a.emplace_back("pos", numbers(shape.X_BG.p));
    a.emplace_back("quat", quat(shape.X_BG.q));
    if (!shape.material.empty()) a.emplace_back("material", shape.material);
    a.emplace_back("rgba", color(shape.rgba));
    a.emplace_back("group", "3");
    const char* bits = shape.collides ? "1" : "0";
    a.insert(a.end(), {{"contype", bits}, {"conaffinity", bits}});
    element("geom", a);
  }

  void write_body(const ModelDescription& description, int index) {
    const auto& body = description.bodies[static_cast<std::size_t>(index)];
    open("body", {{"name", body.name}, {"pos", numbers(body.X_PB.p)}, {"quat", quat(body.X_PB.q)}});
    if (body.inertial.mass > 0.0)
      element("inertial", {{"mass", plain_number(body.inertial.mass)},
                           {"pos", numbers(body.inertial.X_BC.p)},
                           {"quat", quat(body.inertial.X_BC.q)},
                           {"diaginertia", numbers(body.inertial.principal)}});
    for (const auto& joint : body.joints) write_joint(joint);
    for (const auto& shape : body.shapes) write_shape(shape);
    for (const auto& frame : description.frames)
      if (frame.body == index) write_frame(frame);
    for (std::size_t i = 0; i < description.bodies.size(); ++i)
      if (description.bodies[i].parent == index) write_body(description, static_cast<int>(i));
    printer_.CloseElement();
  }

  tinyxml2::XMLPrinter printer_;
};

}  // namespace

DescribedFile read_mjcf(const std::filesystem::path& file) {
  if (!std::filesystem::is_regular_file(file))
    throw std::runtime_error(file.string() + ": no such file");
  char error[1024] = "";
  FilesRead::note(file);
  MjSpecPtr spec(mj_parseXML(file.c_str(), nullptr, error, sizeof error));
  if (!spec) throw std::runtime_error(file.string() + ": " + error);
  return describe_spec(std::move(spec), file.string());
}

DescribedFile parse_mjcf(const std::string& xml, const std::string& what) {
  char error[1024] = "";
  MjSpecPtr spec(mj_parseXMLString(xml.c_str(), nullptr, error, sizeof error));
  if (!spec) throw std::runtime_error(what + ": " + error);
  return describe_spec(std::move(spec), what);
}

std::string write_mjcf(const ModelDescription& description) { return Writer().write(description); }

}  // namespace handspan
