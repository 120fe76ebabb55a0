#pragma once
// A scene: robots with tools, objects, fixtures, belts, kinematic bodies, cameras, and what happens
// when materials meet. load_scene.hpp reads and checks one, mujoco_scene.hpp makes MuJoCo of it.
#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/schema.hpp"
#include "robot/description.hpp"
#include "scene/robot_folder.hpp"

namespace handspan {

/// How two materials meet: Coulomb friction, and either a coefficient of restitution or a
/// compliance.
struct ContactLaw {
  double friction = 0.5;              // sliding, mu
  double torsional_friction = 0.0;    // [m], about the normal; 0: a point contact does not resist
  double rolling_friction = 0.0;      // [m]
  std::optional<double> restitution;  // e of a single impact, 0 to 0.95
  double stiffness = 4.0e4;           // with restitution: per unit of effective mass [1/s^2]
  double time_constant = 0.02;        // without: of the critically damped contact [s] (solref)
  double damping_ratio = 1.0;
  std::optional<double>
      friction_damping;  // how fast slip would decay [1/s]; none: as the normal's does.
                         // MuJoCo lifts what slides at v by friction * this * v
                         // [m/s^2], so that it hops; low values creep when at rest
  std::array<double, 3> impedance = {
      0.9, 0.95, 0.001};  // MuJoCo's solimp: at contact, at full width, width [m]
};

struct MaterialPair {
  std::string a, b;
  ContactLaw law;
};

enum class Integrator { kImplicitFast, kImplicit, kEuler, kRungeKutta };
enum class FrictionCone { kElliptic, kPyramidal };

/// MuJoCo's. Its thread pool is never used: it slows scenes of this size.
struct Physics {
  double timestep = 0.001;  // [s]
  Integrator integrator = Integrator::kImplicitFast;
  FrictionCone cone = FrictionCone::kElliptic;
  double friction_to_normal_impedance =
      100.0;  // MuJoCo's impratio: high, so that grips do not creep
  int iterations = 100;
  double tolerance = 1e-10;
  int noslip_iterations = 0;
  Eigen::Vector3d gravity = Eigen::Vector3d(0.0, 0.0, -9.81);  // [m/s^2]; may be zero
};

struct RobotInstance {
  std::string name;                          // prefix of all its names: "left" gives left.joint1
  std::string robot;                         // folder of robots/
  std::string tool;                          // folder of the tool on its mount; empty: none
  ModelDescription description;              // with tool, prefixed, placed in the world
  RobotLimits limits;                        // joint and body names prefixed
  std::vector<ActuatorGroup> groups;         // joint names prefixed
  std::vector<SensorDescription> sensors;    // of robot and tool, names and sites prefixed
  std::vector<SuctionDescription> suctions;  // likewise
  std::vector<std::pair<std::string, std::string>> ignored_pairs;
  std::vector<NamedPose> poses;
  bool maker_gravity_compensation = false;
  Eigen::VectorXd q_start;  // of the first group's joints (size of the group)
  std::vector<std::pair<std::string, double>> other_q_start;  // joints of other groups that a pose
                                                              // or q places [rad, m]
};

/// A rigid body of the scene that is not a robot.
struct SceneBody {
  std::string name;
  Placement X_WB;
  std::vector<Shape> shapes;                  // names NAME, NAME_1 ...
  Inertial inertial;                          // objects only
  std::vector<std::string> robots_only = {};  // of its shapes: touch shapes of robots, nothing else
};

/// What a belt's speed may be at most, either way, in a file and at run time [m/s].
inline constexpr double kMostBeltSpeed = 10.0;

/// A flat surface that moves along its own x axis: a conveyor.
struct Belt {
  SceneBody body;                                 // one box
  double speed = 0.0;                             // [m/s], settable while running
  std::optional<std::array<double, 2>> settable;  // by persons: lowest and highest [m/s]
};

/// A body that follows a given motion whatever pushes against it, and pushes with that motion's
/// velocity.
struct KinematicBody {
  SceneBody body;  // X_WB: its pose at the start
  struct Waypoint {
    double time = 0.0;  // [s]
    Placement X_WB;
  };
  std::vector<Waypoint> waypoints;  // moved through in straight lines at constant speed
};

/// The level plane on which everything ends that falls: all below it is solid.
struct Ground {
  double height = 0.0;   // of its surface in the world [m]
  std::string material;  // row of the table of material pairs; may be empty
};
/// Name of its shape; its body is the world.
inline constexpr char kGround[] = "ground";

struct CameraDescription {
  std::string name;
  Placement X_WC;  // x right, y down, z forward, as OpenCV has it
  std::array<int, 2> resolution = {640, 480};
  double fx = 600.0, fy = 600.0, cx = 320.0, cy = 240.0;  // [pixel]
  double rate = 30.0;                                     // [Hz]
  double latency = 0.0;                                   // [s]
};

struct View {
  std::string name;
  Eigen::Vector3d eye = Eigen::Vector3d::Zero(), target = Eigen::Vector3d::Zero();  // [m]
};

struct Scene {
  std::string name;
  std::filesystem::path file;
  Physics physics;
  ContactLaw default_law;
  std::vector<MaterialPair> pairs;
  std::vector<RobotInstance> robots;
  std::vector<SceneBody> objects;   // free bodies
  std::vector<SceneBody> fixtures;  // fixed in the world
  std::vector<Belt> belts;
  std::vector<KinematicBody> kinematics;
  std::optional<Ground> ground = Ground{};  // none: what falls falls for ever
  std::vector<CameraDescription> cameras;
  std::vector<std::pair<std::string, Placement>> frames;  // named poses in the world
  std::vector<View> views;

  const RobotInstance* robot(std::string_view name) const;
  /// The law of two materials: the table's row, in either order, or the default.
  const ContactLaw& law(const std::string& a, const std::string& b) const;
};

/// Bodies that start deeper in one another than this are an error [m].
inline constexpr double kDeepestStart = 1e-4;

/// What is simulated of a robot: its description with the lips of its cups as bodies of their own.
ModelDescription simulated_description(const RobotInstance& robot);

}  // namespace handspan
