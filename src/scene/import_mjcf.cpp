#include <fmt/format.h>
#include <tinyxml2.h>

#include <algorithm>
#include <cmath>

#include "core/error.hpp"
#include "core/escape.hpp"
#include "core/files_read.hpp"
#include "scene/import.hpp"
#include "scene/import_finish.hpp"
#include "scene/mjcf.hpp"
#include "scene/mujoco_spec.hpp"

namespace handspan {
namespace {

MjModelPtr compile_file(const std::filesystem::path& file) {
  char error[1024] = "";
  InputsRead::note(file);
  MjSpecPtr spec(mj_parseXML(file.c_str(), nullptr, error, sizeof error));
  if (!spec) throw InputError(file.string() + ": " + error);
  return compile_spec(spec.get(), file.string());
}

// Drive forces from the actuators of joints, where the joint itself has none.
void read_actuators(const mjModel& m, ModelDescription& description,
                    std::vector<std::string>& notes) {
  for (int i = 0; i < m.nu; ++i) {
    if (m.actuator_trntype[i] != mjTRN_JOINT) {
      notes.push_back(fmt::format("actuator {} does not act on a joint: not read", i));
      continue;
    }
    const char* joint_name = mj_id2name(&m, mjOBJ_JOINT, m.actuator_trnid[2 * i]);
    if (joint_name == nullptr) continue;
    if (m.actuator_ctrllimited[i])
      notes.push_back(fmt::format("the actuator of joint '{}' has ctrlrange {} to {}: not read",
                                  joint_name, m.actuator_ctrlrange[2 * i],
                                  m.actuator_ctrlrange[2 * i + 1]));
    for (auto& body : description.bodies)
      for (auto& joint : body.joints) {
        if (joint.name != joint_name || joint.effort || !m.actuator_forcelimited[i]) continue;
        const double gear = std::abs(m.actuator_gear[6 * i]);
        const double lower = gear * m.actuator_forcerange[2 * i],
                     upper = gear * m.actuator_forcerange[2 * i + 1];
        const double effort = std::min(-lower, upper);
        if (-lower != upper)
          notes.push_back(
              fmt::format("the actuator of joint '{}' has the force range {} to {}: the smaller, "
                          "{}, is its effort",
                          joint_name, lower, upper, effort));
        if (effort > 0.0) joint.effort = effort;
      }
  }
}

void replace_meshes(ModelDescription& description, MeshShapes meshes,
                    std::vector<std::string>& notes) {
  int drawn = 0;
  for (auto& body : description.bodies) {
    std::vector<Shape> kept;
    for (auto& shape : body.shapes) {
      if (shape.type == ShapeType::kMesh) {
        if (!shape.collides) {
          ++drawn;
          continue;
        }
        const std::vector<Eigen::Vector3d> vertices = shape.vertices;
        if (!make_mesh_shape(shape, vertices, meshes)) {
          notes.push_back(fmt::format("the mesh of shape '{}' is left out", shape.name));
          continue;
        }
        notes.push_back(fmt::format(
            "shape '{}' is {} its mesh", shape.name,
            meshes == MeshShapes::kFit ? "a capsule or sphere that covers" : "the convex hull of"));
      }
      kept.push_back(std::move(shape));
    }
    body.shapes = std::move(kept);
  }
  if (drawn > 0) notes.push_back(fmt::format("{} meshes that are only drawn are not kept", drawn));
}

}  // namespace

ImportedRobot import_mjcf(const std::filesystem::path& file, const ImportOptions& options) {
  ImportedRobot out;
  out.source = file.filename().string();
  DescribedFile read;
  try {
    read = read_mjcf(file);
    read_actuators(*compile_file(file), read.description, read.notes);
  } catch (const InputError&) {
    throw;
  } catch (const std::exception& e) {
    throw InputError(e.what());
  }
  out.notes = std::move(read.notes);
  ModelDescription description = std::move(read.description);
  for (const auto& frame : description.frames)
    if (description.body_index(frame.name) >= 0)
      throw InputError(fmt::format("{}: a site and a body are both named '{}'; rename one",
                                   file.string(), frame.name));
  replace_meshes(description, options.meshes, out.notes);

  std::vector<Issue> issues;
  const auto issue = [&](std::string cause, std::string mend) {
    issues.push_back({{file.string(), 0, 0}, "", std::move(cause), std::move(mend)});
  };
  std::set<std::string> passive = options.passive;
  for (const auto& mimic : description.mimics) passive.insert(mimic.joint);
  std::set<std::string> names;
  std::vector<ImportedLimits> limits;
  for (auto& body : description.bodies)
    for (auto& joint : body.joints) {
      names.insert(joint.name);
      const bool scalar = joint.type == JointType::kRevolute || joint.type == JointType::kPrismatic;
      if (!scalar || passive.contains(joint.name)) {
        out.undriven.push_back(joint.name);
        continue;
      }
      ImportedLimits l;
      l.joint = joint.name;
      if (joint.type == JointType::kPrismatic && !joint.range)
        issue(fmt::format("joint '{}' slides and has no range", joint.name),
              "give it range=\"lower upper\", or list it with --passive " + shell_word(joint.name));
      if (!joint.effort) {
        if (!options.effort) {
          issue(fmt::format("joint '{}' has no actuatorfrcrange and no actuator with a forcerange",
                            joint.name),
                fmt::format("a driven joint needs an effort: give --effort, or list the joint as "
                            "passive with --passive {}",
                            shell_word(joint.name)));
          continue;
        }
        joint.effort = options.effort;
        l.sources["torque"] = "not in the file: stated on import";
      }
      if (!options.velocity) {
        issue(fmt::format("joint '{}' has no velocity limit: MJCF has none", joint.name),
              fmt::format("give --velocity, or list the joint as passive with --passive {}",
                          shell_word(joint.name)));
        continue;
      }
      l.sources["velocity"] = "not in the file: stated on import";
      l.limits.continuous = !joint.range;
      if (joint.range) {
        l.limits.lower = (*joint.range)[0];
        l.limits.upper = (*joint.range)[1];
      }
      l.limits.velocity = *options.velocity;
      l.limits.torque = *joint.effort;
      complete_limits(l, options);
      limits.push_back(std::move(l));
    }
  for (const auto& name : options.passive)
    if (!names.contains(name))
      issue(fmt::format("has no joint '{}' that --passive names", name), "list joints of the file");
  if (!issues.empty()) throw ConfigError(std::move(issues));
  out.limits = std::move(limits);
  finish_import(out, std::move(description), options);
  return out;
}

ImportedRobot import_robot(const std::filesystem::path& file, const ImportOptions& options) {
  tinyxml2::XMLDocument document;
  if (document.LoadFile(file.c_str()) == tinyxml2::XML_SUCCESS && document.RootElement() &&
      std::string_view(document.RootElement()->Name()) == "mujoco")
    return import_mjcf(file, options);
  return import_urdf(file, options);
}

}  // namespace handspan
