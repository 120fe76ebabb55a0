#pragma once
// What RobotModel and RobotData hide: included by model.cpp, and by tests and benches that call
// Pinocchio beside us.
#include <pinocchio/multibody.hpp>

#include "robot/model.hpp"

namespace handspan {

struct RobotModel::Impl {
  pinocchio::Model model;
  struct Mimic {
    int joint_q, joint_v, master_q, master_v;
    double multiplier, offset;
  };
  std::vector<Mimic> mimics;
  std::vector<FrameId> rollings;
};

struct RobotData::Impl {
  explicit Impl(const RobotModel& model);
  pinocchio::Data data;
  Matrix6Xd J;  // 6 x nv scratch of point and constraint rows
};

}  // namespace handspan
