// handspan export-urdf ROBOT: a robot folder, or an MJCF file, as URDF.
#include <fmt/format.h>

#include <fstream>

#include "cli/command.hpp"
#include "core/error.hpp"
#include "core/files_read.hpp"
#include "core/overwritten.hpp"
#include "robot/urdf_export.hpp"
#include "scene/data_folder.hpp"
#include "scene/mjcf.hpp"
#include "scene/robot_folder.hpp"

namespace handspan {
namespace {

struct ExportUrdfFlags {
  std::filesystem::path robot, out;
};

int export_robot(const ExportUrdfFlags& options) {
  std::string urdf;
  if (std::filesystem::is_regular_file(options.robot)) {
    urdf = export_urdf(read_mjcf(options.robot).description);
  } else {
    const RobotFolder folder =
        load_robot_folder(std::filesystem::is_directory(options.robot)
                              ? options.robot
                              : find_robot_folder(options.robot.string(), data_folder()));
    JointVelocities velocities;
    for (const auto& [name, limits] : folder.limits.joints) velocities[name] = limits.velocity;
    urdf = export_urdf(folder.description, velocities);
  }
  // by which it is known again
  urdf.insert(urdf.find('\n') + 1, kWrittenXml);
  if (options.out.empty()) {
    fmt::print("{}", urdf);
    return kHolds;
  }
  refuse_overwriting(options.out, "--out");
  refuse_foreign(options.out, "--out");
  std::ofstream out(options.out);
  out << urdf;
  out.flush();
  if (!out)
    throw InputError(
        fmt::format("{}: cannot be written; is the folder writable and the disk not full?",
                    options.out.string()));
  return kHolds;
}

}  // namespace

void add_export_urdf(CLI::App& cli, Action& action) {
  auto options = std::make_shared<ExportUrdfFlags>();
  CLI::App* command = cli.add_subcommand("export-urdf", "Write a robot as URDF, for ROS");
  command
      ->add_option("ROBOT", options->robot, "a folder of robots/, by name or path, or an MJCF file")
      ->required();
  command->add_option("--out", options->out, "write to FILE instead of the terminal")
      ->type_name("FILE");
  command->add_flag_callback("--force", allow_overwriting, kForceDoc);
  command->callback([options, &action] { action = [options] { return export_robot(*options); }; });
}

}  // namespace handspan
