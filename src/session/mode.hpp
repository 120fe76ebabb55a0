#pragma once
// What an app does in a state of its machine: hold, move, follow a source, grip ... Modes register
// by name with a schema; a new behaviour is most often a new source (teleop/source.hpp) and no new
// mode.
#include <memory>
#include <string>
#include <vector>

#include "control/whole_arm.hpp"
#include "core/registry.hpp"
#include "plant/plant.hpp"
#include "scene/scene.hpp"
#include "teleop/arbiter.hpp"
#include "teleop/devices.hpp"

namespace handspan {

/// Of an event's length.
using EventText = FixedText<166>;

class GraspWatch;
class Judges;
class MujocoPlant;

/// What a mode is made for, at set-up; everything outlives it.
struct ModeContext {
  std::string name;  // "MACHINE.STATE", and ".2" ... for the second of a state
  const Scene& scene;
  const PlantLayout& layout;
  WholeArm* arms = nullptr;  // none: the app has no whole-arm controller
  Arbiter& arbiter;
  const Devices& devices;
  MujocoPlant* simulation = nullptr;  // none: nothing is simulated, as in an open replay
  const Judges& judges;
  const GraspWatch& grasps;
};

/// A tick, for modes and conditions.
struct ModeMoment {
  const Moment& moment;
  Arbiter& arbiter;
  Command& manual;  // commands of groups that no controller has: suction, grippers
  EventList& events;
};

/// An outlet and a source that may have authority over it, by the arbiter's indices.
struct Following {
  int outlet = 0, source = 0;
  bool operator==(const Following&) const = default;
};

class Mode {
 public:
  virtual ~Mode() = default;
  Mode(const Mode&) = delete;
  Mode& operator=(const Mode&) = delete;
  Mode() = default;

  // in a tick; nothing allocates or throws

  virtual void enter(const ModeMoment& at) = 0;
  /// @return whether it has come to its end
  virtual bool update(const ModeMoment& at) = 0;

  /// In words, as `handspan check APP` prints it: "moves left_hand through 3 poses".
  virtual std::string text() const = 0;
  /// The references and groups that it drives, by name: nobody else may at the same time.
  virtual std::vector<std::string> drives() const = 0;
  /// Which sources it gives authority over which outlets.
  virtual std::vector<Following> follows() const { return {}; }
  /// What it waits for, for when it came to no end in time: "arm.cup does not seal: ...".
  virtual EventText waits_for(const ModeMoment&) const { return {}; }
  /// Whether what the state before began goes on in this one.
  virtual bool keeps() const { return false; }
  /// Everything that a run changes, besides what its sources say.
  virtual void state(StateArchive&) {}
};

using ModeRegistry = Registry<Mode, const ModeContext&>;

/// The modes of this process: the built-in ones, and those that a program added.
ModeRegistry& modes();

}  // namespace handspan
