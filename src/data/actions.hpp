#pragma once
// What a policy would command, as numbers: where each reference is to be at the end of a row, and
// the commands of grippers and the like that no reference moves. Not the torques: those are the
// controller's answer.
#include <Eigen/Core>
#include <string>
#include <vector>

#include "data/row_sampler.hpp"
#include "math/pose.hpp"

namespace handspan {

/// absolute: poses in W. relative: a pose in the axes of where the tool was measured at the row,
/// joints from their reference at the row; wrenches and commands stay absolute.
enum class ActionFrame { kAbsolute, kRelative };

/// A part of an action: 9 numbers of a pose (position, then the first two rows of its rotation
/// matrix, after Zhou et al., "On the Continuity of Rotation Representations", 2019), the joints of
/// a posture, 6 numbers of a wrench, or the command of a group.
struct ActionPart {
  enum class Kind { kPose, kJoints, kWrench, kCommand };
  std::string name;  // "left_hand", "left.gripper"
  Kind kind = Kind::kPose;
  std::string channel, unit;         // "reference.left_hand.pose"; of its elements, in SI
  std::vector<std::string> columns;  // "left_hand.x", ..., "left_hand.r12"
  std::size_t field = 0;             // of the reference or command
  std::size_t measured = 0;          // of a pose: the field of where the tool was measured
};

/// Those of a log: references that somebody had authority over in it, and commands of groups that
/// neither the whole-arm controller nor a controller of their own drives.
std::vector<ActionPart> action_parts(const RowSampler& sampler, const LogFile& log);

/// Position and the first two rows of the rotation.
using PoseNumbers = Eigen::Matrix<double, 9, 1>;
PoseNumbers pose_numbers(const Pose& X);
/// The pose of such numbers: the rows are made orthogonal again.
Pose pose_of(const PoseNumbers& numbers);

/// A channel's pose: x y z, then the quaternion x y z w.
Pose pose_of_channel(std::span<const double> values);

}  // namespace handspan
