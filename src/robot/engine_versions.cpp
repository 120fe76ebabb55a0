#include "robot/engine_versions.hpp"

#include <fmt/format.h>
#include <mujoco/mujoco.h>

#include <Eigen/Core>
#include <pinocchio/config.hpp>

namespace handspan {

std::map<std::string, std::string> engine_versions() {
  return {{"mujoco", mj_versionString()},
          {"pinocchio", PINOCCHIO_VERSION},
          {"eigen",
           fmt::format("{}.{}.{}", EIGEN_WORLD_VERSION, EIGEN_MAJOR_VERSION, EIGEN_MINOR_VERSION)}};
}

}  // namespace handspan
