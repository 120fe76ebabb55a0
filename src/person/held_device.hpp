#pragma once
// What a scripted person holds: how a movement of E that the person means becomes one of the thing
// in the hand, and what a sample then says. How the person moves is operator_model.hpp's; this
// knows no errors and no reactions. Two families: what is carried along (held_pose.hpp: headset,
// stylus), which has a reach, and what is deflected (held_rates.hpp: joystick, keys), which has
// none. A program of its own adds others to the HeldDeviceRegistry.
// Frames: W world, E what is moved, V the device's tracking frame, C what is held.
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/registry.hpp"
#include "device/device.hpp"
#include "device/device_state.hpp"
#include "person/sub_movement.hpp"
#include "teleop/pose_mapping.hpp"

namespace handspan {

/// How what is held is tracked; the last three as the source that follows it has them.
struct TrackingConfig {
  double rate = 90.0;       // [Hz]
  double jitter = 0.001;    // deviation of a sample's time [s]
  double resolution = 0.0;  // positions are multiples of it; 0: none [m]
  SpaceConfig space;
  TurnAxes turn = TurnAxes::kWorld;
  Eigen::Vector3d scale = Eigen::Vector3d::Ones();
};

/// Where a hand is and can get to, of what is carried along.
struct HandPlace {
  std::optional<Eigen::Vector3d> rest;  // where it is at first, in V [m]; none: beside the person
  double reach = 0.3;                   // it goes no farther from there [m]
  double turn_reach = 1.0;              // nor turns farther [rad]
};

/// What it is made for; the references outlive it.
struct HeldContext {
  const TrackingConfig& tracking;
  const HandPlace& place;
  std::size_t side = 0;  // of the hand: 0 left, 1 right
  double press = 0.08;   // an axis that is pressed takes so long from one end to the other [s]
};

/// "left", "right".
const char* name_of_side(std::size_t side);

/// Which hand holds what is held by one.
enum class HoldingHand : std::uint8_t { kLeft, kRight };
inline std::string default_text(const HoldingHand& hand) {
  return hand == HoldingHand::kLeft ? "left" : "right";
}
Schema<HoldingHand> holding_hand_schema();
inline bool holds(HoldingHand hand, std::size_t side) {
  return (hand == HoldingHand::kLeft) == (side == 0);
}

/// A fault for a name that two controls have.
std::optional<Fault> controls_named_twice(const std::vector<std::string>& axes,
                                          const std::vector<std::string>& buttons);

/// In one hand of the person. Both hands' have the same layout.
class HeldDevice {
 public:
  static constexpr char kKind[] = "held device";

  HeldDevice(const HeldContext& context, const DeviceLayout& layout);
  virtual ~HeldDevice() = default;
  HeldDevice(const HeldDevice&) = delete;
  HeldDevice& operator=(const HeldDevice&) = delete;

  // at set-up

  const DeviceLayout& layout() const { return layout_; }
  /// Whether this hand holds it: a joystick is held by one.
  virtual bool in_hand() const { return true; }
  /// A control of this hand that can be pressed, by its name: an index for what follows.
  /// @throws InputError with the names there are
  std::size_t control(const std::string& name);

  // movements, in a tick; nothing allocates or throws

  /// Whether it is carried along, within a reach. What is not has no place, and nowhere to go back.
  virtual bool has_reach() const = 0;
  virtual Pose rest() const { return {}; }
  virtual bool within_reach(const Pose& /*X_VC*/) const { return true; }
  /// How it moves for E to go by d_W: this map of it.
  virtual Eigen::Matrix3d way() const { return Eigen::Matrix3d::Identity(); }
  virtual Eigen::Vector3d way(const Eigen::Vector3d& d_W) const { return d_W; }
  /// How it turns for E to turn by phi_W (rotation vectors) from where both are.
  virtual Eigen::Vector3d turn(const Eigen::Vector3d& phi_W, const Pose& /*X_VC*/,
                               const Eigen::Matrix3d& /*R_WE*/) const {
    return phi_W;
  }
  /// The time that a movement by d_V and phi_V takes with it, when the person wants `time` [s].
  /// @param peak the largest rate of the way by the share of its time [m]
  virtual double time_of(const Eigen::Vector3d& /*d_V*/, const Eigen::Vector3d& /*phi_V*/,
                         double /*peak*/, double time) const {
    return time;
  }
  /// Whether it can go through points without a rest; what cannot goes to one after the other.
  virtual bool draws_curves() const { return true; }
  /// How fast E goes while something is held down for it to go by d_W; 0: nothing is [m/s].
  virtual double by_time(const Eigen::Vector3d& /*d_W*/) const { return 0.0; }
  /// What becomes of a movement that the person breaks off within `time` [s].
  virtual SubMovement stopped(const SubMovement& movement, Nanoseconds now, double time) const {
    return movement.stopped(now, time);
  }

  // controls, in a tick

  void set(const std::vector<std::size_t>& controls, bool down);
  bool settled(const std::vector<std::size_t>& controls) const;
  bool all_are(const std::vector<std::size_t>& controls, double value) const;
  bool any_axis(const std::vector<std::size_t>& controls) const;
  /// Fingers move for dt [s].
  void work(double dt);
  void release_all();
  /// As if nothing had ever been pressed.
  void reset();

  /// What this hand does to a sample. @param tremor of the hand [m]
  void write(const SubMovement& movement, const Eigen::Vector3d& tremor, Nanoseconds now,
             DeviceSample& sample) const;

 protected:
  const HeldContext& context() const { return context_; }
  /// Whether a control is one of this hand, and is not moved by movements.
  virtual bool offers(const Control& /*control*/) const { return true; }
  /// Poses, and what movements deflect.
  virtual void write_movement(const SubMovement& movement, const Eigen::Vector3d& tremor,
                              Nanoseconds now, DeviceSample& sample) const = 0;

 private:
  /// A control of the layout and where its value is going.
  struct Pressed {
    Control control;
    double value = 0.0, target = 0.0;
  };

  HeldContext context_;
  DeviceLayout layout_;
  std::vector<Pressed> pressed_;  // those that were asked for
};

using HeldDeviceRegistry = Registry<HeldDevice, const HeldContext&>;

}  // namespace handspan
