#include "scene/import_finish.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <numbers>
#include <random>
#include <set>

#include "core/error.hpp"
#include "core/suggest.hpp"
#include "robot/model.hpp"
#include "scene/fit_shapes.hpp"
#include "scene/import_groups.hpp"
#include "scene/import_ready.hpp"
#include "scene/import_srdf.hpp"
#include "scene/mjcf.hpp"
#include "scene/mujoco_spec.hpp"
#include "scene/mujoco_state.hpp"
#include "scene/urdf_mesh.hpp"

namespace handspan {
namespace {

constexpr double kTimeToSpeed = 0.25;  // [s]
constexpr double kBrakingShare = 0.75;
constexpr double kRiseTime = 0.04;  // of acceleration and torque [s]

// Frames where makers' files let tools be mounted.
constexpr const char* kUsualMounts[] = {"flange", "tool0", "panda_link8", "ee_link"};

const char* drive_name(Drive drive) {
  return drive == Drive::kTorque ? "torque" : drive == Drive::kVelocity ? "velocity" : "position";
}

// Configurations of always_overlapping: within ranges, half a turn or half a metre each way
// without.
Eigen::VectorXd random_configuration(const RobotModel& model, std::mt19937_64& random) {
  Eigen::VectorXd q = model.neutral();
  std::uniform_real_distribution<double> unit(0.0, 1.0);
  std::map<std::string, double> values;
  for (const auto& body : model.description().bodies)
    for (const auto& joint : body.joints) {
      if (joint.type == JointType::kFree || joint.type == JointType::kBall) continue;
      const double reach = joint.type == JointType::kRevolute ? std::numbers::pi : 0.5;
      const auto [lower, upper] = joint.range.value_or(std::array{-reach, reach});
      values[joint.name] = lower + (upper - lower) * unit(random);
    }
  // a chain of n mimics is settled after n passes
  for (std::size_t pass = 0; pass < model.description().mimics.size(); ++pass)
    for (const auto& mimic : model.description().mimics)
      values[mimic.joint] = mimic.multiplier * values[mimic.master] + mimic.offset;
  for (const auto& [name, value] : values) q[model.joint(name).q] = value;
  return q;
}

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

void complete_limits(ImportedLimits& joint, const ImportOptions& options) {
  JointLimits& l = joint.limits;
  const auto set = [&](const char* key, double& value, const std::optional<double>& given,
                       double standard, const char* how) {
    value = given.value_or(standard);
    joint.sources[key] = given ? "not in the file: stated on import"
                               : fmt::format("not in the file: handspan's default, {}", how);
  };
  set("acceleration", l.acceleration, options.acceleration, l.velocity / kTimeToSpeed,
      "full speed in 0.25 s");
  set("braking", l.braking, options.braking, kBrakingShare * l.acceleration, "0.75 x acceleration");
  set("jerk", l.jerk, options.jerk, l.acceleration / kRiseTime, "full acceleration in 40 ms");
  set("torque_rate", l.torque_rate, options.torque_rate, l.torque / kRiseTime,
      "full torque in 40 ms");
}

bool make_mesh_shape(Shape& shape, const std::vector<Eigen::Vector3d>& vertices,
                     MeshShapes meshes) {
  switch (meshes) {
    case MeshShapes::kNone:
      return false;
    case MeshShapes::kExact:
      shape.type = ShapeType::kMesh;
      shape.vertices = hull_vertices(vertices, "the mesh of shape '" + shape.name + "'");
      return true;
    case MeshShapes::kFit:
      break;
  }
  const Shape capsule = capsule_shape(fit_capsule(vertices));
  shape.type = capsule.type;
  shape.size = capsule.size;
  shape.vertices.clear();
  shape.X_BG = {shape.X_BG.p + shape.X_BG.q * capsule.X_BG.p,
                (shape.X_BG.q * capsule.X_BG.q).normalized()};
  return true;
}

std::vector<std::pair<std::string, std::string>> always_overlapping(
    const ModelDescription& description) {
  constexpr int kConfigurations = 40;
  const RobotModel model(description);
  MjSpecPtr spec = make_spec();
  add_to_spec(spec.get(), description, 0);
  const MjModelPtr compiled = compile_spec(spec.get(), description.name);
  const MjDataPtr data(mj_makeData(compiled.get()));
  const MujocoState state(*compiled, model);
  std::vector<std::pair<int, int>> pairs;
  const int n = static_cast<int>(description.bodies.size());
  for (int a = 0; a < n; ++a)
    for (int b = a + 1; b < n; ++b)
      if (description.bodies[static_cast<std::size_t>(b)].parent != a) pairs.emplace_back(a, b);

  const auto colliding = [&](int body) {
    std::vector<int> ids;
    for (const auto& shape : description.bodies[static_cast<std::size_t>(body)].shapes)
      if (shape.collides) ids.push_back(mj_name2id(compiled.get(), mjOBJ_GEOM, shape.name.c_str()));
    return ids;
  };
  std::vector<std::vector<int>> geoms;
  for (int b = 0; b < n; ++b) geoms.push_back(colliding(b));
  std::mt19937_64 random(1);
  const Eigen::VectorXd v = Eigen::VectorXd::Zero(model.nv());
  for (int k = 0; k < kConfigurations; ++k) {
    state.write(k == 0 ? model.neutral() : random_configuration(model, random), v, *data);
    mj_kinematics(compiled.get(), data.get());
    std::erase_if(pairs, [&](const auto& pair) {
      for (const int a : geoms[static_cast<std::size_t>(pair.first)])
        for (const int b : geoms[static_cast<std::size_t>(pair.second)])
          // a positive cut-off: with 0 the function answers 0 for everything that does not overlap
          if (mj_geomDistance(compiled.get(), data.get(), a, b, 1e-3, nullptr) < 0.0) return false;
      return true;
    });
  }
  std::vector<std::pair<std::string, std::string>> out;
  for (const auto& [a, b] : pairs)
    out.emplace_back(description.bodies[static_cast<std::size_t>(a)].name,
                     description.bodies[static_cast<std::size_t>(b)].name);
  return out;
}

std::map<std::string, std::string> stated_sources(const std::string& joint, bool has_velocity,
                                                  bool has_effort, const ImportOptions& options) {
  std::map<std::string, std::string> out;
  const auto set = [&](const char* key, bool has, const std::map<std::string, double>& by_joint) {
    if (by_joint.contains(joint))
      out[key] = has ? "stated on import for this joint, instead of the file's"
                     : "not in the file: stated on import for this joint";
    else if (!has)
      out[key] = "not in the file: stated on import";
  };
  set("velocity", has_velocity, options.velocity_by_joint);
  set("torque", has_effort, options.effort_by_joint);
  return out;
}

std::vector<Issue> option_issues(const ImportOptions& options, const std::string& file,
                                 const std::vector<std::string>& places,
                                 const std::vector<std::string>& joints) {
  std::vector<Issue> issues;
  const auto issue = [&](std::string cause, std::string mend) {
    issues.push_back({{}, "", std::move(cause), std::move(mend)});
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
    issue(fmt::format("--mount '{}' is no body or frame of {}", *options.mount, file),
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

// What finish_import does once the description stands.
class Finish {
 public:
  Finish(ImportedRobot& robot, const ImportOptions& options, const NamedStates& states)
      : robot_(robot), options_(options), states_(states) {}

  void run(const std::filesystem::path& srdf_file) {
    if (!srdf_file.empty()) srdf(srdf_file);
    const auto listed = robot_.ignored_pairs.size();
    for (const auto& pair : always_overlapping(robot_.description))
      if (!std::ranges::count(robot_.ignored_pairs, pair)) {
        robot_.ignored_pairs.push_back(pair);
        note(
            fmt::format("the shapes of '{}' and '{}' overlap in each of 40 configurations: never "
                        "checked",
                        pair.first, pair.second));
      }
    if (listed > 0) note(fmt::format("{} pairs of bodies of the file are never checked", listed));
    if (robot_.limits.empty()) return;
    groups();
    ready();
    poses();
  }

 private:
  void note(std::string text) { robot_.notes.push_back(std::move(text)); }

  void srdf(const std::filesystem::path& file) {
    Srdf srdf = read_srdf(file, robot_.description);
    note(fmt::format("groups, poses and disabled pairs are those of {}", file.filename().string()));
    for (auto& text : srdf.notes) note(std::move(text));
    for (auto& pair : srdf.disabled)
      if (!std::ranges::count(robot_.ignored_pairs, pair))
        robot_.ignored_pairs.push_back(std::move(pair));
    srdf_groups_ = std::move(srdf.groups);
    for (auto& state : srdf.states) states_.emplace_back(state.name, std::move(state.q));
  }

  void groups() {
    std::set<std::string> taken;
    std::vector<std::string> driven;
    for (const auto& l : robot_.limits) driven.push_back(l.joint);
    std::vector<ActuatorGroup> given;
    const auto add = [&](const std::string& name, std::vector<std::string> joints) {
      ActuatorGroup group;
      group.name = group_name(name);
      while (std::ranges::count(given, group.name, &ActuatorGroup::name) > 0) group.name += "_";
      taken.insert(joints.begin(), joints.end());
      group.joints = std::move(joints);
      given.push_back(std::move(group));
    };
    const auto are_driven = [&](std::vector<std::string> joints, const std::string& name) {
      std::erase_if(joints, [&](const std::string& joint) {
        const bool idle = !std::ranges::count(driven, joint);
        if (idle && name[0] == '-')
          note(fmt::format("{} names '{}', which is not driven", name, joint));
        return idle;
      });
      return joints;
    };
    for (const auto& [name, joints] : options_.groups)
      if (auto members = are_driven(joints, "--group " + name); !members.empty())
        add(name, std::move(members));
    const std::size_t own = given.size();
    std::vector<std::string> overlapping;
    for (const auto& [name, joints] : srdf_groups_) {
      auto members = are_driven(joints, name);
      if (members.empty()) continue;
      if (std::ranges::any_of(members, [&](const auto& j) { return taken.contains(j); }))
        overlapping.push_back(name);
      else
        add(name, std::move(members));
    }
    if (!overlapping.empty())
      note(fmt::format("groups of the SRDF that share joints with others are not kept: {}",
                       fmt::join(overlapping, ", ")));
    // the first group has the poses: an arm where there is one
    std::stable_sort(
        given.begin() + static_cast<std::ptrdiff_t>(own), given.end(),
        [](const ActuatorGroup& a, const ActuatorGroup& b) { return is_arm(a) && !is_arm(b); });
    std::vector<std::string> rest;
    for (const auto& joint : driven)
      if (!taken.contains(joint)) rest.push_back(joint);
    auto found = groups_by_branches(robot_.description, rest);
    for (auto& group : found) {
      while (std::ranges::count(given, group.name, &ActuatorGroup::name) > 0) group.name += "_";
      given.push_back(std::move(group));
    }
    // drives of given groups follow their kind, as those by branches do
    const bool arms = std::ranges::any_of(given, is_arm);
    for (std::size_t i = 0; i < given.size() - found.size(); ++i)
      given[i].drive = i == 0 || !arms || is_arm(given[i]) ? Drive::kTorque : Drive::kPosition;
    for (auto& group : given)
      if (options_.drive) group.drive = *options_.drive;
    robot_.groups = std::move(given);
    for (const auto& group : robot_.groups)
      note(fmt::format("group {}: {}; {} drive", group.name, fmt::join(group.joints, ", "),
                       drive_name(group.drive)));
    if (!options_.drive)
      note(
          "the drives are handspan's default (arms and legs torque, wheels velocity, what is "
          "beside them position): state what the maker's interface takes with --drive, or in "
          "robot.yaml");
  }

  static bool is_arm(const ActuatorGroup& group) {
    return group.name.find("arm") != std::string::npos ||
           group.name.find("manipulator") != std::string::npos;
  }

  void ready() {
    const ReadyPose found = find_ready(robot_);
    robot_.poses.push_back({"ready", found.q});
    for (const auto& pair : found.standing) {
      robot_.ignored_pairs.push_back(pair);
      note(
          fmt::format("the shapes of '{}' and '{}' overlap where their joints start, and '{}' does "
                      "not move them: never checked",
                      pair.first, pair.second, robot_.groups.front().name));
    }
    for (const auto& [a, b] : found.overlaps)
      note(
          fmt::format("'{}' and '{}' overlap in each pose that was tried for ready: mend their "
                      "shapes in model.xml, or add the pair to ignored_pairs",
                      a, b));
  }

  // poses of the file, where they place every joint of the first group within its limits
  void poses() {
    const auto& joints = robot_.groups.front().joints;
    std::vector<std::string> dropped;
    for (const auto& [name, q] : states_) {
      NamedPose pose{group_name(name == "ready" ? "ready_of_file" : name),
                     Eigen::VectorXd::Zero(static_cast<Eigen::Index>(joints.size()))};
      bool whole = !std::ranges::any_of(
          robot_.poses, [&](const NamedPose& other) { return other.name == pose.name; });
      for (std::size_t i = 0; i < joints.size(); ++i) {
        const auto value = q.find(joints[i]);
        const JointLimits& l =
            std::ranges::find(robot_.limits, joints[i], &ImportedLimits::joint)->limits;
        whole = whole && value != q.end() &&
                (l.continuous || (value->second >= l.lower && value->second <= l.upper));
        if (whole) pose.q[static_cast<Eigen::Index>(i)] = value->second;
      }
      if (whole)
        robot_.poses.push_back(std::move(pose));
      else
        dropped.push_back(name);
    }
    if (!dropped.empty())
      note(
          fmt::format("poses of the file that do not place all joints of '{}' within their limits, "
                      "or are named twice, are not kept: {}",
                      robot_.groups.front().name, fmt::join(dropped, ", ")));
  }

  ImportedRobot& robot_;
  const ImportOptions& options_;
  NamedStates states_;
  std::vector<std::pair<std::string, std::vector<std::string>>> srdf_groups_;
};

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

// A name as a scene takes it: runs of other letters become one _.
std::string plain_name(const std::string& name, const char* kind) {
  std::string out;
  bool any = false;
  for (const char c : name) {
    const bool letter = std::isalnum(static_cast<unsigned char>(c)) != 0;
    any = any || letter;
    if (letter || c == '_' || c == '-' || c == '.')
      out += c;
    else if (!out.ends_with('_'))
      out += '_';
  }
  return any ? out : kind;
}

// Bodies, shapes and frames get names that scenes take; joints may be called anything.
void make_names_plain(ImportedRobot& robot, ModelDescription& description) {
  std::map<std::string, std::string> bodies, frames;
  const auto mend = [&](std::string& name, const char* kind, std::set<std::string>& taken,
                        std::map<std::string, std::string>* renamed) {
    std::string plain = plain_name(name, kind);
    if (plain == name) return;
    const std::string stem = plain;
    for (int k = 2; !taken.insert(plain).second; ++k) plain = fmt::format("{}_{}", stem, k);
    robot.notes.push_back(
        fmt::format("the {} '{}' is called '{}': a scene takes letters, digits, "
                    "'_', '-' and '.'",
                    kind, name, plain));
    if (renamed) (*renamed)[name] = plain;
    name = plain;
  };
  // bodies are frames too
  std::set<std::string> places, shapes;
  for (const auto& body : description.bodies) {
    places.insert(body.name);
    for (const auto& shape : body.shapes) shapes.insert(shape.name);
  }
  for (const auto& frame : description.frames) places.insert(frame.name);
  for (auto& body : description.bodies) {
    mend(body.name, "body", places, &bodies);
    for (auto& shape : body.shapes) mend(shape.name, "shape", shapes, nullptr);
  }
  for (auto& frame : description.frames) mend(frame.name, "frame", places, &frames);
  const auto follow = [](std::string& name, const std::map<std::string, std::string>& renamed) {
    if (const auto found = renamed.find(name); found != renamed.end()) name = found->second;
  };
  for (auto& [a, b] : robot.ignored_pairs) {
    follow(a, bodies);
    follow(b, bodies);
  }
  for (auto& repair : robot.repairs) follow(repair.body, bodies);
  if (robot.mount) follow(*robot.mount, frames);
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
    throw InputError(fmt::format(
        "{}: the robot's name '{}' is no identifier (letters, digits, _ and -); give --name NAME",
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
  Finish(robot, options, states).run(options.srdf.value_or(robot.srdf));
}

}  // namespace handspan
