#include "bench/machine.hpp"

#include <mujoco/mujoco.h>
#include <sched.h>

#include <cstdlib>
#include <fstream>
#include <pinocchio/config.hpp>

namespace handspan {
namespace {

std::string cpu_model() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const auto colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown";
}

// Those this process may use: in a container fewer than there are.
int usable_cores() {
  cpu_set_t set;
  return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
}

}  // namespace

Machine this_machine() {
  Machine machine;
  machine.cpu = cpu_model();
  machine.cores = usable_cores();
#ifdef __clang__
  machine.compiler = __VERSION__;
#else
  machine.compiler = "GCC " __VERSION__;
#endif
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
