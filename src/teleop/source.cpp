#include "teleop/source.hpp"

#include "teleop/hand.hpp"
#include "teleop/jog.hpp"
#include "teleop/joint_jog.hpp"
#include "teleop/pose_stream.hpp"

namespace handspan {

SourceRegistry& sources() {
  static SourceRegistry registry = [] {
    SourceRegistry built_in("source");
    register_hand(built_in);
    register_jog(built_in);
    register_joint_jog(built_in);
    register_pose_stream(built_in);
    return built_in;
  }();
  return registry;
}

}  // namespace handspan
