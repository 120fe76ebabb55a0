#include "import/import_finish.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <set>

#include "core/error.hpp"
#include "core/suggest.hpp"
#include "import/hug_meshes.hpp"
#include "import/import_names.hpp"
#include "import/import_setup.hpp"
#include "robot/model.hpp"
#include "scene/mjcf.hpp"

namespace handspan {
namespace {

// Frames where makers' files let tools be mounted.
constexpr const char* kUsualMounts[] = {"flange", "tool0", "panda_link8", "ee_link"};

bool is_identifier(const std::string& name) {
  const auto plain = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-';
  };
  return !name.empty() && std::all_of(name.begin(), name.end(), plain) &&
         std::isdigit(static_cast<unsigned char>(name[0])) == 0 && name[0] != '-';
}

}  // namespace

ModelDescription canonical(const ModelDescription& description) {
  // twice is enough for a division by a norm that is 1 but for rounding; the rest is room
  std::string xml = write_mjcf(description);
  ModelDescription out;
  for (int pass = 0; pass < 8; ++pass) {
    out = parse_mjcf(xml, description.name).description;
    std::string again = write_mjcf(out);
    if (again == xml) break;
    xml = std::move(again);
  }
  return out;
}

void MeshCovers::add(BodyDescription& body, Shape shape, MeshSurface mesh, const std::string& of) {
  taken_.insert(shape.name);
  if (meshes_ == MeshShapes::kExact) {
    shape.type = ShapeType::kMesh;
    shape.vertices = hull_vertices(mesh.vertices, "the mesh of shape '" + shape.name + "'");
    notes_.push_back(fmt::format("{} is its convex hull", of));
    body.shapes.push_back(std::move(shape));
  } else if (meshes_ == MeshShapes::kNone) {
    notes_.push_back(fmt::format("{} is left out", of));
  } else {
    const auto known = std::ranges::find(covered_, body.name, &BodyMesh::body);
    if (known == covered_.end()) {
      covered_.push_back({body.name, std::move(shape), std::move(mesh)});
      names_.push_back(of);
    } else {
      add_to(*known, shape, mesh);
      names_[static_cast<std::size_t>(known - covered_.begin())] += " and " + of;
    }
  }
}

// A body's meshes are covered together: motors in a housing need no shapes of their own.
void MeshCovers::add_to(BodyMesh& known, const Shape& shape, const MeshSurface& mesh) {
  for (auto& p : known.mesh.vertices) p = known.shape.X_BG.p + known.shape.X_BG.q * p;
  known.shape.X_BG = {};
  const int first = static_cast<int>(known.mesh.vertices.size());
  for (const auto& p : mesh.vertices)
    known.mesh.vertices.push_back(shape.X_BG.p + shape.X_BG.q * p);
  const auto corner = [&](int i) { return first + i; };
  for (const auto& t : mesh.triangles)
    known.mesh.triangles.push_back({corner(t[0]), corner(t[1]), corner(t[2])});
  // points without a surface are covered as triangles of no size
  if (mesh.triangles.empty())
    for (int i = 0; i < static_cast<int>(mesh.vertices.size()); ++i)
      known.mesh.triangles.push_back({corner(i), corner(i), corner(i)});
  constexpr int kMostShapes = 10;
  known.max_shapes = std::min(kMostShapes, known.max_shapes + 1);
}

void MeshCovers::finish(ModelDescription& description) {
  for (const auto& body : description.bodies)
    for (const auto& shape : body.shapes) taken_.insert(shape.name);
  const auto hugged = hug_meshes(description, covered_, taken_, progress_);
  for (std::size_t i = 0; i < hugged.size(); ++i)
    notes_.push_back(fmt::format("{} {}{} in place of {}", hugged[i].shapes,
                                 hugged[i].convex_pieces ? "convex piece" : "simple shape",
                                 hugged[i].shapes == 1 ? "" : "s", names_[i]));
}

