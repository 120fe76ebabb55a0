#pragma once
// What observations come from and commands go to: a simulator now, real arms
// later. Commands go to actuator groups; everything is in SI, one value a joint. In a tick nothing
// allocates or throws.
#include <Eigen/Core>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/time.hpp"
#include "robot/model.hpp"
#include "scene/robot_folder.hpp"

namespace handspan {

enum class GroupKind { kTorque, kVelocity, kPosition, kSuction, kGripper };

struct GroupLayout {
  std::string name;                 // "left.arm"
  std::string robot;                // "left"
  std::vector<std::string> joints;  // "left.joint1" ...; suction: none
  GroupKind kind = GroupKind::kTorque;
  Rate rate;                         // at which it takes commands
  bool gravity_compensated = false;  // the plant itself adds gravity to torque commands
  std::optional<GripperDescription> gripper = {};  // of a gripper

  /// Values of a command: one a joint; suction: one, vacuum when above 0.5, else off, with blow-off
  /// unless below -0.5; gripper: those of a GripperCommand.
  Eigen::Index size() const { return kind == GroupKind::kGripper ? kGripperCommandSize : states(); }
  /// Values of each part of a GroupState: one a joint; suction: one.
  Eigen::Index states() const {
    return kind == GroupKind::kSuction ? 1 : static_cast<Eigen::Index>(joints.size());
  }
};

struct SensorLayout {
  std::string name;   // "left.wrist"
  std::string frame;  // in whose axes it reads
};

struct PlantLayout {
  Nanoseconds period = 0;  // between observations [ns]
  std::vector<GroupLayout> groups;
  std::vector<SensorLayout> sensors;  // force/torque
  /// @throws std::out_of_range naming the groups there are
  int group(std::string_view name) const;
};

struct GroupState {
  Eigen::VectorXd q;    // [rad, m]; suction: see CupState
  Eigen::VectorXd v;    // [rad/s, m/s]
  Eigen::VectorXd tau;  // of the drive [N m, N]
};

/// What a suction cup does, which its GroupState has in one value each of q, v and tau: here alone
/// is said which is which.
struct CupState {
  bool holds = false;   // q: 1, else 0
  double vacuum = 0.0;  // v: as a share of the full one
  double pull = 0.0;    // tau: as a share of what breaks it away
};
/// @param state of a group of kind kSuction
inline CupState cup_state(const GroupState& state) {
  return {state.q[0] > 0.5, state.v[0], state.tau[0]};
}
inline void set_cup_state(GroupState& state, const CupState& cup) {
  state.q[0] = cup.holds ? 1.0 : 0.0;
  state.v[0] = cup.vacuum;
  state.tau[0] = cup.pull;
}
/// Whether the command of a suction group is for vacuum; see GroupLayout::size().
inline bool asks_for_vacuum(double command) { return command > 0.5; }

/// States of a plant with a way back: recover().
enum class PlantStatus { kRunning, kReflex, kProtectiveStop, kPacketLoss };
/// "running", "reflex", "protective stop", "packet loss".
const char* name_of(PlantStatus status);

struct Observation {
  Nanoseconds stamp = 0;       // the source's own time
  std::uint64_t sequence = 0;  // the source's count: a gap is what was lost
  PlantStatus status = PlantStatus::kRunning;
  std::vector<GroupState> groups;
  std::vector<Vector6d> wrenches;  // one a sensor: force and torque that the surroundings exert on
                                   // the tool beyond the sensor, in the sensor's frame; tool weight
                                   // and tare subtracted [N, N m]
};

/// One vector a group, of its size. What a plant cannot take (a value that is not finite, beyond a
/// limit) it replaces by the last good or the nearest possible value and counts; see CommandFaults.
struct Command {
  std::vector<Eigen::VectorXd> groups;
  /// Zeros of the right sizes.
  static Command zero(const PlantLayout& layout);
};

struct CommandFaults {
  std::uint64_t not_finite = 0;    // commands of a group held at the last good one
  std::uint64_t clamped = 0;       // values cut at a torque, velocity or position limit
  std::uint64_t rate_limited = 0;  // torques cut at the torque rate
};

class World;

class Plant {
 public:
  static constexpr char kKind[] = "plant";

  virtual ~Plant() = default;
  /// The truth of the world that it simulates (plant/world.hpp), which lives as long as the plant.
  /// None: it knows none, like arms behind a line or a recording.
  virtual World* world() { return nullptr; }
  virtual const PlantLayout& layout() const = 0;
  /// The latest observation, from the start on; it stays as it is until the next advance(), poll()
  /// or wait(), and so do the sizes of what is in it.
  virtual const Observation& read() = 0;
  /// Latched: it acts from the group's next tick on, until the next write.
  virtual void write(const Command& command) = 0;
  /// Real plants: waits for the next observation, which is their clock; what was missed between
  /// shows in its sequence. Simulators: do not wait.
  /// @return false when there will be none: the connection is closed
  virtual bool wait() { return true; }
  /// Simulators: one period of physics. Others: nothing.
  virtual void advance() = 0;
  /// Real plants that are not waited for: what they observed last, if anything came since, is what
  /// read() gives from here on. Simulators: nothing.
  /// @param now time of the loop at which it will be used [ns]: a recording goes by it
  virtual void poll(Nanoseconds /*now*/) {}
  /// Whether it is a function of its start and its commands, and has snapshots: then it runs again
  /// in a replay. What others observe is recorded.
  virtual bool simulated() const { return false; }
  virtual const CommandFaults& faults() const = 0;
  /// Makes the present reading of a sensor its zero.
  virtual void tare(int sensor) = 0;
  /// Out of a reflex or stop, when the cause is gone. @return whether it runs again
  virtual bool recover() = 0;
  /// Everything that a run changes, as bytes, and back: the same inputs then give the same bits.
  /// Plants that are not simulated have nothing to put there.
  std::vector<std::byte> snapshot() const {
    std::vector<std::byte> bytes;
    snapshot(bytes);
    return bytes;
  }
  /// The same into a buffer, whose content goes; allocates nothing when it has room.
  virtual void snapshot(std::vector<std::byte>& into) const = 0;
  /// @throws InputError when the bytes are not a snapshot of this plant
  virtual void restore(std::span<const std::byte> bytes) = 0;
};

}  // namespace handspan
