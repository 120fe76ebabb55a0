#pragma once
// What `handspan check robots/NAME` finds out about a robot folder.
#include <string>
#include <vector>

#include "import/parity.hpp"
#include "scene/robot_folder.hpp"

namespace handspan {

struct BodyReport {
  std::string name;
  double mass = 0.0;                                    // [kg]
  Eigen::Vector3d principal = Eigen::Vector3d::Zero();  // principal moments, ascending [kg m^2]
  double triangle_slack = 0.0;  // (sum of the smaller two - largest) / sum; < 0: impossible
  bool repaired = false;        // robot.yaml says so
};

struct RobotReport {
  double mass = 0.0;               // [kg]
  double reach = 0.0;              // of end_frame() from the base's origin [m]
  std::string reach_frame;         // empty: no frame, no reach
  std::vector<BodyReport> bodies;  // those with mass
  Parity fixed, floating, planar;  // both engines, on each base
  bool parity_holds = false;       // all at most kParityBound
};

inline constexpr double kParityBound = 1e-12;

/// @param states compared on each base
RobotReport check_robot(const RobotFolder& folder, int states = 100);

/// Joints whose own friction and damping take much of their torque in motion: they stay behind
/// their command, unless it is slow or told of them. One text a joint.
std::vector<std::string> friction_notes(const RobotFolder& folder);

/// Where an arm ends: its mount; else the last frame that the last joint of its first group moves,
/// or that joint's body. Of what has no groups the last frame; empty: it has none.
std::string end_frame(const RobotFolder& folder);

/// Farthest that the frame gets from the world's origin [m]: the best of random configurations
/// within the limits, each improved joint by joint. A lower bound that is tight to about a
/// millimetre for arms.
double find_reach(const ModelDescription& description, const RobotLimits& limits,
                  const std::string& frame);

}  // namespace handspan
