#pragma once
// The plants of an app, by name: which type each is, which robots it drives, which one is the
// clock.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/parts.hpp"
#include "core/registry.hpp"
#include "plant/plant_set.hpp"
#include "scene/scene.hpp"

namespace handspan {

/// What a plant is made for.
struct PlantContext {
  std::string name;                 // in the app
  const Scene& scene;               // outlives the plant
  std::vector<std::string> robots;  // that it drives: scene_layout() has their groups and sensors
};

/// A factory connects to its arm: an InputError of it is reported at the plant's place.
using PlantRegistry = Registry<Plant, const PlantContext&>;

/// The type of plant that simulates the scene (mujoco/mujoco_parts.hpp).
inline constexpr char kMujoco[] = "mujoco";

struct PlantConfig {
  Place place;
  PlantRegistry::Part driver;
  std::vector<std::string> robots;  // of mujoco it may be empty: those that no other drives
  bool clock = false;               // the app's `clock: plant` waits for it
};

using PlantConfigs = std::vector<std::pair<std::string, PlantConfig>>;

/// Reads one plant: the keys of its type beside `robots` and `clock`.
Schema<PlantConfig> plant_schema(const Parts& parts);

/// What is wrong with the plants of a scene: a robot that two drive, one that none drives or that
/// is not there, two clocks or none. Empty without plants.
/// @param waits whether the app's clock is the plant
/// @param clock where that is said
std::vector<Issue> check_plants(const PlantConfigs& plants, const Scene& scene, bool waits,
                                const Place& clock);

/// The robots of each plant: those of `mujoco` too when it does not say them.
std::vector<std::vector<std::string>> robots_of(const PlantConfigs& plants, const Scene& scene);

/// All of them, united. @param scene outlives it. @throws ConfigError with the place of a plant
/// that cannot be made, InputError as PlantSet
std::unique_ptr<PlantSet> make_plants(const PlantConfigs& plants, const Scene& scene);

}  // namespace handspan
