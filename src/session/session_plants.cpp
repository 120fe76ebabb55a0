#include "session/session_plants.hpp"

#include <utility>

#include "core/error.hpp"

namespace handspan {

std::unique_ptr<PlantSet> session_plants(const App& app, std::unique_ptr<Plant> given) {
  if (given) return PlantSet::of(std::move(given));
  if (app.plants.empty()) {
    if (app.clock == ClockKind::kPlant)
      throw ConfigError({{{app.file.string(), 0, 0},
                          "clock",
                          "is plant, and the app has the simulation only, which has no time of its "
                          "own",
                          "add plants with one that has clock: true, or say clock: wall"}});
    return nullptr;
  }
  auto set = make_plants(app.plants, app.scene);
  for (std::size_t p = 0; p < app.plants.size(); ++p) {
    const auto& [name, plant] = app.plants[p];
    if (set->members()[p].plant->simulated() || app.clock != ClockKind::kVirtual) continue;
    throw ConfigError(
        {{plant.place, "plants." + name,
          "is not a simulation, and the app's clock is virtual: commands would come as "
          "fast as they are computed",
          "say clock: wall, or clock: plant and clock: true here"}});
  }
  return set;
}

}  // namespace handspan
