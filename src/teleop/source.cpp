#include "teleop/source.hpp"

#include "teleop/hand.hpp"
#include "teleop/jog.hpp"
#include "teleop/joint_jog.hpp"
#include "teleop/pose_stream.hpp"

namespace handspan {

const char* name_of(MotionKind kind) {
  constexpr const char* kNames[] = {"a pose", "joints", "a wrench"};
  return kNames[static_cast<std::size_t>(kind)];
}

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
