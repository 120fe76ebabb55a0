#include "person/person_parts.hpp"

#include "person/person.hpp"
#include "person/thrown_hand.hpp"
#include "person/wild_hand.hpp"

namespace handspan {

void register_persons(Parts& parts) {
  DeviceRegistry& devices = parts.of<DeviceRegistry>();
  // filled by register_teleop(), before or after this
  register_person(devices, parts.of<MappingRegistry>());
  register_wild_hand(devices);
  register_thrown_hand(devices);
}

}  // namespace handspan
