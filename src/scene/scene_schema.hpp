#pragma once
// What a scene file says, before names are resolved and robots are loaded: scene_schema.cpp reads
// it, scene.cpp puts it together.
#include "core/config.hpp"
#include "scene/joint_values.hpp"
#include "scene/mass_properties.hpp"
#include "scene/scene.hpp"

namespace handspan {

struct PoseEntry {
  Place place;
  Eigen::Vector3d position = Eigen::Vector3d::Zero();
  std::optional<Eigen::Vector3d> rpy;
  std::optional<Eigen::Quaterniond> quaternion;
  Placement placement() const;
};

enum class Touches { kEverything, kRobots };

/// What a mesh file encloses: the mass of an object is of this, whatever shapes touch for it.
struct MeshSolid {
  Place place;
  std::string file;
  PlacedSurface placed;
};

struct ShapeEntry {
  std::vector<Shape> shapes;  // a tray is several
  Touches touches = Touches::kEverything;
  std::optional<MeshSolid> solid;
};

struct RobotEntry {
  Place place;
  std::string robot;
  std::optional<std::string> tool;
  PoseEntry base;
  bool joint_friction = true;
  std::optional<Located<std::string>> pose;
  std::optional<Located<JointValues>> q;
  std::vector<std::pair<std::string, SuctionChanges>> suction;
};

struct BodyEntry {
  Place place;
  PoseEntry pose;
  std::vector<ShapeEntry> shapes;
  std::optional<double> mass;
  std::optional<Eigen::Vector3d> center_of_mass;
  std::optional<Eigen::Matrix3d> inertia;
};

struct BeltEntry {
  Place place;
  PoseEntry pose;
  Eigen::Vector3d size = Eigen::Vector3d::Zero();
  double speed = 0.0;
  std::optional<std::array<double, 2>> settable;
  std::string material = "belt";
};

struct WaypointEntry {
  double time = 0.0;
  PoseEntry pose;
};

struct KinematicEntry {
  Place place;
  std::vector<ShapeEntry> shapes;
  std::vector<WaypointEntry> motion;
};

struct CameraEntry : CameraDescription {
  PoseEntry pose;
  std::optional<double> fx, cx, cy;  // [pixel]
};

struct PairEntry {
  Place place;
  std::vector<std::string> materials;
  ContactLaw law;
};

template <class T>
using Named = std::vector<std::pair<std::string, T>>;

struct SceneFile {
  std::string name;
  Physics physics;
  ContactLaw default_law;
  std::vector<PairEntry> pairs;
  Named<RobotEntry> robots;
  Named<BodyEntry> objects;
  Named<BodyEntry> fixtures;
  Named<BeltEntry> belts;
  Named<KinematicEntry> kinematics;
  std::optional<Ground> ground = Ground{};
  Named<CameraEntry> cameras;
  Named<PoseEntry> frames;
  Named<View> views;
};

Schema<SceneFile> scene_schema();

}  // namespace handspan
