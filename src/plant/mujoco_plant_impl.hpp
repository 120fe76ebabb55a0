#pragma once
// What MujocoPlant hides; pictures and benches read it.
#include <algorithm>
#include <array>

#include "plant/drive.hpp"
#include "plant/mujoco_plant.hpp"
#include "plant/suction.hpp"
#include "scene/mujoco_scene.hpp"
#include "scene/mujoco_state.hpp"

namespace handspan {

struct MujocoPlant::Impl {
  Impl(const Scene& scene, std::vector<std::string> robots);

  // One joint of a group: where MuJoCo keeps it, and its servo's gains.
  struct Joint {
    int qpos, qvel, actuator;
    double kp, kd;
  };
  struct Group {
    GroupDrive drive;
    std::vector<Joint> joints;
    Eigen::VectorXd q, stretch;  // scratch; torque limit / kp
  };
  struct Sensor {
    int force = 0, torque = 0, site = 0,
        body = 0;       // addresses in sensordata; the body beyond the sensor
    double mass = 0.0;  // of everything beyond it [kg]
    Eigen::Vector3d p_SC = Eigen::Vector3d::Zero();  // its centre of mass in the sensor's frame [m]
  };

  Joint joint_of(const std::string& name) const;
  bool drives(const std::string& robot) const { return std::ranges::count(driven, robot) > 0; }
  void rest_shown(std::size_t group);
  void note_shown_bias();
  void apply_commands();
  void move_kinematics();
  void observe();
  void observe_contacts();
  void observe_suctions();
  /// One step of physics, in pieces where a cup takes hold or lets go within it.
  void step();
  void step_piece(Nanoseconds from, Nanoseconds to);
  SuctionCup& cup(std::string_view name);           // throws std::out_of_range
  std::size_t object(std::string_view name) const;  // likewise; index of the scene's
  /// Poses and velocities of all bodies as they are now: after a step MuJoCo's are those of its
  /// beginning. The next step computes them again, so that a look changes nothing.
  void refresh();
  std::uint64_t fingerprint() const;
  int belt(std::string_view name) const;  // its geom; throws std::out_of_range
  void reset();
  Vector6d raw_wrench(const Sensor& sensor) const;
  template <class Archive>
  void archive(Archive& archive);

  const Scene& scene;
  const std::vector<std::string> driven;  // robots
  CompiledScene compiled;
  MjModelPtr model;
  MjDataPtr data;
  PlantLayout layout;
  std::vector<Group> groups;              // those with joints, in the layout's order
  std::vector<SuctionCup> suctions;       // the layout's groups after them
  std::vector<GroupLayout> shown_groups;  // that other plants drive
  std::vector<std::vector<Joint>> shown_joints;
  std::vector<Eigen::VectorXd> shown_bias;  // what they bore in the last step [N m]
  std::vector<Sensor> sensors;
  std::vector<Vector6d> tares;
  std::vector<int> belts;       // geoms
  std::vector<int> kinematics;  // joints
  std::vector<std::string> body_names;
  std::vector<std::pair<std::string, std::unique_ptr<std::pair<RobotModel, MujocoState>>>> robots;
  Observation observation;
  CommandFaults faults;
  std::vector<Contact> contacts;
  std::uint64_t contacts_left_out = 0;
  std::int64_t steps = 0;
  bool fresh = false;                     // refresh() has nothing to do
  std::vector<mjtNum> integration_state;  // scratch of snapshots
  std::uint64_t scene_print = 0;          // snapshots of other scenes are refused
};

}  // namespace handspan
