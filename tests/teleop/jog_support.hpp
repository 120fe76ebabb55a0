#pragma once
// What the tests of jogs share: a headset's sticks, an arm of a scene, and a source made from YAML.
#include <memory>
#include <string>

#include "control/control_parts.hpp"
#include "control/whole_arm.hpp"
#include "core/config.hpp"
#include "device/device_parts.hpp"
#include "device/devices.hpp"
#include "device/headset.hpp"
#include "mujoco/mujoco_plant.hpp"
#include "reference/source.hpp"
#include "support/parts.hpp"
#include "support/scenes.hpp"
#include "teleop/teleop_parts.hpp"

namespace handspan::test {

/// A turned arm with a post beside its tool.
inline const char* const kJogScene = R"(
robots:
  left: {robot: fr3, tool: plate, base: {rpy: [0.0, 0.0, 90 deg]}, pose: ready}
fixtures:
  post: {pose: {position: [0.0, 0.75, 0.4]}, shapes: [{type: box, size: [0.1, 0.1, 0.8]}]}
frames:
  bench: {position: [0.1, 0.4, 0.5], rpy: [0.0, 0.0, 30 deg]}
views:
  front: {eye: [3.0, 0.0, 0.5], target: [0.0, 0.0, 0.5]}
  top: {eye: [0.0, 0.0, 4.0], target: [0.0, 0.0, 0.0]}
)";

inline const char* const kJogArms = R"(
arms:
  left.arm: {feedback: commanded}
tasks:
  hand: {type: pose, frame: left.tcp, stiffness: 400}
  posture: {type: posture, robot: left, stiffness: 10, weight: 1.0e-4}
constraints:
  - {type: collision, pairs: [[left.pad_body, post], [left.plate, post], [left.link7, post]]}
)";

/// A device `pad` with a headset's axes and buttons, sampled every tick.
class JogPad {
 public:
  JogPad() {
    devices.add("pad",
                parse_yaml("driver: {type: headset}", "device",
                           handspan::device_schema(
                               parts_of<register_control, register_devices, register_teleop>())),
                1);
    for (std::size_t a = 0; a < headset_layout().axes.size(); ++a) sample.set_axis(a, 0.0);
    for (std::size_t b = 0; b < headset_layout().buttons.size(); ++b) sample.set_button(b, false);
  }
  void axis(const std::string& name, double value) {
    sample.set_axis(state().axis_index(name), value);
  }
  void button(const std::string& name, bool down) {
    sample.set_button(state().control(name).index, down);
  }
  const DeviceState& state() const { return devices.find("pad"); }
  /// The next tick, with a sample when the device is not silent.
  Moment tick() {
    moment.now += kSecond / 1000;
    ++moment.tick;
    sample.set_stamp(moment.now);
    if (!silent) devices.receive(moment, sample.input());
    devices.update(moment);
    return moment;
  }

  Devices devices;
  DeviceSample sample{"pad", headset_layout()};
  Moment moment;
  bool silent = false;
};

/// The source of this YAML.
inline std::unique_ptr<Source> source_of(const std::string& yaml, const SourceContext& context) {
  return parse_yaml(yaml, "jog.yaml",
                    parts_of<register_control, register_devices, register_teleop>()
                        .of<SourceRegistry>()
                        .schema())
      .make(context);
}

/// What reading or making it says; "no error" when all is well.
inline std::string source_error(const std::string& yaml, const SourceContext& context) {
  try {
    source_of(yaml, context);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

/// An arm of kJogScene that holds.
struct ArmRig {
  explicit ArmRig(const std::string& config = kJogArms)
      : scene(scene_of(kJogScene)),
        plant(scene),
        arms(parse_yaml(
                 config, "arms.yaml",
                 whole_arm_schema(parts_of<register_control, register_devices, register_teleop>())),
             scene, plant.layout(), kSecond / 1000),
        command(Command::zero(plant.layout())) {
    arms.start(plant.read());
  }
  void tick() {
    arms.update(plant.read(), ticks++, command);
    plant.write(command);
    plant.advance();
  }

  Scene scene;
  MujocoPlant plant;
  WholeArm arms;
  Command command;
  std::int64_t ticks = 0;
};

}  // namespace handspan::test
