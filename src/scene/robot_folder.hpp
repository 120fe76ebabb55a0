#pragma once
// A folder of robots/: model.xml, robot.yaml, limits.yaml, SOURCES.md. Robots are data.
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/schema.hpp"
#include "robot/description.hpp"
#include "robot/limits.hpp"
#include "scene/gripper.hpp"
#include "scene/suction.hpp"

namespace handspan {

enum class Drive { kTorque, kVelocity, kPosition };

/// Joints that are commanded together, and how the maker's drive behind them behaves.
struct ActuatorGroup {
  std::string name;
  std::vector<std::string> joints;
  Drive drive = Drive::kTorque;
  bool torque_rate = false;       // torque: its rate is limited as limits.yaml says
  double lag = 0.0;               // velocity, position: time constant of the first-order lag [s]
  int delay_ticks = 0;            // ticks of the robot's rate before a command acts
  double servo_frequency = 30.0;  // velocity, position: natural frequency of the joint servo [Hz]
  std::optional<GripperDescription> gripper;  // its joints are jaws: commanded by width and force
};

struct SensorDescription {
  std::string name;
  std::string type;  // force_torque
  std::string site;  // frame in which it reads; the load on its body is what it reads
};

struct InertiaRepair {
  std::string body, what, published, used, reason;
};

struct NamedPose {
  std::string name;
  Eigen::VectorXd q;                                        // one a joint of the first group
  std::vector<std::pair<std::string, double>> others = {};  // joints of other groups [rad, m]

  /// Where it puts the joint; none: it says nothing of it. @param first joints of the first group
  std::optional<double> of(const std::string& joint, const std::vector<std::string>& first) const;
};

enum class FolderKind { kRobot, kTool };

struct RobotFolder {
  std::filesystem::path path;
  std::string name;
  FolderKind kind = FolderKind::kRobot;
  ModelDescription description;
  RobotLimits limits;                // of tools: without joints
  std::optional<std::string> mount;  // frame where a tool goes
  std::vector<ActuatorGroup> groups;
  bool maker_gravity_compensation =
      false;  // the maker's controller adds gravity to torque commands
  std::vector<std::pair<std::string, std::string>> ignored_pairs;
  std::vector<NamedPose> poses;
  std::vector<SensorDescription> sensors;
  std::vector<SuctionDescription> suctions;
  std::vector<InertiaRepair> repairs;
  std::vector<std::string> notes;  // what the model file has and is not kept

  const NamedPose* pose(std::string_view name) const;
};

/// Reads and cross-checks a folder.
/// @throws ConfigError or InputError with file, place, cause and hint: a missing file, a joint
/// without limits or limits without a joint, a group of joints that do not exist, a position limit
/// beyond the mechanical stop, a torque limit beyond the drive's, a pose of the wrong size, outside
/// the limits, of a joint that no group has, or of some joints of a group only ...
RobotFolder load_robot_folder(const std::filesystem::path& folder);

/// The folder that `name` means in a scene: a path, or a folder of robots/ beside the scene's own,
/// or of the installed robots. @throws InputError naming the places looked at
std::filesystem::path find_robot_folder(const std::string& name, const std::filesystem::path& from);

/// Documentation of robot.yaml and limits.yaml.
Description robot_yaml_description();
Description limits_yaml_description();

}  // namespace handspan
