// handspan import FILE: a robot folder from somebody's URDF or MJCF.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/command.hpp"
#include "cli/robot_json.hpp"
#include "core/error.hpp"
#include "core/escape.hpp"
#include "core/files_read.hpp"
#include "scene/import.hpp"
#include "scene/import_write.hpp"
#include "scene/robot_check.hpp"

namespace handspan {
namespace {

struct Options {
  std::filesystem::path file, out;
  ImportOptions import;
  std::vector<std::string> packages, passive;
  std::string shapes = "fit";
  bool force = false;
  std::filesystem::path json;
};

int import(Options options) {
  for (const auto& package : options.packages) {
    const auto equals = package.find('=');
    if (equals == std::string::npos || equals == 0)
      throw InputError(fmt::format("--package {}: write NAME=FOLDER", package));
    options.import.packages[package.substr(0, equals)] = package.substr(equals + 1);
  }
  options.import.passive.insert(options.passive.begin(), options.passive.end());
  options.import.meshes = options.shapes == "fit"     ? MeshShapes::kFit
                          : options.shapes == "exact" ? MeshShapes::kExact
                                                      : MeshShapes::kNone;
  const ImportedRobot robot = import_robot(options.file, options.import);
  const auto folder =
      options.out.empty() ? std::filesystem::path(robot.description.name) : options.out;
  if (options.force) refuse_replacing(folder, "--out");
  if (!options.json.empty()) refuse_overwriting(options.json, "--json");
  write_robot_folder(robot, folder, options.force);

  for (const auto& note : robot.notes) fmt::print("note: {}\n", note);
  for (const auto& r : robot.repairs)
    fmt::print("repaired: {} of {}: published {}, used {}: {}\n", r.what, r.body, r.published,
               r.used, r.reason);
  if (!robot.undriven.empty()) fmt::print("not driven: {}\n", fmt::join(robot.undriven, ", "));
  const RobotReport report = check_robot(load_robot_folder(folder), 20);
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
  auto options = std::make_shared<Options>();
  CLI::App* command = cli.add_subcommand("import", "Make a robot folder from a URDF or MJCF file");
  command->add_option("FILE", options->file, "URDF or MJCF file")->required();
  command->add_option("--out", options->out, "folder to write (default: the robot's name, here)")
      ->type_name("FOLDER");
  command->add_option("--name", options->import.name, "name of the robot, instead of the file's");
  command->add_option("--package", options->packages, "where package://NAME/ is")
      ->type_name("NAME=FOLDER");
  command
      ->add_option("--shapes", options->shapes,
                   "colliding meshes: a fitted capsule each, their exact hull, or none")
      ->check(CLI::IsMember({"fit", "exact", "none"}));
  command->add_option("--passive", options->passive, "joints without a drive");
  command->add_option("--mount", options->import.mount, "frame where a tool goes");
  command->add_option("--rate", options->import.rate, "at which the robot takes commands [Hz]");
  command->add_option("--velocity", options->import.velocity,
                      "of joints for which the file has none [rad/s, m/s]");
  command->add_option("--effort", options->import.effort, "likewise [N m, N]");
  command->add_option("--acceleration", options->import.acceleration, "likewise [rad/s^2, m/s^2]");
  command->add_option("--braking", options->import.braking, "likewise [rad/s^2, m/s^2]");
  command->add_option("--jerk", options->import.jerk, "likewise [rad/s^3, m/s^3]");
  command->add_option("--torque-rate", options->import.torque_rate, "likewise [N m/s, N/s]");
  command->add_option("--json", options->json, "write what was found to FILE")->type_name("FILE");
  command->add_flag("--force", options->force, "replace an existing robot folder");
  command->callback([options, &action] { action = [options] { return import(*options); }; });
}

}  // namespace handspan
