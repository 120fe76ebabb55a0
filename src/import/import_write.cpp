#include "import/import_write.hpp"

#include <fmt/format.h>

#include <cmath>
#include <fstream>
#include <sstream>
#include <system_error>

#include "core/error.hpp"
#include "core/private_folder.hpp"
#include "scene/load_scene.hpp"
#include "scene/mjcf.hpp"
#include "scene/scene.hpp"

namespace handspan {
namespace {

namespace fs = std::filesystem;

// A double-quoted YAML scalar: whatever a maker calls a joint.
std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (c == '\n')
      out += "\\n";
    else
      out += c;
  }
  return out + '"';
}

// Shortest text that reads back to the same double, and reads as a number with a point.
std::string yaml_number(double x) {
  std::string text = fmt::format("{}", x);
  return text.find_first_of(".en") == std::string::npos ? text + ".0" : text;
}

void write_file(const fs::path& file, const std::string& text) {
  std::ofstream out(file, std::ios::binary);
  out << text;
  out.close();
  if (!out) throw InputError(fmt::format("cannot write {}", file.string()));
}

const char* drive_text(Drive drive) {
  return drive == Drive::kTorque     ? "drive: torque, torque_rate: true"
         : drive == Drive::kVelocity ? "drive: velocity"
                                     : "drive: position";
}

}  // namespace

std::string robot_yaml(const ImportedRobot& robot) {
  std::string out =
      fmt::format("# Imported from {}. Where every number comes from: SOURCES.md.\n", robot.source);
  out += fmt::format("name: {}\nmodel: model.xml\n", robot.description.name);
  const bool driven = !robot.limits.empty();
  if (driven) out += "limits: limits.yaml\n";
  out += fmt::format("kind: {}\n", driven ? "robot" : "tool");
  if (robot.mount) out += fmt::format("mount: {}\n", quoted(*robot.mount));
  if (driven) {
    out +=
        "groups:\n  # the drives are stated on import or handspan's default: the file does not say "
        "what the maker's interface takes\n";
    for (const auto& group : robot.groups) {
      std::string joints;
      for (const auto& joint : group.joints) joints += (joints.empty() ? "" : ", ") + quoted(joint);
      out += fmt::format("  - {{name: {}, joints: [{}],\n     {}}}\n", group.name, joints,
                         drive_text(group.drive));
    }
    out += "maker_gravity_compensation: false  # handspan's default: not in the file\n";
    out += "poses:\n  # ready is handspan's: found by search, free of collision where it can be\n";
    for (const auto& pose : robot.poses) {
      std::string values;
      for (const double value : pose.q) values += (values.empty() ? "" : ", ") + yaml_number(value);
      out += fmt::format("  {}: [{}]\n", pose.name, values);
    }
  }
  if (!robot.rolling.empty()) {
    out += "rolling: [";
    for (const auto& frame : robot.rolling)
      out += (&frame == &robot.rolling.front() ? "" : ", ") + quoted(frame);
    out += "]  # frames that do not slip along their y axis\n";
  }
  if (robot.ignored_pairs.empty()) {
    out += "ignored_pairs: []\n";
  } else {
    out += "ignored_pairs:  # why: SOURCES.md\n";
    for (const auto& [a, b] : robot.ignored_pairs)
      out += fmt::format("  - [{}, {}]\n", quoted(a), quoted(b));
  }
  if (robot.repairs.empty())
    return out + "repairs: []  # every inertia of the file is one a body can have\n";
  out += "repairs:\n";
  for (const auto& r : robot.repairs)
    out += fmt::format(
        "  - body: {}\n    what: {}\n    published: {}\n    used: {}\n    reason: {}\n",
        quoted(r.body), quoted(r.what), quoted(r.published), quoted(r.used), quoted(r.reason));
  return out;
}

std::string limits_yaml(const ImportedRobot& robot) {
  std::string out =
      fmt::format("# Limits of {}; SI, radians. From {} but where a comment says otherwise.\n",
                  robot.description.name, robot.source);
  out += fmt::format("rate: {}  # Hz, stated on import or handspan's default\njoints:\n",
                     yaml_number(robot.rate));
  for (const auto& l : robot.limits) {
    out += fmt::format("  {}:\n", quoted(l.joint));
    const auto line = [&](const char* key, double value) {
      const auto source = l.sources.find(key);
      out += fmt::format("    {}: {}{}\n", key, yaml_number(value),
                         source == l.sources.end() ? "" : "  # " + source->second);
    };
    if (!l.limits.continuous)
      out += fmt::format("    position: [{}, {}]\n", yaml_number(l.limits.lower),
                         yaml_number(l.limits.upper));
    line("velocity", l.limits.velocity);
    line("acceleration", l.limits.acceleration);
    line("braking", l.limits.braking);
    line("jerk", l.limits.jerk);
    line("torque", l.limits.torque);
    line("torque_rate", l.limits.torque_rate);
  }
  return out;
}

