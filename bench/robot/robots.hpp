#pragma once
// Robots and random states that the figures of robot/ share.
#include <Eigen/Core>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "robot/model.hpp"
#include "scene/robot_folder.hpp"

namespace handspan {

/// The robots of robots/ whose costs are reported.
inline const std::vector<std::string> kBenchRobots = {"fr3", "ur5", "ur10"};

struct RobotState {
  Eigen::VectorXd q, v, vdot, tau;  // (nv) each
};

struct BenchRobot {
  explicit BenchRobot(const std::filesystem::path& folder);
  RobotFolder folder;
  RobotModel model;
  std::vector<RobotState> states;  // kStates random ones within the limits

  static constexpr int kStates = 64;  // so many that a branch predictor does not learn one
};

/// @throws std::runtime_error naming the figure when the two differ by more than
/// `tolerance` (1 + |b|)
void expect_same(const std::string& figure, const Eigen::Ref<const Eigen::MatrixXd>& ours,
                 const Eigen::Ref<const Eigen::MatrixXd>& peer, double tolerance = 1e-12);

}  // namespace handspan
