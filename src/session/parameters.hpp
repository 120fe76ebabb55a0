#pragma once
// What may be changed while a session runs, by name: "task.NAME.weight" (stiffness, damping),
// "payload.NAME.carried", "loop_closure.NAME.closed", "belt.NAME.speed"; and of
// what neither a controller nor a machine commands: "joint.NAME.position", "gripper.NAME.width".
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "control/whole_arm.hpp"
#include "plant/mujoco_plant.hpp"

namespace handspan {

/// A command that nobody gives but by hand.
struct ManualValue {
  std::string name;  // of the parameter
  const char* unit = "";
  double low = 0.0, high = 0.0;
  double* value = nullptr;  // of the session's
};

/// One of them, found once; valid as long as the arms and the simulation that it is of.
class Parameter {
 public:
  /// None when there is no such parameter. Allocates nothing. @param arms, simulation, scene none
  /// of the first two: it has none of their parameters
  static std::optional<Parameter> find(std::string_view name, WholeArm* arms,
                                       MujocoPlant* simulation, const Scene& scene,
                                       std::span<const ManualValue> manual);

  /// What the loop has now: in a ramp, where it is [the parameter's unit; 0 or 1 of what is carried
  /// or closed, between them in a ramp].
  double value() const;
  /// Along a ramp where there is one. @return false, and nothing changes, when it may not have that
  /// value
  bool set(double value) const;

 private:
  enum class Field : std::uint8_t {
    kWeight,
    kStiffness,
    kDamping,
    kCarried,
    kClosed,
    kBeltSpeed,
    kManual
  };

  Field field_ = Field::kWeight;
  Task* task_ = nullptr;
  WholeArm* arms_ = nullptr;
  MujocoPlant* simulation_ = nullptr;
  std::string_view of_;    // a payload's, a loop closure's or a belt's name
  std::size_t index_ = 0;  // of the payload or loop closure
  const ManualValue* manual_ = nullptr;
};

}  // namespace handspan
