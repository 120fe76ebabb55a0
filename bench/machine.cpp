#include "bench/machine.hpp"

#include <mujoco/mujoco.h>
#include <sched.h>

#include <cstdlib>
#include <pinocchio/config.hpp>

#include "core/build_info.hpp"

namespace handspan {
namespace {

// Those this process may use: in a container fewer than there are.
int usable_cores() {
  cpu_set_t set;
  return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
}

}  // namespace

BenchMachine this_machine() {
  BenchMachine machine;
  machine.cpu = cpu_model();
  machine.cores = usable_cores();
  machine.compiler = compiler();
  machine.build = HANDSPAN_BUILD;
#ifndef NDEBUG
  machine.build += ", with assertions";
#endif
  machine.mujoco = mj_versionString();
  machine.pinocchio = PINOCCHIO_VERSION;
  if (getloadavg(&machine.load, 1) != 1) machine.load = 0.0;
  return machine;
}

}  // namespace handspan
