#pragma once
// What `handspan new` writes: a scene, an app and a README around one robot. Texts only; new.cpp
// puts them on the disk and tries which of them run.
#include <optional>
#include <string>
#include <vector>

#include "scene/robot_folder.hpp"

namespace handspan {

/// What collision constraints keep the arm from: itself and what it stands beside, the latter
/// alone, nothing.
enum class Apart { kAll, kPedestal, kNothing };

/// What of a workspace is chosen by trying.
struct WorkspacePlan {
  std::string name;  // of scene and app, and of their files
  std::string robot, tool;
  double reach = 0.0;                // of the hand's frame from the base [m]; 0: unknown
  std::optional<double> box_angle;   // of the box about the base's z [rad]; none: no box
  std::optional<Eigen::VectorXd> q;  // at the start; none: the robot's first named pose
  std::string hand;                  // frame that is moved, without the robot's name
  bool turns_hand = true;            // pose, not position alone: six joints or more
  Apart apart = Apart::kAll;
  bool measured = false;                     // feedback; else the commanded state
  std::optional<Eigen::Vector3d> shown_way;  // that the hand goes and comes back [m]; none: holds
};

/// Frames of the robot or tool that a hand may be, the best first: tcp, the mount, the last one,
/// the last body.
std::string hand_frame(const RobotFolder& robot, const RobotFolder* tool);

std::string workspace_scene(const WorkspacePlan& plan, const RobotFolder& robot);
std::string workspace_app(const WorkspacePlan& plan, const RobotFolder& robot,
                          const RobotFolder* tool);
/// @param own the robot's folder is in the workspace
std::string workspace_readme(const WorkspacePlan& plan, bool own);

}  // namespace handspan
