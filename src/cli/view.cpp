// handspan view WHAT: a robot, a scene or a robot description file on the page, without an app.
#include <fmt/format.h>

#include <algorithm>
#include <fstream>

#include "cli/command.hpp"
#include "cli/package_option.hpp"
#include "cli/serve.hpp"
#include "core/error.hpp"
#include "core/escape.hpp"
#include "core/private_folder.hpp"
#include "core/suggest.hpp"
#include "import/import.hpp"
#include "import/import_write.hpp"
#include "import/robot_check.hpp"
#include "scene/data_folder.hpp"
#include "scene/load_scene.hpp"
#include "scene/scene.hpp"

namespace handspan {
namespace {

namespace fs = std::filesystem;

// of a file that says none: to look at a robot they do not matter
constexpr double kAnyVelocity = 1.0, kAnyEffort = 100.0;

struct ViewOptions {
  std::string what, tool;
  std::vector<std::string> packages;
  ServeOptions serve;
};

std::string quoted_path(const fs::path& path) {
  return fmt::format("\"{}\"", fs::absolute(path).lexically_normal().string());
}

void write(const fs::path& file, const std::string& text) {
  std::ofstream out(file, std::ios::binary);
  out << text;
  out.close();
  if (!out) throw InputError(file.string() + ": cannot be written; is the disk full?");
}

fs::path imported(const fs::path& file, const ViewOptions& options, const fs::path& folder) {
  ImportOptions how;
  how.packages = packages_of(options.packages);
  how.velocity = kAnyVelocity;
  how.effort = kAnyEffort;
  how.progress = import_progress();
  const ImportedRobot robot = import_robot(file, how);
  for (const auto& note : robot.notes) fmt::print("note: {}\n", note);
  const fs::path to = folder / "robots" / robot.description.name;
  write_robot_folder(robot, to, false);
  return to;
}

// a folder of a robot or a tool: by its path, or by name as scenes have it
fs::path folder_of(const std::string& what) {
  if (fs::is_regular_file(fs::path(what) / "robot.yaml")) return what;
  return find_robot_folder(what, ".");
}

// The scene of a robot alone; of a tool, on the first arm that handspan came with.
std::string scene_text(const fs::path& folder, const std::string& tool) {
  const RobotFolder robot = load_robot_folder(folder);
  // so near that it fills the picture
  const std::string last = end_frame(robot);
  const bool is_tool = robot.kind == FolderKind::kTool;
  const double reach =
      is_tool || last.empty()
          ? 1.0
          : std::clamp(find_reach(robot.description, robot.limits, last), 0.2, 3.0);
  const std::string views = fmt::format(
      "views:\n  overview: {{eye: [{:.2f}, {:.2f}, {:.2f}], target: [{:.2f}, 0.0, {:.2f}]}}\n",
      1.6 * reach, 1.2 * reach, 1.1 * reach, 0.2 * reach, 0.4 * reach);
  if (is_tool)
    return fmt::format("name: {}\nrobots:\n  arm: {{robot: ur5, tool: {}, pose: stance}}\n{}",
                       robot.name, quoted_path(folder), views);
  const std::string on = tool.empty() ? "" : ", tool: " + quoted_path(find_robot_folder(tool, "."));
  return fmt::format("name: {}\nrobots:\n  {}: {{robot: {}{}}}\n{}", robot.name, robot.name,
                     quoted_path(folder), on, views);
}

// an app names its scene
void refuse_app(const fs::path& file) {
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);)
    if (line.starts_with("scene:"))
      throw InputError(
          fmt::format("{0}: is an app; `handspan serve {0}` shows it", shell_word(file)));
}

bool is_yaml(const fs::path& file) {
  return file.extension() == ".yaml" || file.extension() == ".yml";
}

int view(const ViewOptions& options, const Parts& parts) {
  const PrivateFolder folder("handspan-view-");
  const fs::path what = options.what;
  fs::path scene = what;
  if (!fs::is_regular_file(what) || !is_yaml(what)) {
    const bool description = fs::is_regular_file(what) && !robot_description_kind(what).empty();
    const fs::path robot =
        description ? imported(what, options, folder.path()) : folder_of(options.what);
    scene = folder.path() / "view.yaml";
    write(scene, scene_text(robot, options.tool));
  } else if (!options.tool.empty()) {
    throw InputError("--tool is for a robot, and a scene says which tools there are; leave it out");
  }
  refuse_app(scene);
  const Scene loaded = load_scene(scene);
  std::string app = fmt::format("name: {}\nscene: {}\n", loaded.name, quoted_path(scene));
  if (!loaded.robots.empty()) {
    std::string robots;
    for (const auto& robot : loaded.robots) robots += (robots.empty() ? "" : ", ") + robot.name;
    app += fmt::format(
        "plants:\n  scene: {{type: mujoco}}\n  posed: {{type: posed, robots: [{}]}}\n", robots);
  }
  ServeOptions serve_options = options.serve;
  serve_options.app = folder.path() / "app.yaml";
  write(serve_options.app, app);
  return serve(serve_options, parts);
}

}  // namespace

void add_view(CLI::App& cli, Action& action) {
  auto options = std::make_shared<ViewOptions>();
  CLI::App* command = cli.add_subcommand(
      "view",
      "Look at a robot, a tool or a scene on the page: joints by sliders, frames, masses, "
      "what touches what");
  command
      ->add_option("WHAT", options->what,
                   "robot by name or folder, scene file, or a URDF or MJCF file as it is imported")
      ->required();
  command->add_option("--tool", options->tool, "on the robot: its name or folder");
  add_packages(*command, options->packages);
  add_page_options(*command, options->serve);
  command->callback([options, &action] {
    action = [options](const Parts& parts) { return view(*options, parts); };
  });
}

}  // namespace handspan
