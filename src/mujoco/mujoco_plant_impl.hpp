#pragma once
// What MujocoPlant hides; pictures and benches read it.
#include <algorithm>
#include <array>

#include "mujoco/mujoco_plant.hpp"
#include "mujoco/suction.hpp"
#include "plant/drive.hpp"
#include "plant/gripper_drive.hpp"
#include "scene/mujoco_scene.hpp"
#include "scene/mujoco_state.hpp"

namespace handspan {

struct MujocoPlant::Impl {
  Impl(const Scene& scene, std::vector<std::string> robots);

  // One joint of a group: where MuJoCo keeps it, its servo's gains, and where the gravity is that
  // the servo carries by its command.
  struct Joint {
    int qpos, qvel, actuator;
    double kp, kd;
    int load = -1;           // of loads; none: the joint takes torques, or MuJoCo carries it
    Eigen::Index index = 0;  // in it
  };
  // Gravity of a robot with torque-driven joints and servos: MuJoCo's own compensation is by body
  // and would take the weight off the torque-driven joints too.
  struct Load {
    std::size_t robot;  // of robots
    RobotData data;
    Eigen::VectorXd q, v, tau;  // of the whole robot, at the present q [N m]
    struct Follower {
      Eigen::Index joint, master;
      double multiplier;
    };
    std::vector<Follower> followers;  // mimic joints, those that follow others first
  };
  struct Group {
    GroupDrive drive;
    std::vector<Joint> joints;
    Eigen::VectorXd q, stretch;                // scratch; torque limit / kp
    std::optional<GripperDrive> gripper = {};  // instead of the drive
    Eigen::VectorXd kp = {};                   // of its servos
  };
  struct Sensor {
    int force = 0, torque = 0, site = 0,
        body = 0;       // addresses in sensordata; the body beyond the sensor
    double mass = 0.0;  // of everything beyond it [kg]
    Eigen::Vector3d p_SC = Eigen::Vector3d::Zero();  // its centre of mass in the sensor's frame [m]
  };

  Joint joint_of(const std::string& name) const;
  void add_load(const RobotInstance& robot);
  void find_loads();
  // what a drive's command makes of a target; loads are those of the present q
  double servo_effort(const Joint& joint, double q, double v) const {
    return joint.kp * q + joint.kd * v + carried(joint);
  }
  double carried(const Joint& joint) const {
    return joint.load < 0 ? 0.0 : loads[static_cast<std::size_t>(joint.load)].tau[joint.index];
  }
  bool drives(const std::string& robot) const { return std::ranges::count(driven, robot) > 0; }
  void rest_shown(std::size_t group);
  void note_shown_bias();
  void apply_commands();
  void command_drives(const Group& group);
  void move_kinematics();
  void observe();
  double implicit_part(const Joint& joint, double gained) const;
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
  std::vector<Group> groups;         // those with joints, in the layout's order
  std::vector<SuctionCup> suctions;  // the layout's groups after them
  std::vector<std::string> cup_names;
  std::vector<GroupLayout> shown_groups;  // that other plants drive
  std::vector<std::vector<Joint>> shown_joints;
  std::vector<Eigen::VectorXd> shown_bias;  // what they bore in the last step [N m]
  std::vector<Load> loads;
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
