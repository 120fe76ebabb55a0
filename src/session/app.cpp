#include "session/app.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "core/config.hpp"
#include "core/files_read.hpp"
#include "core/suggest.hpp"
#include "scene/load_scene.hpp"

namespace handspan {

// The words of defaults, for the documentation of the schema (core/defaults.hpp).
static std::string default_text(const Located<ClockKind>& clock) {
  constexpr const char* kWords[] = {"virtual", "wall", "plant"};
  return kWords[static_cast<std::size_t>(clock.value)];
}
static std::string default_text(const RecordExtent& extent) {
  return extent == RecordExtent::kDefault ? "default" : "full";
}

namespace {

// `whole_arm` says the QP, or another controller by its type.
struct WholeArmKey {
  std::optional<WholeArmConfig> qp;
  std::optional<ArmsRegistry::Part> other;
};

Schema<WholeArmKey> whole_arm_key_schema(const Parts& parts) {
  const auto qp = whole_arm_schema(parts);
  const auto others = parts.of<ArmsRegistry>().schema();
  Description description = qp.description();
  if (!others.description().fields.empty())
    description.fields.push_back({"type", false, "left out: the QP",
                                  "another controller, which has keys of its own",
                                  others.shared_description()});
  return {[qp, others](const Node& node, Reader& reader) -> std::optional<WholeArmKey> {
            if (node.kind() == Node::Kind::kObject && node.find("type") != nullptr) {
              auto part = others.read(node, reader);
              return part ? std::optional(WholeArmKey{{}, std::move(part)}) : std::nullopt;
            }
            auto config = qp.read(node, reader);
            return config ? std::optional(WholeArmKey{std::move(config), {}}) : std::nullopt;
          },
          std::move(description)};
}

struct AppFile {
  std::string name;
  std::filesystem::path scene;
  double duration = 10.0;
  std::vector<std::pair<std::string, ControllerRegistry::Part>> controllers;
  std::optional<WholeArmKey> whole_arm;
  std::vector<RandomGoalsConfig> goals;
  std::uint64_t seed = 0;
  std::vector<std::pair<std::string, DeviceConfig>> devices;
  std::vector<std::pair<std::string, SourceRegistry::Part>> sources;
  std::vector<std::pair<std::string, ReferenceRegistry::Part>> references;
  std::vector<HoldTogether> hold_together;
  std::vector<std::pair<std::string, MachineConfig>> machines;
  Judges::Configs judges;
  WatchConfig watch;
  PlantConfigs plants;
  Located<ClockKind> clock = {ClockKind::kVirtual, {}};
  RecordExtent record = RecordExtent::kDefault;
  PictureConfig picture;
};

Schema<AppFile> app_schema(const Parts& parts) {
  const auto size =
      list(integer().min(16).max(3840)).size(2).map([](const std::vector<std::int64_t>& v) {
        return std::array<int, 2>{static_cast<int>(v[0]), static_cast<int>(v[1])};
      });
  const auto picture = object<PictureConfig>("Picture", "of the scene at the end")
                           .optional("view", &PictureConfig::view, text(),
                                     "a view of the scene; left out: its first")
                           .optional("size", &PictureConfig::size, size, "width, height [pixel]");
  return object<AppFile>("App", "an app of apps/: what runs")
      .required("name", &AppFile::name, text().identifier())
      .required("scene", &AppFile::scene, file())
      .optional("duration", &AppFile::duration, number("s").above(0), "of simulated time")
      .optional("controllers", &AppFile::controllers,
                dictionary(parts.of<ControllerRegistry>().schema()),
                "by actuator group (left.arm); a group without one is commanded zero")
      .optional("whole_arm", &AppFile::whole_arm, whole_arm_key_schema(parts),
                "one QP for the groups that it names; with `type`, a controller of that name")
      .optional("goals", &AppFile::goals, list(random_goals_schema()),
                "random goals of the whole-arm controller's tasks")
      .optional("seed", &AppFile::seed, integer().min(0), "of everything random")
      .optional("devices", &AppFile::devices, dictionary(device_schema(parts)),
                "what persons hold, by name; sources and conditions read them")
      .optional("sources", &AppFile::sources, dictionary(parts.of<SourceRegistry>().schema()),
                "what references may come from, by name; modes give them authority")
      .optional("references", &AppFile::references,
                dictionary(reference_schema(parts.of<ReferenceRegistry>())),
                "how fast the reference of a task may move, how far and how hard it may go, by "
                "task; `type` left out: pose")
      .optional(
          "hold_together", &AppFile::hold_together,
          list(
              located(list(text()).min_size(2)).map([](const Located<std::vector<std::string>>& l) {
                return HoldTogether{l.place, l.value};
              })),
          "lists of tasks whose references hold one thing between them: when one of them is "
          "no longer followed, the others hold with it")
      .optional("machines", &AppFile::machines, dictionary(machine_schema(parts)),
                "state machines that run side by side, by name")
      .optional("judges", &AppFile::judges, dictionary(parts.of<JudgeRegistry>().schema()),
                "what judges how something went, by name; the condition judged asks them")
      .optional("watch", &AppFile::watch, watch_schema(),
                "when what is measured of the arms stops them")
      .optional("plants", &AppFile::plants, dictionary(plant_schema(parts)),
                "what drives the robots, by name; left out, the whole scene is simulated")
      .optional("clock", &AppFile::clock,
                located(choice<ClockKind>({{"virtual", ClockKind::kVirtual},
                                           {"wall", ClockKind::kWall},
                                           {"plant", ClockKind::kPlant}})),
                "virtual: as fast as it goes; plant: in step with a plant that has clock: true")
      .optional("record", &AppFile::record,
                choice<RecordExtent>(
                    {{"default", RecordExtent::kDefault}, {"full", RecordExtent::kFull}}),
                "full: every channel at every tick")
      .optional("picture", &AppFile::picture, picture);
}

// what a file of an app says, with its scene: loaded, or made by somebody who knows better
App load(const std::filesystem::path& path, const Parts& parts,
         const std::function<Scene(const std::filesystem::path&)>& scene_of) {
  const FilesRead read;
  AppFile app_file = load_yaml(path, app_schema(parts));
  App app;
  app.name = std::move(app_file.name);
  app.file = path;
  app.duration = app_file.duration;
  app.picture = std::move(app_file.picture);
  app.controllers = std::move(app_file.controllers);
  if (app_file.whole_arm) {
    app.whole_arm = std::move(app_file.whole_arm->qp);
    app.arms_controller = std::move(app_file.whole_arm->other);
  }
  app.goals = std::move(app_file.goals);
  app.seed = app_file.seed;
  app.devices = std::move(app_file.devices);
  app.sources = std::move(app_file.sources);
  app.references = std::move(app_file.references);
  app.reference_kinds = reference_kinds(parts.of<ReferenceRegistry>());
  app.hold_together = std::move(app_file.hold_together);
  app.machines = std::move(app_file.machines);
  app.judges = std::move(app_file.judges);
  app.watch = app_file.watch;
  app.plants = std::move(app_file.plants);
  app.clock = app_file.clock.value;
  app.record = app_file.record;
  app.scene = scene_of(app_file.scene);
  app.files = read.files();

  std::vector<std::string> groups;
  for (const auto& robot : app.scene.robots) {
    for (const auto& group : robot.groups) groups.push_back(robot.name + "." + group.name);
    for (const auto& suction : robot.suctions) groups.push_back(suction.name);
  }
  std::vector<Issue> issues =
      check_plants(app.plants, app.scene, app.clock == ClockKind::kPlant, app_file.clock.place);
  for (const auto& [name, part] : app.controllers)
    if (!std::ranges::count(groups, name))
      issues.push_back({part.place, "controllers",
                        fmt::format("names the group '{}', which the scene does not have", name),
                        did_you_mean(name, groups, "it has")});
  if (app.whole_arm)
    for (const auto& [name, arm] : app.whole_arm->arms)
      for (const auto& [other, part] : app.controllers)
        if (name == other)
          issues.push_back(
              {part.place, "controllers",
               fmt::format("gives '{}' a controller, which whole_arm controls too", name),
               "name it in one of them"});
  for (const auto& [name, machine] : app.machines)
    for (Issue& issue : check_machine(machine, "machines." + name))
      issues.push_back(std::move(issue));
  if (!app.goals.empty() && !app.whole_arm)
    issues.push_back({{path, 0},
                      "goals",
                      "are for the tasks of the whole-arm QP, which is not there",
                      "add it or take them away"});
  if (!issues.empty()) throw ConfigError(std::move(issues));
  return app;
}

}  // namespace

App load_app(const std::filesystem::path& path, const Parts& parts) {
  return load(path, parts, load_scene);
}

App reload_app(const std::filesystem::path& path, const Parts& parts, Scene& from) {
  return load(path, parts, [&](const std::filesystem::path& file) {
    return renumbered_scene(load_tree(file), from);
  });
}

Description app_description(const Parts& parts) { return app_schema(parts).description(); }

}  // namespace handspan
