// handspan import FILE: a robot folder from somebody's URDF or MJCF.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <sstream>

#include "cli/command.hpp"
#include "cli/package_option.hpp"
#include "cli/robot_json.hpp"
#include "core/config.hpp"
#include "core/error.hpp"
#include "core/escape.hpp"
#include "core/files_read.hpp"
#include "import/import.hpp"
#include "import/import_write.hpp"
#include "import/robot_check.hpp"
#include "import/urdf.hpp"

namespace handspan {
namespace {

struct ImportFlags {
  std::filesystem::path file, out;
  ImportOptions import;
  std::vector<std::string> packages, passive, fixed, groups;
  std::string shapes = "fit", velocity, effort, drive, base;
  bool force = false;
  std::filesystem::path json;
};

// A number for all joints that lack one, or a YAML file of joints and their numbers.
void read_numbers(const std::string& option, const std::string& text, std::optional<double>& all,
                  std::map<std::string, double>& by_joint) {
  if (text.empty()) return;
  if (const auto value = urdf_number(text)) {
    all = value;
    return;
  }
  if (!std::filesystem::is_regular_file(text))
    throw InputError(
        fmt::format("{} {} is neither a number nor a file; give a number such as 2.5, or a YAML "
                    "file of lines `joint: number`",
                    option, shell_word(text)));
  for (auto& [joint, value] : load_yaml(text, dictionary(number().above(0))))
    by_joint[joint] = value;
}

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> out;
  std::stringstream stream(text);
  for (std::string part; std::getline(stream, part, at);)
    if (!part.empty()) out.push_back(part);
  return out;
}

int import(ImportFlags options) {
  read_numbers("--velocity", options.velocity, options.import.velocity,
               options.import.velocity_by_joint);
  read_numbers("--effort", options.effort, options.import.effort, options.import.effort_by_joint);
  for (const auto& group : options.groups) {
    const auto equals = group.find('=');
    const auto joints = equals == std::string::npos ? std::vector<std::string>{}
                                                    : split(group.substr(equals + 1), ',');
    if (joints.empty() || equals == 0)
      throw InputError(fmt::format("--group {}: write NAME=joint,joint,...", shell_word(group)));
    options.import.groups.emplace_back(group.substr(0, equals), joints);
  }
  if (!options.drive.empty())
    options.import.drive = options.drive == "torque"     ? Drive::kTorque
                           : options.drive == "velocity" ? Drive::kVelocity
                                                         : Drive::kPosition;
  options.import.packages = packages_of(options.packages);
  options.import.passive.insert(options.passive.begin(), options.passive.end());
  options.import.fixed.insert(options.fixed.begin(), options.fixed.end());
  if (!options.base.empty())
    options.import.base =
        options.base == "planar" ? BaseMotion::kPlanar : BaseMotion::kDifferential;
  options.import.meshes = options.shapes == "fit"     ? MeshShapes::kFit
                          : options.shapes == "exact" ? MeshShapes::kExact
                                                      : MeshShapes::kNone;
  options.import.progress = import_progress();
  const ImportedRobot robot = import_robot(options.file, options.import);
  const auto folder =
      options.out.empty() ? std::filesystem::path(robot.description.name) : options.out;
  if (options.force) refuse_replacing(folder, "--out");
  if (!options.json.empty()) refuse_overwriting(options.json, "--json");
  RobotReport report;
  write_robot_folder(robot, folder, options.force,
                     [&](const RobotFolder& written) { report = check_robot(written, 20); });

  for (const auto& note : robot.notes) fmt::print("note: {}\n", note);
  for (const auto& r : robot.repairs)
    fmt::print("repaired: {} of {}: published {}, used {}: {}\n", r.what, r.body, r.published,
               r.used, r.reason);
  if (!robot.undriven.empty()) fmt::print("not driven: {}\n", fmt::join(robot.undriven, ", "));
  fmt::print("{}: {} bodies, {} driven joints, {:.4f} kg; the engines agree {} {:.0e}\n",
             folder.string(), robot.description.bodies.size(), robot.limits.size(), report.mass,
             report.parity_holds ? "within" : "NOT within", kParityBound);
  fmt::print("next: fill in the licence in {}, then `handspan check {}`\n",
             (folder / "SOURCES.md").string(), shell_word(folder));
  if (!options.json.empty()) {
    nlohmann::ordered_json json = {{"file", options.file.string()},
                                   {"folder", folder.string()},
                                   {"name", robot.description.name},
                                   {"holds", report.parity_holds}};
    auto driven = nlohmann::ordered_json::array();
    for (const auto& limits : robot.limits) driven.push_back(limits.joint);
    json["driven"] = std::move(driven);
    json["not_driven"] = robot.undriven;
    json["notes"] = robot.notes;
    json["repairs"] = to_json(robot.repairs);
    json.update(to_json(report));
    write_json(json, options.json);
  }
  return report.parity_holds ? kHolds : kDoesNotHold;
}

}  // namespace

void add_import(CLI::App& cli, Action& action) {
  auto options = std::make_shared<ImportFlags>();
  CLI::App* command = cli.add_subcommand("import", "Make a robot folder from a URDF or MJCF file");
  command->add_option("FILE", options->file, "URDF or MJCF file")->required();
  command->add_option("--out", options->out, "folder to write (default: the robot's name, here)")
      ->type_name("FOLDER");
  command->add_option("--name", options->import.name, "name of the robot, instead of the file's");
  add_packages(*command, options->packages);
  command
      ->add_option(
          "--shapes", options->shapes,
          "colliding meshes: shapes that hug them (fit), their convex hull (exact), or none")
      ->check(CLI::IsMember({"fit", "exact", "none"}));
  command->add_option("--passive", options->passive, "joints without a drive");
  command->add_option("--fixed", options->fixed, "joints that do not move: suspensions, wheels");
  command
      ->add_option("--base", options->base,
                   "it drives about: any way (planar), or forward and turning (differential); "
                   "adds the joints base_x, base_y, base_yaw")
      ->check(CLI::IsMember({"planar", "differential"}));
  command
      ->add_option("--group", options->groups,
                   "joints that are commanded together (the first group has the poses)")
      ->type_name("NAME=JOINT,...");
  command->add_option("--srdf", options->import.srdf,
                      "groups, poses and disabled pairs (default: "
                      "the SRDF of the same name beside FILE)");
  command->add_option("--drive", options->drive, "what the maker's interface takes, all groups")
      ->check(CLI::IsMember({"torque", "velocity", "position"}));
  command->add_option("--mount", options->import.mount, "frame or body where a tool goes");
  command->add_option("--rate", options->import.rate, "at which the robot takes commands [Hz]");
  command
      ->add_option("--velocity", options->velocity,
                   "of joints for which the file has none [rad/s, m/s], or a YAML file: joint: "
                   "number")
      ->type_name("NUMBER|FILE");
  command->add_option("--effort", options->effort, "likewise [N m, N]")->type_name("NUMBER|FILE");
  command->add_option("--acceleration", options->import.acceleration, "likewise [rad/s^2, m/s^2]");
  command->add_option("--braking", options->import.braking, "likewise [rad/s^2, m/s^2]");
  command->add_option("--jerk", options->import.jerk, "likewise [rad/s^3, m/s^3]");
  command->add_option("--torque-rate", options->import.torque_rate, "likewise [N m/s, N/s]");
  command->add_option("--json", options->json, "write what was found to FILE")->type_name("FILE");
  command->add_flag("--force", options->force, "replace an existing robot folder");
  command->callback(
      [options, &action] { action = [options](const Parts&) { return import(*options); }; });
}

}  // namespace handspan
