#include "study/stage.hpp"

#include "study/aim_stage.hpp"
#include "study/best_stage.hpp"
#include "study/first_order_stage.hpp"

namespace handspan {

StageRegistry& stages() {
  static StageRegistry registry = [] {
    StageRegistry built_in("stage");
    register_aim_stage(built_in);
    register_best_stage(built_in);
    register_first_order_stage(built_in);
    return built_in;
  }();
  return registry;
}

}  // namespace handspan
