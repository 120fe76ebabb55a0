#pragma once
// A URDF file as typed data, each element with its line, before anything is made of it. Only the
// text is judged here: XML, numbers, required attributes. What the elements say together is judged
// by check_urdf (urdf_check.hpp). Letters: L link, P parent link, J joint frame (which is the child
// link's), C centre of mass, G geometry.
#include <Eigen/Core>
#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.hpp"
#include "robot/description.hpp"

namespace handspan {

struct UrdfInertial {
  int line = 0;
  double mass = 0.0;                              // [kg]
  Placement X_LC;                                 // axes in which the tensor is written
  bool has_tensor = true;                         // false: I_C is not in the file
  Eigen::Matrix3d I_C = Eigen::Matrix3d::Zero();  // about the centre of mass, in C's axes [kg m^2]
};

enum class UrdfGeometryType { kBox, kSphere, kCylinder, kCapsule, kMesh };

struct UrdfGeometry {
  UrdfGeometryType type = UrdfGeometryType::kSphere;
  Eigen::Vector3d size =
      Eigen::Vector3d::Zero();  // box: edges; sphere: r; cylinder, capsule: r, length [m]
  std::string mesh;             // as the file names it
  Eigen::Vector3d scale = Eigen::Vector3d::Ones();  // of the mesh
};

struct UrdfCollision {
  int line = 0;
  std::string name;  // may be empty
  Placement X_LG;
  UrdfGeometry geometry;
};

struct UrdfLink {
  int line = 0;
  std::string name;
  std::optional<UrdfInertial> inertial;
  std::vector<UrdfCollision> collisions;
  std::optional<std::array<float, 4>> rgba;  // of the first visual that has a colour
};

struct UrdfLimit {
  int line = 0;
  std::optional<double> lower, upper;      // [rad or m]
  std::optional<double> effort, velocity;  // [N m or N], [rad/s or m/s]
};

struct UrdfMimic {
  int line = 0;
  std::string master;
  double multiplier = 1.0, offset = 0.0;
};

enum class UrdfJointType { kRevolute, kContinuous, kPrismatic, kFixed, kFloating, kPlanar };

struct UrdfJoint {
  int line = 0;
  std::string name;
  UrdfJointType type = UrdfJointType::kFixed;
  std::string parent, child;  // links
  Placement X_PJ;
  int axis_line = 0;
  std::optional<Eigen::Vector3d> axis;  // in J, as written
  std::optional<UrdfLimit> limit;
  std::optional<UrdfMimic> mimic;
  double damping = 0.0, friction = 0.0;  // [N m s/rad or N s/m], [N m or N]
};

struct UrdfRobot {
  std::string file;             // as messages name it
  int line = 0;                 // of <robot>
  std::string name;             // empty: the file has none
  std::vector<UrdfLink> links;  // in the file's order
  std::vector<UrdfJoint> joints;
  std::vector<std::string> notes;  // what the file has and is not read
};

/// Reads a URDF file. Numbers have a decimal point whatever the locale.
/// @throws ConfigError with every fault found: no such file, malformed XML, not a URDF, missing
/// attributes, numbers that are none or not finite, empty names, unknown joint types or shapes
UrdfRobot read_urdf(const std::filesystem::path& file);

/// The same from text; `file` names it in messages.
UrdfRobot parse_urdf(std::string_view xml, const std::string& file);

/// The same, with the faults of elements appended to `issues`: what is wrong with the robot can
/// then be said together with what is wrong with its text. @throws ConfigError only for what is no
/// URDF at all
UrdfRobot read_urdf(const std::filesystem::path& file, std::vector<Issue>& issues);
UrdfRobot parse_urdf(std::string_view xml, const std::string& file, std::vector<Issue>& issues);

/// The double that `text` spells in full, blanks around it aside: none when it is not a finite
/// decimal number with a point ("0,5", "1.0f", "inf", "").
std::optional<double> urdf_number(std::string_view text);

}  // namespace handspan
