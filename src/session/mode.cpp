#include "session/mode.hpp"

#include "session/modes.hpp"

namespace handspan {

ModeRegistry& modes() {
  static ModeRegistry registry = [] {
    ModeRegistry built_in("mode");
    register_modes(built_in);
    register_move_modes(built_in);
    register_grip_modes(built_in);
    register_operate_mode(built_in);
    register_wrench_modes(built_in);
    register_replay_reference(built_in);
    register_reset_scene_mode(built_in);
    return built_in;
  }();
  return registry;
}

}  // namespace handspan
