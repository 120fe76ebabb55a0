#pragma once
// What moves arms so that tasks follow their references: the whole-arm QP (whole_arm.hpp), or
// another that is registered and that an app names, `whole_arm: {type: NAME, ...}`. handspan has
// one of these, a law on the level of velocities (velocity_law.hpp).
#include <cstdint>
#include <string>
#include <vector>

#include "control/task.hpp"
#include "core/channel.hpp"
#include "core/parameter_table.hpp"
#include "core/registry.hpp"
#include "core/state_archive.hpp"
#include "plant/plant.hpp"

namespace handspan {

class WholeArm;
struct Scene;

class ArmsController {
 public:
  static constexpr char kKind[] = "whole-arm controller";

  virtual ~ArmsController() = default;
  ArmsController(const ArmsController&) = delete;
  ArmsController& operator=(const ArmsController&) = delete;
  ArmsController() = default;

  /// The actuator groups that it commands, by name: "left.arm".
  virtual std::vector<std::string> groups() const = 0;
  /// Its tasks, which outlive nothing but it. A reference is made for each that says what kind it
  /// follows (Task::reference_kind()).
  virtual std::vector<Task*> all_tasks() = 0;
  /// Everything holds where it is; before the first tick.
  virtual void start(const Observation& observation) = 0;

  // in a tick; nothing allocates, locks or throws

  /// The first half of a base tick: what is observed. References move after it.
  virtual void observe(const Observation& observation, std::int64_t tick) = 0;
  /// The second half: writes the commands of the groups that are due.
  virtual void solve(Command& command) = 0;

  /// Adds what may be changed live.
  virtual void declare_parameters(ParameterTable&) {}
  virtual void declare(ChannelTable&, Rate) {}
  /// After solve(). @param stamp of the observation that was answered
  virtual void publish(ChannelTable&, Nanoseconds /*stamp*/) const {}
  /// After start().
  virtual void publish_start(ChannelTable&, Nanoseconds /*stamp*/) const {}
  /// Everything that a run changes.
  virtual void state(StateArchive&) = 0;
};

/// What a controller is made for; outlives it.
struct ArmsContext {
  const Scene& scene;
  const PlantLayout& layout;
  Nanoseconds base = 0;  // the loop's tick [ns]
};

using ArmsRegistry = Registry<ArmsController, const ArmsContext&>;

}  // namespace handspan
