#pragma once
// An app: one YAML file that says what runs. Its keys grow with the systems;
// each is documented by the schema that validates it.
#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "control/controller.hpp"
#include "control/whole_arm.hpp"
#include "core/parts.hpp"
#include "core/schema.hpp"
#include "device/devices.hpp"
#include "plant/plants.hpp"
#include "reference/reference.hpp"
#include "scene/scene.hpp"
#include "session/arm_watch.hpp"
#include "session/judge.hpp"
#include "session/machine.hpp"
#include "session/random_goals.hpp"

namespace handspan {

struct PictureConfig {
  std::string view;  // empty: the scene's first
  std::array<int, 2> size = {1600, 900};
};

/// virtual: as fast as it goes; wall: in step with the clock; plant: when the plant has observed.
enum class ClockKind { kVirtual, kWall, kPlant };
/// What a recording holds: default or every channel at every tick.
enum class RecordExtent { kDefault, kFull };

/// References of tasks that hold one thing between them.
struct HoldTogether {
  Place place;
  std::vector<std::string> tasks;
};

struct App {
  std::string name;
  std::filesystem::path file;
  std::vector<std::filesystem::path> files;  // all that were read: app, scene, robots
  Scene scene;
  double duration = 10.0;  // [s] of simulated time
  std::vector<std::pair<std::string, ControllerRegistry::Part>>
      controllers;                                            // by group: "left.arm"
  std::optional<WholeArmConfig> whole_arm;                    // of other groups
  std::optional<ArmsRegistry::Part> arms_controller;          // in its place
  std::vector<RandomGoalsConfig> goals;                       // of the whole-arm controller's tasks
  std::uint64_t seed = 0;                                     // of everything random
  std::vector<std::pair<std::string, DeviceConfig>> devices;  // by name
  std::vector<std::pair<std::string, SourceRegistry::Part>> sources;        // by name
  std::vector<std::pair<std::string, ReferenceRegistry::Part>> references;  // by task
  std::vector<ReferenceRegistry::Part> reference_kinds;  // as they are without limits of the app
  std::vector<HoldTogether> hold_together;
  std::vector<std::pair<std::string, MachineConfig>> machines;  // by name
  Judges::Configs judges;                                       // by name
  WatchConfig watch;
  PlantConfigs plants;  // none: the scene is simulated
  ClockKind clock = ClockKind::kVirtual;
  RecordExtent record = RecordExtent::kDefault;
  PictureConfig picture;
};

/// Reads an app, its scene and robots. What it is made of is looked up in `parts`, which may go
/// afterwards: the app keeps what it needs.
/// @throws ConfigError or InputError with file, place, cause and hint; among them controllers of
/// groups that do not exist
App load_app(const std::filesystem::path& file, const Parts& parts);

/// The same when the files of its scene differ in numbers only (scene/scene_numbers.hpp), without
/// loading robots and compiling: they are taken from `from`, its scene as it was before, which is
/// without them afterwards, also when this throws. @throws ConfigError as load_app(), but for
/// bodies that start in one another, which MujocoPlant::renumber() finds
App reload_app(const std::filesystem::path& file, const Parts& parts, Scene& from);

/// Documentation of the app schema, with what `parts` has now.
Description app_description(const Parts& parts);

}  // namespace handspan
