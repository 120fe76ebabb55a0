// handspan new FOLDER --robot WHAT: a workspace with a robot, a scene and an app that runs.
#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <numbers>

#include "cli/command.hpp"
#include "cli/package_option.hpp"
#include "cli/workspace.hpp"
#include "core/error.hpp"
#include "core/escape.hpp"
#include "core/files_read.hpp"
#include "core/private_folder.hpp"
#include "core/suggest.hpp"
#include "import/import.hpp"
#include "import/import_write.hpp"
#include "import/open_pose.hpp"
#include "import/robot_check.hpp"
#include "scene/data_folder.hpp"
#include "scene/load_scene.hpp"
#include "session/run.hpp"

namespace handspan {
namespace {

namespace fs = std::filesystem;

// configurations that are tried where the robot's own pose lets its hand go nowhere
constexpr std::size_t kStarts = 3;
// of a trial: a second of moving, and time to spare
constexpr Nanoseconds kTrialTime = 6'000'000'000;
// an arm that holds moves less [rad, m]
constexpr double kStill = 0.05;

struct NewFlags {
  fs::path folder;
  std::string robot, tool, name, drive;
  std::vector<std::string> packages;
  std::optional<double> velocity, effort;
  bool force = false;
};

void write_file(const fs::path& file, const std::string& text) {
  fs::create_directories(file.parent_path());
  std::ofstream out(file, std::ios::binary);
  out << text;
  out.close();
  if (!out)
    throw InputError(fmt::format("{}: cannot be written; is the disk full?", file.string()));
}

// ---- the robot

struct Given {
  std::string name;  // that a scene calls it by
  fs::path folder;   // where it is read from
  bool own = false;  // it stands in the workspace
  std::vector<std::string> notes;
};

// a folder of robots/ that is to be the workspace's own
Given copied(const fs::path& from, const fs::path& stage) {
  const RobotFolder robot = load_robot_folder(from);
  for (const auto& entry : fs::recursive_directory_iterator(from))
    if (entry.is_regular_file()) InputsRead::note(entry.path());
  Given given{robot.name, stage / "robots" / robot.name, true, {}};
  fs::create_directories(given.folder.parent_path());
  fs::copy(from, given.folder, fs::copy_options::recursive);
  return given;
}

Given imported(const fs::path& file, const NewFlags& options, const fs::path& stage) {
  ImportOptions how;
  if (!options.name.empty()) how.name = options.name;
  how.packages = packages_of(options.packages);
  how.velocity = options.velocity;
  how.effort = options.effort;
  if (!options.drive.empty())
    how.drive = options.drive == "torque"     ? Drive::kTorque
                : options.drive == "velocity" ? Drive::kVelocity
                                              : Drive::kPosition;
  how.progress = import_progress();
  const ImportedRobot robot = import_robot(file, how);
  Given given{robot.description.name, stage / "robots" / robot.description.name, true, robot.notes};
  write_robot_folder(robot, given.folder, false);
  return given;
}

std::vector<std::string> shipped_names() {
  std::vector<std::string> names;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(data_folder() / "robots", none))
    if (fs::is_regular_file(entry.path() / "robot.yaml", none))
      names.push_back(entry.path().filename().string());
  std::ranges::sort(names);
  return names;
}

// A file is imported, a folder copied, a name is one of the workspace's own or a shipped one.
Given robot_of(const std::string& what, const NewFlags& options, const fs::path& stage) {
  if (fs::is_regular_file(what)) return imported(what, options, stage);
  if (!options.packages.empty() || options.velocity || options.effort || !options.drive.empty())
    throw InputError(
        fmt::format("--package, --velocity, --effort and --drive are for a URDF or MJCF file that "
                    "is imported, and {} "
                    "is none; leave them out",
                    shown(what)));
  if (fs::is_regular_file(fs::path(what) / "robot.yaml")) return copied(what, stage);
  const bool is_name = what.find('/') == std::string::npos;
  if (is_name && fs::is_regular_file(options.folder / "robots" / what / "robot.yaml"))
    return copied(options.folder / "robots" / what, stage);
  if (const auto shipped = is_name ? shipped_robot(what) : std::nullopt)
    return {what, *shipped, false, {}};
  throw InputError(fmt::format(
      "--robot {}: is not a file, a robot folder or a robot that handspan came with; {}",
      printable(what), did_you_mean(what, shipped_names(), "those are")));
}

// ---- what of it runs

struct Attempt {
  bool runs = false;
  std::string why;  // it does not
};

Attempt attempt_of(const fs::path& file, const Parts& parts, bool shows_way) {
  try {
    const App app = load_app(file, parts);
    Session session(app);
    const RunSummary summary = run_session(session, kTrialTime);
    for (const auto& group : summary.groups)
      if (!shows_way && group.worst_deviation > kStill)
        return {false, fmt::format("{} does not keep still", group.name)};
    if (const auto broken = summary.broken(); !broken.empty()) return {false, broken.front()};
    if (!session.ended())
      return {false, shows_way ? "the hand does not get there and back in time"
                               : "the app does not come to its end"};
    if (!summary.holding.empty())
      return {false, fmt::format("the arm holds: {}", summary.holding.front().second)};
    return {true, ""};
  } catch (const InputError& error) {
    return {false, error.what()};
  }
}

// Where a box can stand before the robot so that nothing of both overlaps at the start.
std::optional<double> box_place(WorkspacePlan plan, const RobotFolder& robot,
                                const fs::path& file) {
  constexpr double kTurn = std::numbers::pi;
  if (plan.reach <= 0.05) return std::nullopt;
  for (const double angle : {0.0, kTurn / 4, -kTurn / 4, kTurn / 2, -kTurn / 2, kTurn}) {
    plan.box_angle = angle;
    try {
      parse_scene(workspace_scene(plan, robot), file);
      return angle;
    } catch (const InputError&) {
      // it stands in the way there
    }
  }
  return std::nullopt;
}

struct Workspace {
  const RobotFolder& robot;
  const RobotFolder* tool;
  fs::path scene, app;
};

// Writes the first scene and app that run: at the robot's own pose before others, with all
// collision pairs before fewer. Where the hand can go nowhere, the arm holds.
// @return what the last app that does not run said, empty when one runs
std::string write_what_runs(WorkspacePlan& plan, const Workspace& to, const Parts& parts) {
  const double step = std::max(0.01, 0.08 * plan.reach);
  std::string why;
  const auto runs = [&] {
    write_file(to.app, workspace_app(plan, to.robot, to.tool));
    Attempt trial = attempt_of(to.app, parts, plan.shown_way.has_value());
    why = std::move(trial.why);
    return trial.runs;
  };
  const auto stand = [&](std::optional<Eigen::VectorXd> q) {
    plan.q = std::move(q);
    plan.box_angle.reset();
    plan.box_angle = box_place(plan, to.robot, to.scene);
    write_file(to.scene, workspace_scene(plan, to.robot));
    plan.shown_way.reset();
  };
  // with what it can be kept apart from, standing there
  const auto holds = [&] {
    for (const Apart apart : {Apart::kAll, Apart::kPedestal, Apart::kNothing}) {
      plan.apart = apart;
      if (runs()) return true;
    }
    return false;
  };
  std::vector<std::optional<Eigen::VectorXd>> starts = {std::nullopt};
  if (plan.reach > 0.0)
    for (auto& q : open_poses(to.robot, hand_frame(to.robot, nullptr), plan.reach, kStarts))
      starts.emplace_back(std::move(q));
  // a torque-driven arm with much friction comes nearer when control follows a commanded state
  // and the friction is compensated
  std::vector<bool> feedbacks = {false};
  if (to.robot.groups.front().drive == Drive::kTorque) feedbacks.insert(feedbacks.begin(), true);
  for (const auto& q : starts)
    for (const bool measured : feedbacks) {
      plan.measured = measured;
      stand(q);
      if (!holds()) continue;
      for (const auto& way : {Eigen::Vector3d(0, 0, step), Eigen::Vector3d(0, 0, -step),
                              Eigen::Vector3d(-step, 0, 0)}) {
        plan.shown_way = way;
        if (runs()) return "";
      }
    }
  // it holds at least
  plan.measured = feedbacks.front();
  for (const auto& q : starts) {
    stand(q);
    if (holds()) return "";
  }
  return why;
}

// ---- the folder

bool same_bytes(const fs::path& a, const fs::path& b) {
  std::ifstream of_a(a, std::ios::binary), of_b(b, std::ios::binary);
  return of_a && of_b &&
         std::equal(std::istreambuf_iterator<char>(of_a), {}, std::istreambuf_iterator<char>(of_b),
                    {});
}

// Files of the stage into the folder, which may have others. What was read is not written over; a
// robot of the workspace's own is there already.
void put_in_place(const fs::path& stage, const fs::path& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(stage)) {
    const fs::path file = entry.path().lexically_relative(stage);
    if (entry.is_regular_file() && !same_bytes(entry.path(), folder / file)) files.push_back(file);
  }
  for (const auto& file : files) refuse_overwriting(folder / file, "FOLDER");
  for (const auto& file : files) {
    fs::create_directories((folder / file).parent_path());
    fs::copy_file(stage / file, folder / file, fs::copy_options::overwrite_existing);
  }
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

// One function, since it writes one file after the other, each from what was found for those before
// it.
int make_workspace(const NewFlags& options, const Parts& parts) {
  const fs::path target = fs::absolute(options.folder).lexically_normal();
  const fs::path folder = target.has_filename() ? target : target.parent_path();
  if (fs::exists(folder) && !fs::is_directory(folder))
    throw InputError(
        fmt::format("{}: is a file; name a folder", printable(options.folder.string())));
  if (fs::exists(folder) && !fs::is_empty(folder) && !options.force)
    throw InputError(fmt::format(
        "{}: is not empty; name a new folder, or give --force to write the workspace's files into "
        "it (others stay)",
        printable(options.folder.string())));
  // what is there is written over with --force alone, which was asked for above
  const OutputOption outputs[] = {{"FOLDER", folder / "apps"}};
  check_outputs(outputs);

  // made aside and tried there: what is refused leaves nothing behind
  const PrivateFolder aside("handspan-new-");
  const fs::path stage = aside.path() / "workspace";
  fs::create_directories(stage);
  const Given given = robot_of(options.robot, options, stage);
  const RobotFolder robot = load_robot_folder(given.folder);
  if (robot.kind != FolderKind::kRobot)
    throw InputError(fmt::format("--robot {}: is a tool; name a robot, and the tool with --tool",
                                 printable(options.robot)));
  std::optional<RobotFolder> tool;
  std::string tool_name = options.tool;
  if (!tool_name.empty()) {
    if (!robot.mount)
      throw InputError(fmt::format(
          "--tool {}: the robot '{}' has no mount for a tool; name it in its robot.yaml: mount: "
          "FRAME",
          shown(tool_name), robot.name));
    if (fs::is_regular_file(fs::path(tool_name) / "robot.yaml")) {
      const Given own = copied(tool_name, stage);
      tool_name = own.name;
      tool = load_robot_folder(own.folder);
    } else {
      tool = load_robot_folder(find_robot_folder(tool_name, folder));
    }
    if (tool->kind != FolderKind::kTool)
      throw InputError(fmt::format("--tool {}: is a robot, not a tool", shown(tool_name)));
  }

  WorkspacePlan plan;
  plan.name = given.name;
  plan.robot = given.name;
  plan.tool = tool_name;
  plan.hand = hand_frame(robot, tool ? &*tool : nullptr);
  plan.turns_hand = robot.groups.front().joints.size() >= 6;
  if (const std::string reaching = hand_frame(robot, nullptr); !reaching.empty())
    plan.reach = find_reach(robot.description, robot.limits, reaching);
  const fs::path scene_file = stage / "scenes" / (plan.name + ".yaml");
  const fs::path app_file = stage / "apps" / (plan.name + ".yaml");
  const std::string why =
      write_what_runs(plan, {robot, tool ? &*tool : nullptr, scene_file, app_file}, parts);
  write_file(stage / "README.md", workspace_readme(plan, given.own));
  try {
    put_in_place(stage, folder);
  } catch (const fs::filesystem_error& error) {
    throw InputError(fmt::format("cannot write {}: {}", folder.string(), error.code().message()));
  }

  for (const auto& note : given.notes) fmt::print("note: {}\n", note);
  const auto in = [&](const char* what) {
    return shell_word(options.folder / what / (plan.name + ".yaml"));
  };
  fmt::print("{}: {}robot '{}'{}, scenes/{}.yaml, apps/{}.yaml, README.md\n",
             printable(options.folder.string()), given.own ? "" : "the shipped ", plan.robot,
             plan.tool.empty() ? "" : fmt::format(" with '{}'", plan.tool), plan.name, plan.name);
  if (!why.empty()) {
    fmt::print("DOES NOT RUN YET: {}\n", replaced(why, stage.string(), folder.string()));
    fmt::print("correct that, then run: handspan run {}\n", in("apps"));
    return kDoesNotHold;
  }
  if (plan.q)
    fmt::print("it starts at a q of the scene's own: from '{}' its hand could not go a small way\n",
               robot.poses.empty() ? "zero" : robot.poses.front().name);
  fmt::print(
      "next: handspan run {0}      # {1}\n"
      "      handspan serve {0}    # a page: take over and move it\n",
      in("apps"),
      plan.shown_way ? "the hand goes a small way and back"
                     : "the arm holds: no small way was found that its hand can go");
  return kHolds;
}

}  // namespace

