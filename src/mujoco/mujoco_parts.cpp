#include "mujoco/mujoco_parts.hpp"

#include "core/object.hpp"
#include "mujoco/mujoco_plant.hpp"
#include "plant/plants.hpp"

namespace handspan {
namespace {

struct MujocoConfig {};

}  // namespace

void register_mujoco(Parts& parts) {
  parts.of<PlantRegistry>().add(
      kMujoco, object<MujocoConfig>("MujocoPlant"), "the scene, simulated by MuJoCo",
      [](const MujocoConfig&, const PlantContext& context) {
        return std::make_unique<MujocoPlant>(context.scene, context.robots);
      });
}

}  // namespace handspan
