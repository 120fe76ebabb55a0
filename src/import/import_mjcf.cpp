#include <fmt/format.h>
#include <fmt/ranges.h>
#include <tinyxml2.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/error.hpp"
#include "core/escape.hpp"
#include "core/files_read.hpp"
#include "import/import.hpp"
#include "import/import_finish.hpp"
#include "import/import_limits.hpp"
#include "import/import_reduce.hpp"
#include "import/import_srdf.hpp"
#include "scene/convex_hull.hpp"

namespace handspan {
namespace {

// The model with nothing fused or thrown away; the file's own angles and inertia rules hold.
MjModelPtr compile_file(const std::filesystem::path& file, std::string& name,
                        std::vector<std::string>& notes) {
  if (!std::filesystem::is_regular_file(file)) throw InputError(file.string() + ": no such file");
  char error[1024] = "";
  InputsRead::note(file);
  MjSpecPtr spec(mj_parseXML(file.c_str(), nullptr, error, sizeof error));
  if (!spec) throw InputError(file.string() + ": " + error);
  spec->compiler.fusestatic = 0;
  spec->compiler.discardvisual = 0;
  name = mjs_getString(spec->modelname);
  mjsBody* world = mjs_findBody(spec.get(), "world");
  if (mjs_firstChild(world, mjOBJ_BODY, 0) || !mjs_firstChild(world, mjOBJ_GEOM, 0))
    return compile_spec(spec.get(), file.string());
  // geoms alone: what others attach as one body. MuJoCo wants a prefix for its names
  const std::string whole = name.empty() ? "body" : name;
  notes.push_back(
      fmt::format("the file has geoms and no body: they are one, '{}', and names begin with '{}_'",
                  whole, whole));
  const MjSpecPtr outer(mj_makeSpec());
  mjs_setDeepCopy(outer.get(), 1);
  outer->compiler.degree = 0;
  mjsFrame* place = mjs_addFrame(mjs_findBody(outer.get(), "world"), nullptr);
  if (!mjs_attach(place->element, world->element, (whole + "_").c_str(), ""))
    throw InputError(fmt::format("{}: {}", file.string(), mjs_getError(outer.get())));
  // what was its world
  if (mjsBody* body = mjs_findBody(outer.get(), (whole + "_world").c_str()))
    mjs_setName(body->element, whole.c_str());
  return compile_spec(outer.get(), file.string());
}

std::set<std::string> keys(const std::map<std::string, double>& by_joint) {
  std::set<std::string> out;
  for (const auto& [name, value] : by_joint) out.insert(name);
  return out;
}

void replace_meshes(ModelDescription& description, const ImportOptions& options,
                    std::vector<std::string>& notes) {
  int drawn = 0;
  MeshCovers covers(options, notes);
  for (auto& body : description.bodies)
    for (auto& shape : std::exchange(body.shapes, {})) {
      if (shape.type != ShapeType::kMesh)
        body.shapes.push_back(std::move(shape));
      else if (shape.collides)
        covers.add(body, shape, hull_surface(shape.vertices),
                   fmt::format("the mesh of shape '{}'", shape.name));
      else
        ++drawn;
    }
  covers.finish(description);
  if (drawn > 0) notes.push_back(fmt::format("{} meshes that are only drawn are not kept", drawn));
}

}  // namespace

// One function, since it is the steps of an import in their order.
ImportedRobot import_mjcf(const std::filesystem::path& file, const ImportOptions& options) {
  ImportedRobot out;
  out.source = file.filename().string();
  ReducedModel read;
  try {
    std::string name;
    const MjModelPtr model = compile_file(file, name, out.notes);
    read = reduce(*model, name.empty() ? "robot" : name);
  } catch (const InputError& e) {
    const std::string what = e.what();
    throw InputError(what.starts_with(file.string()) ? what : file.string() + ": " + what);
  } catch (const std::exception& e) {
    throw InputError(e.what());
  }
  out.notes.insert(out.notes.end(), read.notes.begin(), read.notes.end());
  out.repairs = std::move(read.repairs);
  out.ignored_pairs = std::move(read.excluded);
  if (!out.ignored_pairs.empty())
    out.notes.push_back(
        fmt::format("{} <exclude> are ignored_pairs of robot.yaml", out.ignored_pairs.size()));
  ModelDescription description = std::move(read.description);
  replace_meshes(description, options, out.notes);

  std::vector<Issue> issues;
  const auto issue = [&](std::string cause, std::string hint) {
    issues.push_back({{file.string(), 0, 0}, "", std::move(cause), std::move(hint)});
  };
  std::set<std::string> mimics;
  for (const auto& mimic : description.mimics) mimics.insert(mimic.joint);
  std::vector<std::string> bodies, joints;
  std::vector<ImportedLimits> limits;
  std::vector<std::string> idle;
  for (auto& body : description.bodies) {
    bodies.push_back(body.name);
    for (auto& joint : body.joints) {
      joints.push_back(joint.name);
      const bool scalar = joint.type == JointType::kRevolute || joint.type == JointType::kPrismatic;
      const auto effort = read.efforts.find(joint.name);
      const bool has_effort = effort != read.efforts.end();
      // in a file that says what is driven, what it does not name is not
      const bool without_drive = !read.actuated.empty() && !read.actuated.contains(joint.name) &&
                                 !has_effort && !options.effort_by_joint.contains(joint.name);
      if (!scalar || options.passive.contains(joint.name) || mimics.contains(joint.name) ||
          without_drive) {
        if (scalar && without_drive && !mimics.contains(joint.name)) idle.push_back(joint.name);
        joint.effort.reset();
        out.undriven.push_back(joint.name);
        continue;
      }
      const auto stated = [&](const std::map<std::string, double>& by_joint,
                              const std::optional<double>& all) -> std::optional<double> {
        const auto one = by_joint.find(joint.name);
        return one != by_joint.end() ? one->second : all;
      };
      const auto force =
          stated(options.effort_by_joint, has_effort ? effort->second : options.effort);
      const auto speed = stated(options.velocity_by_joint, options.velocity);
      if (!force)
        issue(fmt::format("joint '{}' has no actuatorfrcrange and no actuator that says its force",
                          joint.name),
              fmt::format("a driven joint needs an effort: give --effort, or list the joint as "
                          "passive with --passive {}",
                          shell_word(joint.name)));
      if (!speed)
        issue(fmt::format("joint '{}' has no velocity limit: MJCF has none", joint.name),
              fmt::format("give --velocity, or list the joint as passive with --passive {}",
                          shell_word(joint.name)));
      if (!force || !speed) continue;
      joint.effort = *force;
      ImportedLimits l;
      l.joint = joint.name;
      l.sources = stated_sources(joint.name, false, has_effort, options);
      l.limits.continuous = !joint.range;
      if (joint.range) {
        l.limits.lower = (*joint.range)[0];
        l.limits.upper = (*joint.range)[1];
      } else if (joint.type == JointType::kPrismatic) {
        out.notes.push_back(
            fmt::format("joint '{}' slides and has no range: it slides without end", joint.name));
      }
      l.limits.velocity = *speed;
      l.limits.torque = *force;
      complete_limits(l, options);
      limits.push_back(std::move(l));
    }
  }
  if (!idle.empty())
    out.notes.push_back(
        fmt::format("no actuator of the file acts on {}: not driven; a number in "
                    "--effort FILE.yaml makes one driven",
                    fmt::join(idle, ", ")));
  for (const auto& frame : description.frames) bodies.push_back(frame.name);
  for (const auto& [names, option] : {std::pair{options.passive, "--passive"},
                                      {keys(options.velocity_by_joint), "--velocity"},
                                      {keys(options.effort_by_joint), "--effort"}})
    for (const auto& name : names)
      if (!std::ranges::count(joints, name))
        issue(fmt::format("has no joint '{}' that {} names", name, option),
              "list joints of the file");
  for (auto& wrong : option_issues(options, file.string(), bodies, joints))
    issues.push_back(std::move(wrong));
  if (options.base || !options.fixed.empty())
    issues.push_back({{file.string(), 0, 0},
                      options.base ? "--base" : "--fixed",
                      "is for URDF, which cannot say it",
                      "in an MJCF, give the root slide and hinge joints, or take joints out"});
  if (!issues.empty()) throw ConfigError(std::move(issues));
  out.limits = std::move(limits);
  out.srdf = find_srdf(file).value_or("");
  finish_import(out, std::move(description), options, read.keys);
  if (!read.ground && read.surroundings.empty()) return out;
  // a tool stands nowhere
  if (out.limits.empty()) {
    out.notes.push_back("what stands in the world is left out: nothing of the file is driven");
    return out;
  }
  out.surroundings = std::move(read.surroundings);
  out.ground = read.ground;
  std::string what = out.ground ? fmt::format("a level plane at {:.6g} m", *out.ground) : "";
  if (const auto n = out.surroundings.size(); n > 0)
    what += fmt::format("{}{} shape{}", what.empty() ? "" : " and ", n, n == 1 ? "" : "s");
  out.notes.push_back(fmt::format("the world has {}: {} of the folder has them around the robot",
                                  what, kSceneFile));
  return out;
}

ImportedRobot import_robot(const std::filesystem::path& file, const ImportOptions& options) {
  tinyxml2::XMLDocument document;
  if (document.LoadFile(file.c_str()) == tinyxml2::XML_SUCCESS && document.RootElement()) {
    const std::string_view root = document.RootElement()->Name();
    if (root == "mujoco") return import_mjcf(file, options);
    if (root == "mujocoinclude")
      throw ConfigError(
          {{{file.string(), document.RootElement()->GetLineNum(), 0},
            "",
            "is a part of an MJCF file",
            "import the file that has <include file=\"" + file.filename().string() + "\"/>"}});
  }
  return import_urdf(file, options);
}

}  // namespace handspan
