// The keys of an arm in an app's file.
#include "control/arm_drive.hpp"
#include "core/object.hpp"
#include "core/values.hpp"

namespace handspan {

Schema<ArmConfig> arm_schema() {
  return object<ArmConfig>("Arm", "how an arm takes its state and is commanded")
      .optional("feedback", &ArmConfig::feedback,
                choice<Feedback>(
                    {{"measured", Feedback::kMeasured}, {"commanded", Feedback::kCommanded}}),
                "the state that is controlled; commanded: the controller's own, corrected slowly; "
                "left out: "
                "measured where torques drive the arm, commanded where velocities or positions do")
      .optional("law", &ArmConfig::law,
                choice<ArmLaw>({{"position", ArmLaw::kPosition},
                                {"velocity", ArmLaw::kVelocity},
                                {"torque", ArmLaw::kTorque}}),
                "left out: what the group's drive takes; torque-driven groups take all three")
      .optional("correction", &ArmConfig::correction, number("1/s").min(0).max(20),
                "commanded: with which the state follows what the servo model does not explain")
      .optional("servo_lag", &ArmConfig::servo_lag, number("s").min(0).max(1),
                "commanded: of the drive's first-order lag; left out: as the robot's folder says")
      .optional("servo_delay", &ArmConfig::servo_delay, integer().min(0).max(100),
                "ticks before a command acts; left out: as the robot's folder says")
      .optional("compensate_lag", &ArmConfig::compensate_lag, boolean(),
                "commanded, velocity- or position-driven: commands run ahead by lag and delay")
      .optional("tracking_stiffness", &ArmConfig::tracking_stiffness,
                number("1/s^2").min(0).max(1e5),
                "law torque, commanded: with which the arm follows the commanded state")
      .optional("tracking_damping", &ArmConfig::tracking_damping, number("1/s").min(0).max(1e3),
                "left out: critical")
      .optional("stiffness", &ArmConfig::stiffness, dynamic_vector("N m/rad").min(0),
                "law position, one a joint; left out: a fifth of the torque limit at 0.1 rad")
      .optional("damping", &ArmConfig::damping, dynamic_vector("N m s/rad").min(0),
                "laws position and velocity, one a joint; left out: critical at the start")
      .optional("velocity_filter", &ArmConfig::velocity_filter, number("s").min(0).max(1),
                "time constant by which measured velocities are smoothed, such as differences of "
                "encoder steps; 0: not at all")
      .optional("acceleration", &ArmConfig::acceleration, dynamic_vector("rad/s^2").above(0),
                "torque-driven: that control may ask of a joint, one a joint; left out: as "
                "limits.yaml says, which makers state for motions. What pushes needs more")
      .optional("friction", &ArmConfig::friction, dynamic_vector("N m").min(0),
                "torque-driven: dry friction that is compensated, one a joint; less than there is")
      .optional("friction_velocity", &ArmConfig::friction_velocity,
                number("rad/s").above(0).max(10), "over which the compensation changes sign")
      .optional(
          "max_force", &ArmConfig::max_force, number("N").above(0).max(1e5),
          "with which its tool may press, mean over 50 ms, by its wrist sensor or its drives' "
          "torques: more stops every arm; left out: 150 N where velocities or positions "
          "drive it, no limit where torques do")
      .optional("observer", &ArmConfig::observer, number("1/s").above(0).max(500),
                "torque-driven: bandwidth of the disturbance observer; left out: none")
      .optional("observer_share", &ArmConfig::observer_share, number().min(0).max(1),
                "of the torque limit that the observer may add");
}

}  // namespace handspan
