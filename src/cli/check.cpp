// handspan check WHAT...: validates robot and tool folders, scenes, apps and logs, and shows what
// it found.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>

#include "cli/check_log.hpp"
#include "cli/command.hpp"
#include "cli/robot_json.hpp"
#include "core/config.hpp"
#include "core/files_read.hpp"
#include "core/overwritten.hpp"
#include "core/suggest.hpp"
#include "import/robot_check.hpp"
#include "log/log_layout.hpp"
#include "mujoco/mujoco_plant.hpp"
#include "robot/model.hpp"
#include "scene/data_folder.hpp"
#include "scene/load_scene.hpp"
#include "scene/own_robots.hpp"
#include "session/session.hpp"
#include "study/study.hpp"

namespace handspan {
namespace {

struct CheckOptions {
  std::vector<std::string> what;
  bool schema = false, channels = false, episodes = false;
  std::filesystem::path repair, json;
};

using Json = nlohmann::ordered_json;

constexpr char kChannelsAreOfApps[] =
    "--channels: only an app's loop has channels; name an app, such as apps/hold.yaml";

Json to_json(const RobotLimits& limits) {
  auto json = Json::object();
  for (const auto& [name, l] : limits.joints) {
    json[name] = {{"lower", nullptr},       {"upper", nullptr},
                  {"velocity", l.velocity}, {"acceleration", l.acceleration},
                  {"braking", l.braking},   {"jerk", l.jerk},
                  {"torque", l.torque},     {"torque_rate", l.torque_rate}};
    if (!l.continuous) json[name].update({{"lower", l.lower}, {"upper", l.upper}});
  }
  return json;
}

void print_limits(const RobotFolder& folder) {
  if (folder.limits.joints.empty()) return;
  fmt::print("\n{:<22} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9}\n", "joint", "lower",
             "upper", "v", "a", "braking", "jerk", "tau", "dtau/dt");
  for (const auto& [name, l] : folder.limits.joints) {
    const auto bound = [&](double x) {
      return l.continuous ? std::string("-") : fmt::format("{:.4f}", x);
    };
    fmt::print("{:<22} {:>9} {:>9} {:>9.4g} {:>9.4g} {:>9.4g} {:>9.4g} {:>9.4g} {:>9.4g}{}\n", name,
               bound(l.lower), bound(l.upper), l.velocity, l.acceleration, l.braking, l.jerk,
               l.torque, l.torque_rate, l.velocity_curve ? "  (v falls towards the ends)" : "");
  }
  if (const auto& c = folder.limits.cartesian)
    fmt::print("flange: {} m/s, {} m/s^2, {} m/s^3; {:.4g} rad/s, {:.4g} rad/s^2, {:.4g} rad/s^3\n",
               c->velocity, c->acceleration, c->jerk, c->angular_velocity, c->angular_acceleration,
               c->angular_jerk);
}

int check_folder(const std::filesystem::path& path, Json& json) {
  const RobotFolder folder = load_robot_folder(path);
  const RobotReport report = check_robot(folder);
  fmt::print("{} '{}': {} bodies, {} joints, {:.4f} kg",
             folder.kind == FolderKind::kRobot ? "robot" : "tool", folder.name,
             folder.description.bodies.size(), RobotModel(folder.description).joints().size(),
             report.mass);
  if (!report.reach_frame.empty())
    fmt::print(", {} reaches {:.3f} m from the base", report.reach_frame, report.reach);
  fmt::print("\n\n{:<22} {:>9}   {:>11} {:>11} {:>11}   {:>8}\n", "body", "kg", "I1", "I2", "I3",
             "slack");
  for (const auto& b : report.bodies)
    fmt::print("{:<22} {:>9.4f}   {:>11.4e} {:>11.4e} {:>11.4e}   {:>8.4f}{}\n", b.name, b.mass,
               b.principal[0], b.principal[1], b.principal[2], b.triangle_slack,
               b.repaired ? "  repaired" : "");
  fmt::print(
      "(I: principal moments [kg m^2]; slack: (I1 + I2 - I3) / (I1 + I2 + I3), negative is "
      "impossible)\n");
  for (const auto& r : folder.repairs)
    fmt::print("repaired: {} of {}: published {}, used {}: {}\n", r.what, r.body, r.published,
               r.used, r.reason);
  std::vector<std::string> notes = folder.notes;
  for (auto& note : friction_notes(folder)) notes.push_back(std::move(note));
  for (const auto& note : notes) fmt::print("note: {}\n", note);
  print_limits(folder);
  fmt::print("\nengines, fixed base:   {}\n", report.fixed.summary());
  if (report.floating.states > 0) {
    fmt::print("engines, floating:     {}\n", report.floating.summary());
    fmt::print("engines, planar base:  {}\n", report.planar.summary());
  }
  fmt::print("{}: the engines agree {} {:.0e}\n", folder.name,
             report.parity_holds ? "within" : "NOT within", kParityBound);
  json["kind"] = folder.kind == FolderKind::kRobot ? "robot" : "tool";
  json["name"] = folder.name;
  json.update(to_json(report));
  json["joints"] = to_json(folder.limits);
  json["repairs"] = to_json(folder.repairs);
  json["notes"] = notes;
  return report.parity_holds ? kHolds : kDoesNotHold;
}

int check_scene(const std::filesystem::path& path, Json& json) {
  const Scene scene = load_scene(path);
  MujocoPlant plant(scene);
  for (const auto& line : own_before_shipped(scene)) fmt::print("{}\n", line);
  fmt::print(
      "scene '{}': {} robots, {} objects, {} fixtures, {} belts, {} kinematic bodies, {} cameras, "
      "{} views\n",
      scene.name, scene.robots.size(), scene.objects.size(), scene.fixtures.size(),
      scene.belts.size(), scene.kinematics.size(), scene.cameras.size(), scene.views.size());
  for (const auto& group : plant.layout().groups)
    if (group.kind == GroupKind::kGripper)
      fmt::print("group {}: a gripper, {:.0f} to {:.0f} mm, {:.3g} N, {:.3g} m/s, at {}\n",
                 group.name, 1e3 * group.gripper->shut(), 1e3 * group.gripper->wide(),
                 group.gripper->force, group.gripper->speed, group.rate.text());
    else
      fmt::print("group {}: {} values at {}\n", group.name, group.size(), group.rate.text());
  for (const auto& sensor : plant.layout().sensors)
    fmt::print("sensor {} in {}\n", sensor.name, sensor.frame);
  double worst = 0.0;
  for (const auto& robot : scene.robots)
    worst = std::max(worst, compare_engines(robot.description, 20, 1).worst());
  const bool holds = worst <= kParityBound;
  fmt::print("{}: the engines agree {} {:.0e}\n", scene.name, holds ? "within" : "NOT within",
             kParityBound);
  json["kind"] = "scene";
  json["name"] = scene.name;
  json.update({{"robots", scene.robots.size()},
               {"objects", scene.objects.size()},
               {"fixtures", scene.fixtures.size()},
               {"belts", scene.belts.size()},
               {"kinematics", scene.kinematics.size()},
               {"cameras", scene.cameras.size()},
               {"views", scene.views.size()}});
  json["groups"] = Json::array();
  for (const auto& group : plant.layout().groups)
    json["groups"].push_back(
        {{"name", group.name}, {"size", group.size()}, {"rate", group.rate.hz()}});
  json["sensors"] = Json::array();
  for (const auto& sensor : plant.layout().sensors)
    json["sensors"].push_back({{"name", sensor.name}, {"frame", sensor.frame}});
  json["engines"] = {{"agree", holds}, {"bound", kParityBound}, {"worst", worst}};
  return holds ? kHolds : kDoesNotHold;
}

// what a log of the app holds, and what judges, metrics and exports may name
void print_channels(const Session& session, Json& json) {
  const auto& channels = session.channels().channels();
  std::size_t width = 0;
  for (const auto& info : channels) width = std::max(width, info.name.size());
  fmt::print("\n{:<{}}  {:<8} {:>4}  {:<7} {:>9}  what\n", "channel", width, "type", "size", "unit",
             "rate");
  json["channels"] = Json::array();
  for (const auto& info : channels) {
    const auto& words = info.type == ChannelType::kChoice ? info.choices : info.labels;
    fmt::print("{:<{}}  {:<8} {:>4}  {:<7} {:>9}  {}{}{}\n", info.name, width, name_of(info.type),
               info.size, info.unit, info.rate.text(), info.doc,
               info.doc.empty() || words.empty() ? "" : ": ", joined(words));
    json["channels"].push_back({{"name", info.name},
                                {"type", name_of(info.type)},
                                {"size", info.size},
                                {"unit", info.unit},
                                {"rate", info.rate.hz()},
                                {"doc", info.doc},
                                {"labels", words}});
  }
  fmt::print(
      "{} channels; a log has each {} times a second, with --full at every tick; a pose is x y z "
      "[m] and a quaternion x y z w\n\n",
      channels.size(), kRecordRate.hz());
}

int check_app(const std::filesystem::path& path, const CheckOptions& options, const Parts& parts,
              Json& json) {
  const App app = load_app(path, parts);
  // a check connects to nothing: the simulation of the scene stands in
  SessionOptions how;
  if (!app.plants.empty()) how.plant = std::make_unique<MujocoPlant>(app.scene);
  Session session(app, std::move(how));
  for (const auto& line : own_before_shipped(app.scene)) fmt::print("{}\n", line);
  fmt::print("app '{}': scene '{}', {} s at a base tick of {} us\n", app.name, app.scene.name,
             app.duration, session.base_period() / 1000);
  const auto robots = robots_of(app.plants, app.scene);
  for (std::size_t p = 0; p < app.plants.size(); ++p)
    fmt::print("plant {}: {}, drives {}{}\n", app.plants[p].first, app.plants[p].second.driver.name,
               robots[p].empty() ? "no robot" : joined(robots[p]),
               app.plants[p].second.clock ? ", is the clock" : "");
  const std::string whole_arm = app.arms_controller ? app.arms_controller->name
                                : app.whole_arm     ? "quadratic program"
                                                    : "";
  std::vector<std::string> groups;
  if (session.arms_controller() != nullptr) groups = session.arms_controller()->groups();
  if (!whole_arm.empty())
    fmt::print("whole-arm controller: {}, commands {}\n", whole_arm, joined(groups));
  for (const auto& [group, part] : app.controllers) fmt::print("{}: {}\n", group, part.name);
  for (const auto& [source, part] : app.sources) fmt::print("source {}: {}\n", source, part.name);
  for (const auto& judge : session.judges().texts()) fmt::print("{}\n", judge);
  for (const auto& machine : session.machines()) fmt::print("{}", machine.text());
  if (options.channels) print_channels(session, json);
  fmt::print("{}: valid\n", app.name);
  json.update({{"kind", "app"},
               {"name", app.name},
               {"scene", app.scene.name},
               {"duration", app.duration},
               {"base_period_ns", session.base_period()}});
  for (const char* kind : {"plants", "controllers", "sources"}) json[kind] = Json::object();
  for (std::size_t p = 0; p < app.plants.size(); ++p)
    json["plants"][app.plants[p].first] = {{"driver", app.plants[p].second.driver.name},
                                           {"robots", robots[p]},
                                           {"clock", app.plants[p].second.clock}};
  json["whole_arm"] = nullptr;
  if (!whole_arm.empty()) json["whole_arm"] = {{"controller", whole_arm}, {"groups", groups}};
  for (const auto& [group, part] : app.controllers) json["controllers"][group] = part.name;
  for (const auto& [source, part] : app.sources) json["sources"][source] = part.name;
  json["judges"] = session.judges().texts();
  json["machines"] = Json::array();
  for (const auto& machine : session.machines()) json["machines"].push_back(machine.text());
  return kHolds;
}

int print_schema(const std::string& what, const Parts& parts) {
  const std::pair<const char*, std::function<Description()>> schemas[] = {
      {"app", [&] { return app_description(parts); }},
      {"scene", scene_description},
      {"robot", robot_yaml_description},
      {"limits", limits_yaml_description},
      {"study", [&] { return study_description(parts); }}};
  for (const auto& [name, description] : schemas)
    if (what == name || what.empty()) fmt::print("{}\n", describe(description()));
  if (what.empty() || std::ranges::any_of(schemas, [&](const auto& s) { return what == s.first; }))
    return kHolds;
  throw InputError(
      fmt::format("there is no schema '{}'; there are app, scene, robot, limits, study", what));
}

// The top-level keys tell what a YAML file is.
int check_file(const std::filesystem::path& path, const CheckOptions& options, const Parts& parts,
               Json& json) {
  refuse_robot_description(path);
  const Node root = load_tree(path);
  if (root.kind() == Node::Kind::kObject) {
    if (root.find("scene")) return check_app(path, options, parts, json);
    if (options.channels) throw InputError(kChannelsAreOfApps);
    if (root.find("kind") && root.find("model")) return check_folder(path.parent_path(), json);
    if (root.find("rate") && root.find("joints")) return check_folder(path.parent_path(), json);
  }
  return check_scene(path, json);
}

int check_one(const std::string& what, const CheckOptions& options, const Parts& parts,
              Json& json) {
  const std::filesystem::path path(what);
  if (is_log(path)) {
    json["kind"] = "log";
    if (options.episodes) return check_episodes(path, json);
    return check_log(path, options.repair, json);
  }
  if (!options.repair.empty())
    throw InputError(
        fmt::format("--repair is for logs (.mcap), and {} is none; leave it out", what));
  if (options.episodes)
    throw InputError(
        fmt::format("--episodes is for logs (.mcap), and {} is none; leave it out", what));
  if (std::filesystem::is_directory(path)) {
    if (options.channels) throw InputError(kChannelsAreOfApps);
    return check_folder(path, json);
  }
  if (std::filesystem::exists(path)) return check_file(path, options, parts, json);
  // by name, from anywhere
  for (const char* kind : {"robots", "scenes", "apps"}) {
    const auto folder = data_folder() / kind / path;
    if (std::filesystem::is_directory(folder)) return check_folder(folder, json);
    if (const auto yaml = folder.string() + ".yaml"; std::filesystem::exists(yaml))
      return check_file(yaml, options, parts, json);
  }
  throw InputError(fmt::format("{}: no such file, folder, robot, scene or app", what));
}

int check(const CheckOptions& options, const Parts& parts) {
  if (options.schema) {
    if (!options.json.empty())
      throw InputError("--json is of what is checked, and --schema checks nothing; leave one out");
    if (options.what.empty()) return print_schema("", parts);
    for (const auto& what : options.what) print_schema(what, parts);
    return kHolds;
  }
  if (options.what.empty())
    throw InputError("check what? Name robot folders, scenes, apps or logs, or ask for --schema");
  if (!options.repair.empty() && options.what.size() > 1)
    throw InputError(
        fmt::format("--repair is for one log, and {} things are to be checked; repair "
                    "them one by one",
                    options.what.size()));
  if (!options.repair.empty() && options.episodes)
    throw InputError("--repair and --episodes are two things to do with a log; leave one out");
  const OutputOption outputs[] = {{"--repair", options.repair}, {"--json", options.json}};
  check_outputs(outputs);
  int worst = kHolds;
  Json all = Json::array();
  for (const auto& what : options.what) {
    Json json = {{"path", what}, {"kind", nullptr}};
    int code = kBadInput;
    try {
      code = check_one(what, options, parts, json);
      json["holds"] = code == kHolds;
    } catch (const std::exception& error) {
      // the others are checked all the same
      std::fflush(stdout);
      const bool input = dynamic_cast<const InputError*>(&error) != nullptr;
      fmt::print(stderr, "{}{}\n", input ? "" : "handspan: ", error.what());
      json["holds"] = false;
      json["error"] = error.what();
    }
    if (&what != &options.what.back()) fmt::print("\n");
    worst = std::max(worst, code);
    all.push_back(std::move(json));
  }
  if (!options.json.empty())
    write_json({{"holds", worst == kHolds}, {"checked", std::move(all)}}, options.json);
  return worst;
}

}  // namespace

void add_check(CLI::App& cli, Action& action) {
  auto options = std::make_shared<CheckOptions>();
  CLI::App* command =
      cli.add_subcommand("check", "Validate robot and tool folders, scenes, apps and logs");
  command->add_option(
      "WHAT", options->what,
      "robots/fr3, scenes/hold.yaml, apps/hold.yaml, run.mcap, several of them; the exit "
      "code is the worst; with --schema: app, scene, robot, limits or study");
  command->add_option("--repair", options->repair, "write a repaired copy of a log to OUT")
      ->type_name("OUT");
  command->add_option("--json", options->json, "write what was found to FILE")->type_name("FILE");
  command->add_flag_callback("--force", allow_overwriting, kForceDoc);
  command->add_flag("--channels", options->channels,
                    "of apps: the channels of their logs, with type, size, unit and rate");
  command->add_flag("--episodes", options->episodes,
                    "of logs: what moves in each episode, its parts, and whether it can be learnt "
                    "from; else exit code 1");
  command->add_flag("--schema", options->schema, "print the documentation of the keys instead");
  command->callback([options, &action] {
    action = [options](const Parts& parts) { return check(*options, parts); };
  });
}

}  // namespace handspan
