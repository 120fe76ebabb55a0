#include "teleop/obstacles.hpp"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <algorithm>

#include "control/collision.hpp"
#include "core/error.hpp"
#include "core/object.hpp"
#include "core/values.hpp"
#include "math/se3.hpp"

namespace handspan {
namespace {

// l^2: what one joint of 1 cm lever arm does to E is trusted, less is not [m^2]
constexpr double kDamping = 1e-4;

// v may go against g by no more than `share` of what `wanted` did
template <class Part>
void slow(Part v, const Eigen::Vector3d& wanted, const Eigen::Vector3d& g, double share) {
  const double size = g.squaredNorm();
  if (size < 1e-12) return;
  const double excess = -g.dot(v) - share * std::max(0.0, -g.dot(wanted));
  if (excess > 0.0) v += excess / size * g;
}

}  // namespace

Obstacles::Obstacles(const SlowDownConfig& config, WholeArm& arms, const std::string& frame)
    : config_(config),
      arms_(&arms),
      frame_(arms.system().frame(frame)),
      J_(6, arms.system().mechanisms()[static_cast<std::size_t>(frame_.mechanism)].model->nv()),
      row_(J_.cols()),
      nearest_(config.from) {
  const auto mechanisms = arms.system().mechanisms().size();
  needed_.assign(mechanisms, false);
  for (const auto& mechanism : arms.system().mechanisms()) data_.emplace_back(*mechanism.model);
  for (const auto& constraint : arms.problem().constraints()) {
    const auto* collision = dynamic_cast<const Collision*>(constraint.get());
    if (collision == nullptr) continue;
    std::vector<BodyPair> pairs;
    for (const BodyPair& pair : collision->model().pairs())
      if (pair.robot_a == frame_.mechanism || pair.robot_b == frame_.mechanism) {
        pairs.push_back(pair);
        for (const int robot : {pair.robot_a, pair.robot_b})
          if (static_cast<std::size_t>(robot) < mechanisms)
            needed_[static_cast<std::size_t>(robot)] = true;
      }
    if (pairs.empty()) continue;
    Set& set = sets_.emplace_back();
    set.model = std::make_unique<DistanceModel>(collision->model().robots(), std::move(pairs));
    set.data = std::make_unique<DistanceData>(*set.model);
    for (const RobotData& data : data_) set.robots.push_back(&data);
    // the surroundings come last and do not move
    if (collision->robots().size() > mechanisms)
      set.robots.push_back(collision->robots()[mechanisms]);
  }
  if (sets_.empty())
    throw InputError(fmt::format(
        "no collision constraint of the whole-arm controller names a body of the robot of '{}': "
        "add one with the pairs to be kept apart, or leave the slow-down out",
        frame));
}

void Obstacles::slow_down(Vector6d& V_WE) {
  const auto m = static_cast<std::size_t>(frame_.mechanism);
  const RobotModel& model = *arms_->system().mechanisms()[m].model;
  RobotData& data = data_[m];
  for (std::size_t i = 0; i < data_.size(); ++i) {
    const MechanismState& s = arms_->state().mechanisms[i];
    if (needed_[i]) update_kinematics(*arms_->system().mechanisms()[i].model, data_[i], s.q, s.v);
  }
  frame_jacobian(model, data, frame_.frame, J_);
  const Matrix6d A = J_ * J_.transpose() + kDamping * Matrix6d::Identity();
  const Eigen::LLT<Matrix6d> solver(A);
  const Vector6d wanted = V_WE;
  nearest_ = config_.from;
  for (Set& set : sets_) {
    update_distances(*set.model, set.robots, *set.data, config_.from);
    for (std::size_t p = 0; p < set.model->pairs().size(); ++p) {
      const Distance& d = set.data->distances[p];
      if (d.shape_a < 0) continue;
      nearest_ = std::min(nearest_, d.distance);
      row_.setZero();
      distance_row(*set.model, static_cast<int>(p), d, frame_.mechanism, data, row_);
      Vector6d g;
      g.noalias() = J_ * row_.transpose();
      solver.solveInPlace(g);
      const double near =
          std::clamp((d.distance - config_.to) / (config_.from - config_.to), 0.0, 1.0);
      const double share = config_.slowest + near * (1.0 - config_.slowest);
      slow(V_WE.head<3>(), wanted.head<3>(), g.head<3>(), share);
      slow(V_WE.tail<3>(), wanted.tail<3>(), g.tail<3>(), share);
    }
  }
}

Schema<SlowDownConfig> slow_down_schema() {
  return object<SlowDownConfig>("SlowDown", "near what collision constraints keep apart")
      .optional("from", &SlowDownConfig::from, number("m").above(0).max(5),
                "nearer than this it slows down")
      .optional("to", &SlowDownConfig::to, number("m").min(0), "and at this is at its slowest")
      .optional("slowest", &SlowDownConfig::slowest, number().min(0).max(1), "of the full speed")
      .check(
          [](const SlowDownConfig& c) -> std::optional<Fault> {
            if (c.from > c.to) return std::nullopt;
            return Fault{"is not above 'to'", "it must be larger", "from"};
          },
          "from > to");
}

}  // namespace handspan