void add_new(CLI::App& cli, Action& action) {
  auto options = std::make_shared<NewFlags>();
  CLI::App* command = cli.add_subcommand(
      "new", "Make a folder with a robot, a scene and an app of your own, which runs at once");
  command->add_option("FOLDER", options->folder, "to make; or an empty one")->required();
  command
      ->add_option("--robot", options->robot,
                   "a URDF or MJCF file, a robot folder, or the name of a shipped robot")
      ->type_name("WHAT")
      ->required();
  command
      ->add_option("--tool", options->tool, "on its mount: a tool folder, or a shipped one's name")
      ->type_name("WHAT");
  command->add_option("--name", options->name, "of a robot from a file, instead of the file's");
  add_packages(*command, options->packages);
  command->add_option("--velocity", options->velocity,
                      "of joints for which the file has none [rad/s, m/s]");
  command->add_option("--effort", options->effort, "likewise [N m, N]");
  command
      ->add_option("--drive", options->drive,
                   "what the maker's interface takes, where it is a file")
      ->check(CLI::IsMember({"torque", "velocity", "position"}));
  command->add_flag("--force", options->force, "write into a folder that is not empty");
  command->callback([options, &action] {
    action = [options](const Parts& parts) { return make_workspace(*options, parts); };
  });
}

}  // namespace handspan