namespace {

std::string scene_yaml(const ImportedRobot& robot) {
  std::string out = fmt::format(
      "# {} with what stands around it in {}. Elsewhere: copy it and say where the robot is\n"
      "# (`robot: {}` where its folder is in a folder robots/ above the scene).\nname: {}\n",
      robot.description.name, robot.source, robot.description.name, robot.description.name);
  if (!robot.ground)
    out += "ground: none\n";
  else if (*robot.ground != 0.0)
    out += fmt::format("ground: {{height: {}}}\n", yaml_number(*robot.ground));
  out += "robots:\n  arm: {robot: ./}\n";
  if (robot.surroundings.empty()) return out;
  const auto row = [](std::initializer_list<double> values) {
    std::string text;
    for (const double v : values) text += (text.empty() ? "" : ", ") + yaml_number(v);
    return "[" + text + "]";
  };
  out += "fixtures:\n  surroundings:\n    shapes:\n";
  for (const Shape& s : robot.surroundings) {
    const Eigen::Vector3d& p = s.X_BG.p;
    const Eigen::Quaterniond& q = s.X_BG.q;
    std::string what;
    if (s.type == ShapeType::kBox)
      what = "type: box, size: " + row({2.0 * s.size[0], 2.0 * s.size[1], 2.0 * s.size[2]});
    else if (s.type == ShapeType::kSphere)
      what = "type: sphere, radius: " + yaml_number(s.size[0]);
    else
      what = fmt::format("type: {}, radius: {}, length: {}",
                         s.type == ShapeType::kCapsule ? "capsule" : "cylinder",
                         yaml_number(s.size[0]), yaml_number(2.0 * s.size[1]));
    std::string name;  // as a comment: shapes of scenes have none, and names may have anything
    for (const char c : s.name) name += c == '\n' || c == '\r' ? ' ' : c;
    out += fmt::format(
        "      # {}\n      - {{{}, pose: {{position: {}, quaternion: {}}}, rgba: {}}}\n", name,
        what, row({p.x(), p.y(), p.z()}), row({q.x(), q.y(), q.z(), q.w()}),
        row({s.rgba[0], s.rgba[1], s.rgba[2], s.rgba[3]}));
  }
  return out;
}

// A scene that does not start yet is kept, for a person to correct, and says why.
void check_scene(const fs::path& folder, const ImportedRobot& robot) {
  const fs::path file = folder / kSceneFile;
  try {
    load_scene(file);
  } catch (const InputError& error) {
    std::string why = error.what();
    for (std::size_t at; (at = why.find(folder.string() + "/")) != std::string::npos;)
      why.erase(at, folder.string().size() + 1);
    std::string lines = "# It does not start yet:\n";
    std::istringstream text(why);
    for (std::string line; std::getline(text, line);) lines += "#   " + line + "\n";
    write_file(file, lines + scene_yaml(robot));
  }
}

}  // namespace

std::string sources_md(const ImportedRobot& robot) {
  std::string out = fmt::format("# {}: where the numbers come from\n\n", robot.description.name);
  out += fmt::format(
      "Imported by `handspan import` from `{}`.\n\n"
      "| what | to be filled in by who imports |\n|---|---|\n| origin of the file (address, "
      "version) | |\n"
      "| its licence | |\n| its author | |\n\n",
      robot.source);
  out +=
      "Kinematics, masses, inertias, position limits, damping and friction are the file's, but for "
      "what stands below.\n\n";
  out += "## Numbers that were not in the file\n\n";
  std::map<std::pair<std::string, std::string>, std::string> missing;
  for (const auto& l : robot.limits)
    for (const auto& [key, source] : l.sources) {
      std::string& joints = missing[{key, source}];
      joints += (joints.empty() ? "" : ", ") + l.joint;
    }
  for (const auto& [what, joints] : missing)
    out += fmt::format("- {} of {}: {}\n", what.first, joints, what.second);
  if (missing.empty()) out += "None.\n";
  if (!robot.undriven.empty()) {
    out += "\nWithout a drive (passive, mimic, floating or planar):";
    for (const auto& name : robot.undriven) out += " " + name;
    out += "\n";
  }
  out += "\n## Repairs\n\n";
  for (const auto& r : robot.repairs)
    out += fmt::format("- {} of {}: published {}; used {}. Reason: {}.\n", r.what, r.body,
                       r.published, r.used, r.reason);
  if (robot.repairs.empty()) out += "None: every inertia is one a body can have.\n";
  out += "\n## Notes of the import\n\n";
  for (const auto& n : robot.notes) out += "- " + n + "\n";
  if (robot.notes.empty()) out += "None.\n";
  return out;
}

void write_robot_folder(const ImportedRobot& robot, const fs::path& folder, bool force,
                        const std::function<void(const RobotFolder&)>& check) {
  const fs::path target = fs::absolute(folder).lexically_normal();
  // "arm/" names the folder "arm"
  const fs::path place = target.has_filename() ? target : target.parent_path();
  const bool exists = fs::exists(place);
  if (exists && !force)
    throw InputError(fmt::format("{} exists; --force replaces it", place.string()));
  if (exists && !fs::is_regular_file(place / "robot.yaml"))
    throw InputError(
        fmt::format("{} is not a robot folder (it has no robot.yaml), so it is not replaced; name "
                    "another place",
                    place.string()));
  try {
    fs::create_directories(place.parent_path());
    // written beside the place and renamed: a robot is there as a whole or not at all
    const PrivateFolder beside(place.parent_path(), fmt::format(".{}.", place.filename().string()));
    const fs::path partial = beside.path() / "new", old = beside.path() / "old";
    fs::create_directory(partial);
    write_file(partial / "model.xml", write_mjcf(robot.description));
    write_file(partial / "robot.yaml", robot_yaml(robot));
    if (!robot.limits.empty()) write_file(partial / "limits.yaml", limits_yaml(robot));
    write_file(partial / "SOURCES.md", sources_md(robot));
    if (robot.ground || !robot.surroundings.empty())
      write_file(partial / kSceneFile, scene_yaml(robot));
    const RobotFolder loaded = load_robot_folder(partial);
    if (fs::exists(partial / kSceneFile)) check_scene(partial, robot);
    if (check) check(loaded);
    if (exists) fs::rename(place, old);
    try {
      fs::rename(partial, place);
    } catch (...) {
      if (exists) fs::rename(old, place);
      throw;
    }
  } catch (const fs::filesystem_error& e) {
    throw InputError(fmt::format("cannot write {}: {}", place.string(), e.what()));
  }
}

}  // namespace handspan
