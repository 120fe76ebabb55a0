#pragma once
// Somebody's URDF or MJCF as a robot of ours: nothing in it is dropped, filled in or repaired
// without a word about it. What it becomes: import_write.hpp writes it as a folder of robots/.
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "import/hug_meshes.hpp"
#include "robot/description.hpp"
#include "robot/limits.hpp"
#include "scene/robot_folder.hpp"

namespace handspan {

/// Of an imported robot's folder, where its file had more around it than the robot.
inline constexpr char kSceneFile[] = "scene.yaml";

/// What becomes of meshes that collide.
enum class MeshShapes {
  kFit,    // shapes that cover and hug them (hug_meshes.hpp)
  kExact,  // their convex hull, its vertices in model.xml
  kNone,   // left out, with a note
};

/// How a base on wheels moves.
enum class BaseMotion {
  kPlanar,        // any way: omnidirectional wheels
  kDifferential,  // forward and turning: two driven wheels on one axle
};

/// What a person states where the file does not. Numbers in SI units, for every driven joint that
/// lacks them; those by joint hold whatever the file says.
struct ImportOptions {
  std::optional<std::string> name;  // of the robot, instead of the file's
  MeshShapes meshes = MeshShapes::kFit;
  std::map<std::string, std::filesystem::path> packages;  // of package://NAME/
  std::set<std::string> passive;                          // joints without a drive
  std::set<std::string> fixed;                            // joints that do not move
  std::optional<BaseMotion> base;                         // it drives about (import_base.hpp)
  std::optional<double> velocity, effort;                 // where missing or 0
  std::map<std::string, double> velocity_by_joint, effort_by_joint;
  std::optional<double> acceleration, braking, jerk, torque_rate;
  std::optional<std::string> mount;  // frame or body where a tool goes
  double rate = 1000.0;              // at which the robot takes commands [Hz]
  std::vector<std::pair<std::string, std::vector<std::string>>> groups;  // name, joints
  std::optional<Drive> drive;                 // of all groups, instead of handspan's default
  std::optional<std::filesystem::path> srdf;  // instead of one beside the file (import_srdf.hpp)
  ImportProgress progress;                    // covering meshes takes seconds
};

/// Limits of a driven joint, with the keys that the file did not give.
struct ImportedLimits {
  std::string joint;
  JointLimits limits;
  std::map<std::string, std::string> sources;  // key of limits.yaml -> where from, unless the file
};

struct ImportedRobot {
  std::string source;                  // file name, without folders
  std::filesystem::path srdf;          // that stands beside it; may be empty
  ModelDescription description;        // as read_mjcf reads it from what write_mjcf writes
  std::vector<ImportedLimits> limits;  // of driven joints, in the order of their coordinates
  std::vector<std::string> undriven;   // joints without limits: passive, mimic, floating, planar
  std::optional<std::string> mount;
  std::vector<std::string> rolling;   // frames that do not slip along their y axis
  std::vector<ActuatorGroup> groups;  // every driven joint in one of them; the first has the poses
  std::vector<NamedPose> poses;       // of the first group; ready is the first
  std::vector<std::pair<std::string, std::string>>
      ignored_pairs;  // by an SRDF or <exclude>, or shapes that overlap wherever they move
  std::vector<InertiaRepair> repairs;
  std::vector<Shape> surroundings;  // of an MJCF's world: fixtures of a scene with this robot
  std::optional<double> ground;     // its level plane's height [m]
  std::vector<std::string> notes;   // what was left out, assumed or normalised
  double rate = 1000.0;             // [Hz]
};

/// Reads a URDF. Links with mass or shapes become bodies, others frames of the body they are fixed
/// to; a link 'world' without mass is the world. What repair_urdf (urdf_repair.hpp) puts right is
/// noted. A link without <inertia> that is fixed to its parent is a point mass, and a repair. A
/// planar joint becomes NAME_x, NAME_y and NAME_yaw: two slides along the images of x and y under
/// the smallest rotation that takes z to its axis, and a turn about the axis.
/// @throws ConfigError with all faults of the file (urdf.hpp, urdf_check.hpp), InputError for
/// missing meshes and options
ImportedRobot import_urdf(const std::filesystem::path& file, const ImportOptions& options = {});

/// Reads an MJCF file as reduce() (import_reduce.hpp) says: limits from joint ranges, drive forces
/// from actuatorfrcrange or the joint's actuators. In a file with actuators, joints on which none
/// acts are not driven. MJCF has no velocity limits: options.velocity is needed unless all joints
/// are passive.
/// @throws ConfigError or InputError with cause and hint
ImportedRobot import_mjcf(const std::filesystem::path& file, const ImportOptions& options = {});

/// import_urdf or import_mjcf, by the file's root element (<robot>, <mujoco>).
ImportedRobot import_robot(const std::filesystem::path& file, const ImportOptions& options = {});

}  // namespace handspan
