#pragma once
// Where a frame of an arm is and how it moves: as it was measured, or as control has it.
#include "math/pose.hpp"
#include "robot/model.hpp"

namespace handspan {

struct ArmFrame {
  Pose X_WE;
  Vector6d V_WE = Vector6d::Zero();  // linear, angular, in W [m/s, rad/s]
};

}  // namespace handspan
