#pragma once
// `offset` of replay_reference: how a demonstration is moved, with an object or by hand.
#include <optional>
#include <string>

#include "core/schema.hpp"
#include "log/logged_demonstration.hpp"
#include "log/replay_source.hpp"
#include "scene/scene.hpp"

namespace handspan {

struct ReplayOffsetConfig {
  std::optional<std::string> object;
  Eigen::Vector3d position = Eigen::Vector3d::Zero();  // [m]
  Eigen::Vector3d rpy = Eigen::Vector3d::Zero();       // [rad]
  std::optional<Eigen::Vector3d> about;                // p_W [m]
};

Schema<ReplayOffsetConfig> replay_offset_schema();

/// @param demonstration has the poses of the object
/// @throws InputError: the scene or the log has no such object, or nothing is simulated
ReplayOffset replay_offset(const ReplayOffsetConfig& config,
                           const LoggedDemonstration& demonstration, const Scene& scene,
                           const World* world);

}  // namespace handspan
