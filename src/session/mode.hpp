#pragma once
// What an app does in a state of its machine: hold, move, follow a source, grip ... Modes register
// by name with a schema; a new behaviour is most often a new source (reference/source.hpp) and no
// new mode.
#include <memory>
#include <string>
#include <vector>

#include "control/whole_arm.hpp"
#include "core/parameter_table.hpp"
#include "core/registry.hpp"
#include "device/devices.hpp"
#include "plant/plant.hpp"
#include "reference/arbiter.hpp"
#include "scene/scene.hpp"

namespace handspan {

/// Of an event's length.
using EventText = FixedText<166>;

class GraspWatch;
class Versions;
class Judges;
class World;

/// What a mode is made for, at set-up; everything outlives it.
struct ModeContext {
  std::string name;  // "MACHINE.STATE", and ".2" ... for the second of a state
  const Scene& scene;
  const PlantLayout& layout;
  WholeArm* arms = nullptr;  // none: the app has no whole-arm controller
  Arbiter& arbiter;
  const Devices& devices;
  World* world = nullptr;  // none: nothing is simulated, as in an open replay
  const Judges& judges;
  const GraspWatch& grasps;
  // live parameters: of tasks, sources and belts, and of the modes that were made before
  ParameterTable& parameters;
  Versions* versions = nullptr;  // of what questions read; null: nobody reads them
};

/// A tick, for modes and conditions.
struct ModeMoment {
  const Moment& moment;
  Arbiter& arbiter;
  Command& manual;  // commands of groups that no controller has: suction, grippers
  EventList& events;
};

/// A reference and a source that may have authority over it.
struct Following {
  ReferenceIndex reference;
  SourceIndex source;
  bool operator==(const Following&) const = default;
};

class Mode {
 public:
  static constexpr char kKind[] = "mode";

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
  /// Which sources it gives authority over which references.
  virtual std::vector<Following> follows() const { return {}; }
  /// What it waits for, for when it came to no end in time: "arm.cup does not seal: ...".
  virtual EventText waits_for(const ModeMoment&) const { return {}; }
  /// Whether what the state before began goes on in this one.
  virtual bool keeps() const { return false; }
  /// What of it may be changed live, at set-up: "mode.MACHINE.STATE." + its name.
  virtual void declare_parameters(PartParameters&) {}
  /// Everything that a run changes, besides what its sources say.
  virtual void state(StateArchive&) {}
};

using ModeRegistry = Registry<Mode, const ModeContext&>;

}  // namespace handspan