std::vector<Issue> option_issues(const ImportOptions& options, const std::string& file,
                                 const std::vector<std::string>& places,
                                 const std::vector<std::string>& joints) {
  std::vector<Issue> issues;
  const auto issue = [&](std::string cause, std::string hint) {
    issues.push_back({{}, "", std::move(cause), std::move(hint)});
  };
  if (!(options.rate > 0.0)) issue(fmt::format("--rate {} must be > 0", options.rate), "");
  const auto positive = [&](const std::string& option, double value) {
    if (!(value > 0.0 && std::isfinite(value)))
      issue(fmt::format("--{} {} must be > 0 and finite", option, value), "");
  };
  for (const auto& [key, value] : {std::pair{"velocity", options.velocity},
                                   {"effort", options.effort},
                                   {"acceleration", options.acceleration},
                                   {"braking", options.braking},
                                   {"jerk", options.jerk},
                                   {"torque-rate", options.torque_rate}})
    if (value) positive(key, *value);
  for (const auto& [key, values] :
       {std::pair{"velocity", &options.velocity_by_joint}, {"effort", &options.effort_by_joint}})
    for (const auto& [joint, value] : *values)
      positive(fmt::format("{} of '{}':", key, joint), value);
  if (options.mount && !std::ranges::count(places, *options.mount))
    issue(fmt::format("--mount '{}' is not a body or frame of {}", *options.mount, file),
          did_you_mean(*options.mount, places, "it has"));
  std::set<std::string> grouped;
  for (const auto& [name, members] : options.groups)
    for (const auto& joint : members) {
      if (!std::ranges::count(joints, joint))
        issue(fmt::format("--group {}: there is no joint '{}' in {}", name, joint, file),
              did_you_mean(joint, joints, "it has"));
      else if (!grouped.insert(joint).second)
        issue(fmt::format("--group {}: joint '{}' is in two groups", name, joint),
              "list it in one");
    }
  return issues;
}

namespace {

// A tool goes on a frame; a body becomes one.
void choose_mount(ImportedRobot& robot, ModelDescription& description,
                  const ImportOptions& options) {
  const auto frame_of = [&](const std::string& name) {
    const int body = description.body_index(name);
    if (body < 0) return name;
    const std::string frame = name + "_mount";
    if (description.frame_index(frame) < 0) description.frames.push_back({frame, body, {}});
    robot.notes.push_back(
        fmt::format("tools mount on the origin of body '{}', the frame '{}'", name, frame));
    return frame;
  };
  if (options.mount) {
    robot.mount = frame_of(*options.mount);
    return;
  }
  for (const char* usual : kUsualMounts)
    if (!robot.mount && description.frame_index(usual) >= 0) {
      robot.mount = usual;
      robot.notes.push_back(
          fmt::format("tools mount on '{}', by its name; state another with --mount", usual));
    }
  if (!robot.mount) robot.notes.push_back("no frame is stated for tools; state one with --mount");
}

void warn_of_mount_at_base(ImportedRobot& robot) {
  if (!robot.mount || robot.limits.empty()) return;
  const auto& d = robot.description;
  int body = d.frames[static_cast<std::size_t>(d.frame_index(*robot.mount))].body;
  for (; body >= 0; body = d.bodies[static_cast<std::size_t>(body)].parent)
    if (!d.bodies[static_cast<std::size_t>(body)].joints.empty()) return;
  robot.notes.push_back(
      fmt::format("no joint moves the mount '{}': a tool would stand at the robot's foot; state "
                  "another with --mount",
                  *robot.mount));
}

}  // namespace

void finish_import(ImportedRobot& robot, ModelDescription description, const ImportOptions& options,
                   const NamedStates& states) {
  robot.rate = options.rate;
  if (options.name) description.name = *options.name;
  if (!is_identifier(description.name))
    throw InputError(
        fmt::format("{}: the robot's name '{}' is not an identifier (letters, digits, _ and -); "
                    "give --name NAME",
                    robot.source, shown(description.name)));
  choose_mount(robot, description, options);
  make_names_plain(robot, description);
  try {
    robot.description = canonical(description);
    const RobotModel model(robot.description);
  } catch (const InputError& e) {
    throw InputError(fmt::format("{}: {}", robot.source, e.what()));
  } catch (const std::exception& e) {
    throw InputError(fmt::format("{}: {}", robot.source, e.what()));
  }
  warn_of_mount_at_base(robot);
  set_up(robot, options, states);
}

}  // namespace handspan
