#include "teleop/teleop_parts.hpp"

#include "teleop/base_jog.hpp"
#include "teleop/hand.hpp"
#include "teleop/jog.hpp"
#include "teleop/joint_jog.hpp"
#include "teleop/pose_stream.hpp"
#include "teleop/ride.hpp"

namespace handspan {

void register_teleop(Parts& parts) {
  SourceRegistry& sources = parts.of<SourceRegistry>();
  MappingRegistry& mappings = parts.of<MappingRegistry>();
  register_mappings(mappings);
  register_hand(sources, mappings);
  register_jog(sources);
  register_base_jog(sources);
  register_joint_jog(sources);
  register_pose_stream(sources);
  register_ride(sources);
}

}  // namespace handspan
