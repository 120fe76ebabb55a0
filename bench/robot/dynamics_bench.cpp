// Dynamics and kinematics of robot/ beside the same calls of Pinocchio on the same model.
#include <benchmark/benchmark.h>

#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/crba.hpp>
#include <pinocchio/algorithm/frames.hpp>
#include <pinocchio/algorithm/jacobian.hpp>
#include <pinocchio/algorithm/kinematics.hpp>
#include <pinocchio/algorithm/rnea.hpp>

#include "bench/figure.hpp"
#include "bench/robot/robots.hpp"
#include "robot/model_impl.hpp"

namespace handspan {
namespace {

namespace pin = pinocchio;
using RobotPtr = std::shared_ptr<const BenchRobot>;

// Calls `one` with one state after another and keeps what it returns from being optimised away.
template <class One>
std::function<void(int)> cycle(RobotPtr robot, One one) {
  return [robot = std::move(robot), one = std::move(one), s = std::size_t{0}](int calls) mutable {
    for (int c = 0; c < calls; ++c) {
      benchmark::DoNotOptimize(one(robot->states[s]).data());
      benchmark::ClobberMemory();
      s = (s + 1) % BenchRobot::kStates;
    }
  };
}

template <class Ours, class Peer>
Figure figure(const std::string& name, const std::filesystem::path& folder, Ours ours, Peer peer) {
  const auto make = [=] {
    const auto robot = std::make_shared<const BenchRobot>(folder);
    const auto data = std::make_shared<RobotData>(robot->model);
    const auto peer_data = std::make_shared<pin::Data>(robot->model.impl().model);
    const auto one = [=](const RobotState& s) -> const auto& { return ours(robot->model, *data, s); };
    const auto other = [=](const RobotState& s) -> const auto& { return peer(robot->model.impl().model, *peer_data, s); };
    for (const auto& state : robot->states) expect_same(name, one(state), other(state));
    return Workload{cycle(robot, one), cycle(robot, other), {}, 0};
  };
  Figure f;
  f.name = name;
  f.peer = "pinocchio";
  f.largest_ratio = kLargestLayer;
  f.make = make;
  return f;
}

}  // namespace

std::vector<Figure> dynamics_figures(const std::filesystem::path& root) {
  std::vector<Figure> figures;
  for (const auto& name : kBenchRobots) {
    const auto folder = root / "robots" / name;
    using State = const RobotState&;
    figures.push_back(figure(
        name + "/rnea", folder,
        [](const RobotModel& m, RobotData& d, State s) -> const auto& { return inverse_dynamics(m, d, s.q, s.v, s.vdot); },
        [](const pin::Model& m, pin::Data& d, State s) -> const auto& { return pin::rnea(m, d, s.q, s.v, s.vdot); }));
    figures.push_back(figure(
        name + "/crba", folder, [](const RobotModel& m, RobotData& d, State s) -> const auto& { return mass_matrix(m, d, s.q); },
        [](const pin::Model& m, pin::Data& d, State s) -> const auto& {
          pin::crba(m, d, s.q);
          // the line of Pinocchio's documentation: crba fills one half
          d.M.triangularView<Eigen::StrictlyLower>() = d.M.transpose().triangularView<Eigen::StrictlyLower>();
          return d.M;
        }));
    figures.push_back(figure(
        name + "/aba", folder,
        [](const RobotModel& m, RobotData& d, State s) -> const auto& { return forward_dynamics(m, d, s.q, s.v, s.tau); },
        [](const pin::Model& m, pin::Data& d, State s) -> const auto& { return pin::aba(m, d, s.q, s.v, s.tau); }));
    // poses, velocities, bias accelerations and Jacobians of all bodies
    figures.push_back(figure(
        name + "/jacobians", folder,
        [](const RobotModel& m, RobotData& d, State s) -> const auto& {
          update_kinematics(m, d, s.q, s.v);
          return d.impl().data.J;
        },
        [zero = std::make_shared<Eigen::VectorXd>()](const pin::Model& m, pin::Data& d, State s) -> const auto& {
          if (zero->size() != m.nv) zero->setZero(m.nv);
          pin::forwardKinematics(m, d, s.q, s.v, *zero);
          pin::computeJointJacobians(m, d);
          pin::updateFramePlacements(m, d);
          return d.J;
        }));
  }
  return figures;
}

}  // namespace handspan
