#pragma once
// On what the figures were measured.
#include <string>

namespace handspan {

struct BenchMachine {
  std::string cpu;                // "AMD EPYC 9R14"
  int cores = 0;                  // that a program may run on
  std::string compiler, build;    // "GCC 12.2.0"; build type and flags
  std::string mujoco, pinocchio;  // versions
  double load = 0.0;              // mean number of running processes of the last minute
};

/// What cannot be found out reads "unknown".
BenchMachine this_machine();

}  // namespace handspan
