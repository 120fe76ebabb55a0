#include "plant/plant_parts.hpp"

#include "core/object.hpp"
#include "plant/plants.hpp"
#include "plant/posed_plant.hpp"

namespace handspan {
namespace {

struct PosedConfig {};

}  // namespace

void register_plants(Parts& parts) {
  parts.of<PlantRegistry>().add("posed", object<PosedConfig>("PosedPlant"),
                                "robots that are where they are commanded to be: to look at them",
                                [](const PosedConfig&, const PlantContext& context) {
                                  return std::make_unique<PosedPlant>(context.scene,
                                                                      context.robots);
                                });
}

}  // namespace handspan
