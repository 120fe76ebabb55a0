#include "bench/plant/scenes.hpp"

#include <fmt/format.h>

namespace handspan {
namespace {

constexpr const char* kFr3Free = R"(
name: fr3_free
robots:
  arm: {robot: fr3, tool: plate, pose: ready}
)";

// The arms stand face to face with their pads upright, 0.5 mm from the box, and press it.
constexpr const char* kTwoFr3Box = R"(
name: two_fr3_box
contact:
  pairs:
    - {materials: [pad, cardboard], friction: 1.0, time_constant: 0.01, impedance: [0.95, 0.99, 0.001]}
robots:
  left:
    robot: fr3
    tool: plate
    q: [0.0, -0.7853981633974483, 0.0, -2.356194490192345, 0.0, 3.141592653589793, 0.7853981633974483]
  right:
    robot: fr3
    tool: plate
    base: {position: [0.964781, 0.0, 0.0], rpy: [0.0, 0.0, 180 deg]}
    q: [0.0, -0.7853981633974483, 0.0, -2.356194490192345, 0.0, 3.141592653589793, 0.7853981633974483]
objects:
  box:
    pose: {position: [0.4823905, 0.0, 0.785282]}
    mass: 0.5
    shapes: [{type: box, size: [0.24, 0.29, 0.24], material: cardboard}]
)";

constexpr const char* kUr10Belt = R"(
name: ur10_belt_box
contact:
  pairs:
    - {materials: [belt, cardboard], friction: 0.6, time_constant: 0.01}
robots:
  arm: {robot: ur10, tool: vacuum, base: {position: [0.0, -0.4, 0.909], rpy: [0.0, 0.0, -90 deg]}, pose: stance}
objects:
  box:
    pose: {position: [0.33, -1.2, 0.8975]}
    mass: 0.566
    shapes: [{type: box, size: [0.272, 0.155, 0.114], material: cardboard}]
belts:
  conveyor:
    pose: {position: [0.33, -1.9, 0.42], rpy: [0.0, 0.0, -90 deg]}
    size: [2.55, 1.0, 0.84]
    speed: 0.2
    material: belt
)";

constexpr const char* kPushedBox = R"(
name: pushed_box
physics: {{timestep: {} s}}
contact:
  default: {{friction: 0.3, time_constant: 0.01}}
objects:
  box:
    pose: {{position: [0.0, 0.0, 0.05]}}
    mass: 0.5
    shapes: [{{type: box, size: [0.1, 0.14, 0.1]}}]
fixtures:
  table:
    pose: {{position: [0.0, 0.0, -0.05]}}
    shapes: [{{type: box, size: [2.0, 1.0, 0.1]}}]
kinematic:
  pusher:
    shapes: [{{type: capsule, radius: 0.01, length: 0.04}}]
    motion:
      - {{time: 0.0 s, pose: {{position: [-0.061, 0.005, 0.05]}}}}
      - {{time: 10.0 s, pose: {{position: [0.439, 0.005, 0.05]}}}}
)";

}  // namespace

std::vector<PlantBench> plant_benches() {
  std::vector<PlantBench> benches(5);
  benches[0] = {"plant/fr3_free", kFr3Free, 0.001, 0.1, 0.0, 0.0, {}, 0.0};
  benches[1] = {"plant/two_fr3_box",
                kTwoFr3Box,
                0.001,
                0.0,
                30.0,
                0.5,
                {"left.pad_body", "right.pad_body"},
                30.0};
  benches[2] = {"plant/ur10_belt_box", kUr10Belt, 0.001, 0.1, 0.0, 0.5, {"conveyor"}, 0.0};
  benches[3] = {"plant/pushed_box",
                fmt::format(kPushedBox, 0.001),
                0.001,
                0.0,
                0.0,
                0.5,
                {"table", "pusher"},
                0.0};
  // quasistatic pushes by the ten thousand do not need the arms' step
  benches[4] = {"plant/pushed_box_4ms",
                fmt::format(kPushedBox, 0.004),
                0.004,
                0.0,
                0.0,
                0.5,
                {"table", "pusher"},
                200.0};
  return benches;
}

}  // namespace handspan
