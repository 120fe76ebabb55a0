#pragma once
// The scenes whose simulation is measured, and what moves in them.
#include <string>
#include <vector>

namespace handspan {

struct PlantBench {
  std::string name;                   // of the figure
  std::string yaml;                   // the scene; relative paths are meant from scenes/
  double step = 0.001;                // the scene's [s]
  double sway = 0.0;                  // amplitude of the joints' references [rad, rad/s]
  double push = 0.0;                  // with which each robot's tcp presses along its z [N]
  double settle = 0.0;                // simulated time before the measured episode [s]
  std::vector<std::string> touching;  // bodies that touch the box in most steps measured
  double least_real_time = 0.0;       // target; 0: none
};

/// FR3 free, two FR3 that hold a box between their pads, UR10 over a belt with a box, box pushed by
/// a kinematic rod. The body that is touched is named "box".
std::vector<PlantBench> plant_benches();

}  // namespace handspan
