#pragma once
// A scene in which everything happens at once, and commands that vary: for snapshots, bits and
// heaps.
#include <cmath>

#include "plant_support.hpp"

namespace handspan::test {

/// A UR10 whose cup starts in touch with a box in the air (0.05 mm deep), an FR3 with a plate, a
/// moving belt with a parcel, a pusher against a box.
inline Scene busy_scene() {
  return scene_of(
      "robots:\n"
      // quick, since what it grabs falls
      "  picker: {robot: ur10, tool: vacuum, base: {position: [0, 0, 1]}, suction: {cup: "
      "{evacuation: "
      "{time_constant: 5 ms}}}}\n"
      "  arm: {robot: fr3, tool: plate, base: {position: [0, 3, 0]}}\n"
      "objects:\n"
      "  box:\n    pose: {position: [0.688, -0.164, 1.45715]}\n    mass: 0.5\n    shapes: [{type: "
      "box, size: [0.3, 0.3, 0.1]}]\n"
      "  parcel:\n    pose: {position: [3, 0, 0.05]}\n    mass: 0.5\n    shapes: [{type: box, "
      "size: [0.3, 0.2, 0.1]}]\n"
      "  can:\n    pose: {position: [0.2, -2, 0.1]}\n    mass: 0.3\n    shapes: [{type: cylinder, "
      "radius: 0.05, length: 0.2}]\n"
      "fixtures:\n"
      "  floor:\n    pose: {position: [0, -2, -0.1]}\n    shapes: [{type: box, size: [2, 2, "
      "0.2]}]\n"
      "belts:\n  belt: {pose: {position: [3, 0, -0.5]}, size: [4, 1, 1], speed: 0.5}\n"
      "kinematic:\n  pusher:\n    shapes: [{type: box, size: [0.1, 0.4, 0.2]}]\n    motion:\n"
      "      - {time: 0, pose: {position: [0, -2, 0.12]}}\n      - {time: 3, pose: {position: "
      "[0.6, -2, 0.12]}}\n");
}

/// The command of a step: slow waves, the cup on, now and then a number that is none.
inline void command_of(int step, Command& command) {
  for (std::size_t g = 0; g < command.groups.size(); ++g)
    for (Eigen::Index j = 0; j < command.groups[g].size(); ++j)
      command.groups[g][j] =
          0.05 * std::sin(0.01 * step + static_cast<double>(g) + 0.7 * static_cast<double>(j));
  command.groups.back().setOnes();
  if (step % 97 == 0) command.groups[0][2] = std::nan("");
}

inline void run_busy(MujocoPlant& plant, int from, int to) {
  Command command = Command::zero(plant.layout());
  for (int step = from; step < to; ++step) {
    command_of(step, command);
    plant.write(command);
    if (step % 100 == 50) plant.set_belt_speed("belt", 0.3 + 0.001 * step);
    plant.advance();
  }
}

}  // namespace handspan::test
