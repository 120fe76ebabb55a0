#include "study/stage.hpp"

#include "study/aim_stage.hpp"
#include "study/attempts_stage.hpp"
#include "study/bands_stage.hpp"
#include "study/best_stage.hpp"
#include "study/first_order_stage.hpp"
#include "study/ratio_stage.hpp"

namespace handspan {

StageRegistry& stages() {
  static StageRegistry registry = [] {
    StageRegistry built_in("stage");
    register_aim_stage(built_in);
    register_attempts_stage(built_in);
    register_bands_stage(built_in);
    register_best_stage(built_in);
    register_first_order_stage(built_in);
    register_ratio_stage(built_in);
    return built_in;
  }();
  return registry;
}

}  // namespace handspan
