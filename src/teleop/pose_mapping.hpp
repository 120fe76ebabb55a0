#pragma once
// How the motion of a tracked hand becomes the motion of an end effector: relative to where both
// were when the clutch closed. Frames: W world, V the tracking frame of the device, C what is
// tracked (controller, hand), E the end effector; 0 marks the clutch-in.
#include <Eigen/Core>
#include <string>
#include <vector>

#include "core/schema.hpp"
#include "math/pose.hpp"
#include "math/se3.hpp"

namespace handspan {

/// About which axes a turn of the hand turns the end effector.
enum class TurnAxes {
  kWorld,  // those of W: E turns as the hand is seen to turn
  kBody,   // its own: a turn about an axis of the hand is one about an axis of E
};
/// The word of a default, for the documentation of schemas (core/defaults.hpp).
inline std::string default_text(const TurnAxes& axes) {
  return axes == TurnAxes::kWorld ? "world" : "body";
}

struct PoseMapping {
  Eigen::Matrix3d R_WV = Eigen::Matrix3d::Identity();  // rotation                  (3 x 3)
  Eigen::Matrix3d R_EC = Eigen::Matrix3d::Identity();  // axes of the hand in E, for kBody
  Eigen::Vector3d scale = Eigen::Vector3d::Ones();     // of translation, along W's axes
  TurnAxes turn = TurnAxes::kWorld;
};

/// Where E is wanted for a hand at X_VC, from X_WE0 and X_VC0 at the clutch-in:
///   p_WE = p_WE0 + diag(scale) R_WV (p_VC - p_VC0)          (van Gorp 2022, 3.6; grab 3.22)
///   kBody:  R_WE = R_WE0 R_EC (R_VC0^T R_VC) R_EC^T         (van Gorp 2022, 3.7; grab 3.25)
///   kWorld: R_WE = R_WV (R_VC R_VC0^T) R_WV^T R_WE0
Pose map_pose(const PoseMapping& mapping, const Pose& X_WE0, const Pose& X_VC0, const Pose& X_VC);

/// Its velocity V_WE [m/s, rad/s] in W, for the hand's V_VC in V.
/// @param X_WE what map_pose() gave for X_VC
Vector6d map_velocity(const PoseMapping& mapping, const Pose& X_WE, const Pose& X_VC,
                      const Vector6d& V_VC);

/// How the tracking frame of a kind of device lies in W for an operator who faces W's x (or as
/// `words` say), by its name.
struct MappingPreset {
  std::string name;
  Eigen::Matrix3d R_WV = Eigen::Matrix3d::Identity();
  Eigen::Matrix3d R_EC = Eigen::Matrix3d::Identity();
  std::string words = "";  // for people
};
/// The word of a default, for the documentation of schemas (core/defaults.hpp).
inline std::string default_text(const MappingPreset& preset) { return preset.name; }

/// x right, y up, -z forward: the operator's forward is W's x.
MappingPreset webxr_mapping();
/// Of van Gorp 2022, (3.2), whose print has its two turns in the wrong order and sends up to down:
/// up is W's z, forward is -y (the toss), right is -x.
MappingPreset toss_mapping();
/// Of the grab thesis, (3.13), (3.15), (3.8): R_EC orders the controller's axes as its robot frame.
MappingPreset grab_mapping();

/// The presets that there are by name, in the order in which they were added (core/parts.hpp).
class MappingRegistry {
 public:
  /// @throws InputError when its name is taken or no identifier, or a matrix is no rotation
  void add(MappingPreset preset);
  /// @throws InputError, with the names there are, when there is none of that name
  const MappingPreset& find(const std::string& name) const;
  std::vector<std::string> names() const;
  /// "webxr: the operator's forward is W's x; ..."
  std::string words() const;
  /// What a preset is called in messages.
  std::string kind() const { return "mapping"; }

 private:
  std::vector<MappingPreset> presets_;
};

/// webxr, toss, grab.
void register_mappings(MappingRegistry& mappings);

/// The tracking frame in the robot's: `space` of a source.
struct SpaceConfig {
  MappingPreset preset = webxr_mapping();
  double yaw = 0.0;  // of the operator's space, about W's z, after the preset [rad]
};

/// Knows all presets that are there when something is read.
/// @param mappings outlives the schema: parts of a program stay in their place
Schema<SpaceConfig> space_schema(const MappingRegistry& mappings);

/// R_WV of a space, and its R_EC.
Eigen::Matrix3d rotation_of(const SpaceConfig& space);
Eigen::Matrix3d controller_axes_of(const SpaceConfig& space);

}  // namespace handspan
