#include "person/person_parts.hpp"

#include "person/held_pose.hpp"
#include "person/held_rates.hpp"
#include "person/person.hpp"
#include "person/thrown_hand.hpp"
#include "person/wild_hand.hpp"

namespace handspan {

void register_persons(Parts& parts) {
  DeviceRegistry& devices = parts.of<DeviceRegistry>();
  HeldDeviceRegistry& held = parts.of<HeldDeviceRegistry>();
  register_held_poses(held);
  register_held_rates(held);
  // the mappings are filled by register_teleop(), before or after this
  register_person(devices, parts.of<MappingRegistry>(), held);
  register_wild_hand(devices);
  register_thrown_hand(devices);
}

}  // namespace handspan
