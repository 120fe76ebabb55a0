#include "plant/divergence.hpp"

#include <fmt/format.h>

#include <utility>

#include "plant/mujoco_plant_impl.hpp"

namespace handspan {

bool diverged(MujocoPlant* simulation) {
  return simulation != nullptr && simulation->read().status == PlantStatus::kProtectiveStop;
}

std::string divergence_of(MujocoPlant& simulation) {
  if (!diverged(&simulation)) return "";
  const mjModel& m = *simulation.impl().model;
  const mjData& d = *simulation.impl().data;
  // of the joint to which an entry of q or v belongs; an object's joint has the object's name
  const auto joint = [&](const int* address, int index) {
    int found = 0;
    while (found + 1 < static_cast<int>(m.njnt) && address[found + 1] <= index) ++found;
    const char* name = mj_id2name(&m, mjOBJ_JOINT, found);
    return std::string(name != nullptr ? name : "a joint");
  };
  const std::pair<int, const char*> kinds[] = {
      {mjWARN_BADQPOS, "position"}, {mjWARN_BADQVEL, "velocity"}, {mjWARN_BADQACC, "acceleration"}};
  for (const auto& [warning, what] : kinds) {
    if (d.warning[warning].number == 0) continue;
    return fmt::format("the {} of '{}' is not finite or too large", what,
                       joint(warning == mjWARN_BADQPOS ? m.jnt_qposadr : m.jnt_dofadr,
                             d.warning[warning].lastinfo));
  }
  // a snapshot keeps that it stopped, not what MuJoCo said
  return "a position or velocity is not finite or too large";
}

}  // namespace handspan
