#include "study/trial.hpp"

namespace handspan {

TrialRegistry& trials() {
  static TrialRegistry registry("trial");
  return registry;
}

}  // namespace handspan
