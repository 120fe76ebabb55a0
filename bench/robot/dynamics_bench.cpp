// Dynamics and kinematics of robot/ beside the same calls of Pinocchio's packaged library on the
// same model. The library has them for Eigen::Ref. Compiled here for plain vectors instead, three
// of the four cost the same to 2 %; crba is some 15 % cheaper, but alone takes most of a minute to
// compile, so neither side does it.
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

struct StateRef {
  explicit StateRef(const RobotState& s) : q(s.q), v(s.v), vdot(s.vdot), tau(s.tau) {}
  Eigen::Ref<const Eigen::VectorXd> q, v, vdot, tau;
};

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

enum class Compared { kAll, kUpperHalf };

template <class Ours, class Peer>
Figure figure(const std::string& name, const std::filesystem::path& folder, Ours ours, Peer peer,
              Compared part = Compared::kAll) {
  const auto make = [=] {
    const auto robot = std::make_shared<const BenchRobot>(folder);
    const auto data = std::make_shared<RobotData>(robot->model);
    const auto peer_data = std::make_shared<pin::Data>(robot->model.impl().model);
    const auto one = [=](const RobotState& s) -> const auto& {
      return ours(robot->model, *data, s);
    };
    const auto other = [=](const RobotState& s) -> const auto& {
      return peer(robot->model.impl().model, *peer_data, StateRef(s));
    };
    for (const auto& state : robot->states) {
      const Eigen::MatrixXd a = one(state), b = other(state);
      if (part == Compared::kAll)
        expect_same(name, a, b);
      else
        expect_same(name, Eigen::MatrixXd(a.triangularView<Eigen::Upper>()),
                    Eigen::MatrixXd(b.triangularView<Eigen::Upper>()));
    }
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
        [](const RobotModel& m, RobotData& d, State s) -> const auto& {
          return inverse_dynamics(m, d, s.q, s.v, s.vdot);
        },
        [](const pin::Model& m, pin::Data& d, const StateRef& s) -> const auto& {
          return pin::rnea(m, d, s.q, s.v, s.vdot);
        }));
    figures.push_back(figure(
        name + "/crba", folder,
        [](const RobotModel& m, RobotData& d, State s) -> const auto& {
          return mass_matrix(m, d, s.q);
        },
        [](const pin::Model& m, pin::Data& d, const StateRef& s) -> const auto& {
          // half of the matrix: filling the other is a part of the layer's cost
          return pin::crba(m, d, s.q);
        },
        Compared::kUpperHalf));
    figures.push_back(figure(
        name + "/aba", folder,
        [](const RobotModel& m, RobotData& d, State s) -> const auto& {
          return forward_dynamics(m, d, s.q, s.v, s.tau);
        },
        [](const pin::Model& m, pin::Data& d, const StateRef& s) -> const auto& {
          return pin::aba(m, d, s.q, s.v, s.tau);
        }));
    // poses, velocities, bias accelerations and Jacobians of all bodies
    figures.push_back(figure(
        name + "/jacobians", folder,
        [](const RobotModel& m, RobotData& d, State s) -> const auto& {
          update_kinematics(m, d, s.q, s.v);
          return d.impl().data.J;
        },
        [](const pin::Model& m, pin::Data& d, const StateRef& s) -> const auto& {
          d.ddq.setZero();
          pin::forwardKinematics(m, d, s.q, s.v, Eigen::Ref<const Eigen::VectorXd>(d.ddq));
          pin::computeJointJacobians(m, d);
          pin::updateFramePlacements(m, d);
          return d.J;
        }));
  }
  return figures;
}

}  // namespace handspan
