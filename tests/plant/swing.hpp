#pragma once
// A robot of one joint, written to a folder: a bar that swings about y, with a mount at its end.
#include <string>

#include "support/scenes.hpp"

namespace handspan::test {

inline constexpr double kBarMass = 2.0,
                        kBarLength = 0.5;  // centre of mass at kBarLength below the joint at q = 0
inline constexpr double kBarInertia = 0.02;  // about the centre of mass

struct Swing {
  std::string drive = "torque";
  std::string joint;  // more attributes of the MJCF joint
  std::string rate = "1000";
  double torque = 40.0;
};

/// Writes the folder; scenes name it as "robot: PATH".
inline std::string write_swing(const TemporaryFolder& folder, const Swing& swing = {}) {
  folder.write(
      "swing/model.xml",
      "<mujoco model='swing'><compiler angle='radian' autolimits='true' "
      "inertiafromgeom='false'/><worldbody>"
      "<body name='stand'><inertial mass='5' pos='0 0 0' diaginertia='0.1 0.1 0.1'/>"
      "<body name='bar'><inertial mass='2' pos='0 0 -0.5' diaginertia='0.02 0.02 0.02'/>"
      "<joint name='hinge' type='hinge' axis='0 1 0' range='-6.4 6.4' " +
          swing.joint +
          "/>"
          "<geom name='bar' type='capsule' fromto='0 0 -0.1 0 0 -0.5' size='0.02' contype='1' "
          "conaffinity='1'/>"
          "<site name='flange' pos='0 0 -0.6' quat='0 1 0 0'/></body></body></worldbody></mujoco>");
  folder.write("swing/robot.yaml",
               "name: swing\nkind: robot\nmodel: model.xml\nlimits: limits.yaml\nmount: flange\n"
               "groups: [{name: arm, joints: [hinge], drive: " +
                   swing.drive + "}]\n");
  folder.write("swing/limits.yaml", "rate: " + swing.rate +
                                        "\njoints:\n  hinge: {position: [-6.3, 6.3], velocity: 10, "
                                        "acceleration: 100, braking: 100, "
                                        "jerk: 1000, torque: " +
                                        std::to_string(swing.torque) + ", torque_rate: 100}\n");
  return (folder.path() / "swing").string();
}

}  // namespace handspan::test
