#include "study/trial.hpp"

#include "study/cube_toss_trial.hpp"
#include "study/singular_trial.hpp"
#include "study/throws_trial.hpp"
#include "study/walls_trial.hpp"

namespace handspan {

TrialRegistry& trials() {
  static TrialRegistry registry = [] {
    TrialRegistry built_in("trial");
    register_cube_toss_trial(built_in);
    register_singular_trial(built_in);
    register_throws_trial(built_in);
    register_walls_trial(built_in);
    return built_in;
  }();
  return registry;
}

}  // namespace handspan
