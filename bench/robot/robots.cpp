#include "bench/robot/robots.hpp"

#include <fmt/format.h>

#include <random>
#include <stdexcept>

namespace handspan {

BenchRobot::BenchRobot(const std::filesystem::path& path)
    : folder(load_robot_folder(path)), model(folder.description) {
  std::mt19937_64 random(1);
  const auto uniform = [&](double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random);
  };
  for (int s = 0; s < kStates; ++s) {
    RobotState state;
    state.q = model.neutral();
    state.v = state.vdot = state.tau = Eigen::VectorXd::Zero(model.nv());
    for (const auto& slot : model.joints()) {
      const JointLimits& limits = *folder.limits.find(slot.name);
      state.q[slot.q] = uniform(limits.lower, limits.upper);
      state.v[slot.v] = uniform(-1.0, 1.0) * limits.velocity;
      state.vdot[slot.v] = uniform(-1.0, 1.0) * limits.acceleration;
      state.tau[slot.v] = uniform(-1.0, 1.0) * limits.torque;
    }
    states.push_back(std::move(state));
  }
}

void expect_same(const std::string& figure, const Eigen::Ref<const Eigen::MatrixXd>& ours,
                 const Eigen::Ref<const Eigen::MatrixXd>& peer, double tolerance) {
  const double error = (ours - peer).cwiseAbs().maxCoeff(),
               most = tolerance * (1.0 + peer.cwiseAbs().maxCoeff());
  // written so that NaN fails too
  if (!(error <= most))
    throw std::runtime_error(
        fmt::format("{}: ours and the peer's result differ by {:.3g}", figure, error));
}

}  // namespace handspan
