#include "control/controller.hpp"

#include "control/hold.hpp"

namespace handspan {

ControllerRegistry& controllers() {
  static ControllerRegistry registry = [] {
    ControllerRegistry built_in("controller");
    register_hold_controllers(built_in);
    return built_in;
  }();
  return registry;
}

}  // namespace handspan
