#pragma once
// What makes a group of joints a gripper: where its jaws are shut and open, and how far apart they
// are between. Its users speak of widths [m] between the pads and forces [N] at each of them;
// joints are its own affair.
#include <Eigen/Core>
#include <optional>
#include <string>
#include <vector>

#include "core/schema.hpp"
#include "robot/description.hpp"
#include "robot/limits.hpp"

namespace handspan {

/// The place of a pad's face: a frame of the model, or a point of a body.
struct GripperPad {
  std::string frame, body;                             // one of them
  Eigen::Vector3d position = Eigen::Vector3d::Zero();  // in the body [m]
};

struct GripperDescription {
  Eigen::VectorXd closed, open;  // of the group's joints [rad, m]
  std::vector<GripperPad> pads;  // two, or none where all jaws slide
  double force = 0.0;            // largest, at each pad [N]
  double speed = 0.0;            // largest, of the width [m/s]
  double acceleration = 0.0;     // of the width [m/s^2]
  std::vector<double> widths;    // at even steps from closed to open [m], growing

  double shut() const { return widths.front(); }  // [m]
  double wide() const { return widths.back(); }   // [m]
  /// How far it is open: 0 closed, 1 open; the mean over its joints. Below 0 and above 1 beyond.
  double share(const Eigen::VectorXd& q) const;
  /// [m]. Beyond the ends it goes on as it does at them.
  double width(double share) const;
  double width(const Eigen::VectorXd& q) const { return width(share(q)); }
  /// The inverse.
  double share_of(double width) const;
  /// Of the width by the share [m].
  double slope(double share) const;
  /// Torque of joint \p j when each pad presses with \p force, the joints sharing the work
  /// [N m, N]: by virtual work, sum tau_j dq_j = force dwidth.
  double torque(int j, double force, double share) const;
  /// Force at each pad of torques that close it [N], the inverse.
  double force_of(const Eigen::VectorXd& tau, double share) const;
};

/// A command of a gripper: three values.
struct GripperCommand {
  double width = 0.0;  // to go to [m]; a narrower one than the gripper's own presses on
  double speed = 0.0;  // at most [m/s]
  double force = 0.0;  // at most, at each pad [N]
};
inline constexpr int kGripperCommandSize = 3;

/// As robot.yaml has it under a group's `gripper:`; force and speed may be left out.
struct GripperEntry {
  Place place;
  GripperDescription gripper;
  std::optional<double> force, speed;
};
Schema<GripperEntry> gripper_schema();

/// Finds widths, force, speed and acceleration of the gripper that \p joints are.
/// @return what is wrong with it, each with its hint; empty: it is complete
std::vector<std::pair<std::string, std::string>> complete(GripperDescription& gripper,
                                                          const GripperEntry& entry,
                                                          const std::vector<std::string>& joints,
                                                          const RobotLimits& limits,
                                                          const ModelDescription& description);

}  // namespace handspan
