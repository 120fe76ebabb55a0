#include "person/operator_model.hpp"

#include <algorithm>
#include <cmath>

namespace handspan {
namespace {

// no movement is shorter [s]
constexpr double kShortest = 0.12;
// to press or release takes the person this long to decide [s]
constexpr double kDecision = 0.05;

Eigen::Vector3d normal3(RandomStream& random) {
  Eigen::Vector3d n;
  for (int i = 0; i < 3; ++i) n[i] = random.normal();
  return n;
}

Nanoseconds later(Nanoseconds now, double time) {
  return now + std::llround(std::max(0.0, time) * 1e9);
}

}  // namespace

OperatorModel::OperatorModel(const OperatorConfig& config, std::uint64_t seed,
                             const std::string& name, const std::string& hand)
    : config_(config),
      endpoint_(config.endpoint / config.skill),
      slope_(config.slope / config.skill),
      decision_(kDecision / config.skill),
      timing_(config.timing / config.skill),
      let_go_(config.let_go / config.skill),
      mistiming_(config.mistiming / config.skill),
      own_(seed, name + "." + hand),
      shared_(seed, name + ".both"),
      tremor_(config.tremor, own_) {}

// nobody is faster than half of their reaction time
Nanoseconds OperatorModel::reaction(Nanoseconds now) {
  return later(now, std::max(0.5 * config_.reaction,
                             own_.normal(config_.reaction, config_.reaction_spread)));
}

Nanoseconds OperatorModel::touch_reaction(Nanoseconds now) {
  return later(now, std::max(0.5 * config_.touch_reaction,
                             own_.normal(config_.touch_reaction, config_.reaction_spread)));
}

Nanoseconds OperatorModel::hesitation(Nanoseconds now) {
  return later(now, own_.normal(decision_, timing_));
}

Nanoseconds OperatorModel::pause(Nanoseconds now, double time) {
  return later(now, own_.normal(time, timing_));
}

Nanoseconds OperatorModel::beginning(Nanoseconds now) {
  return later(now, std::abs(own_.normal(0.0, mistiming_)));
}

Eigen::Vector3d OperatorModel::gaze() { return config_.gaze * normal3(own_); }

Eigen::Vector3d OperatorModel::turn_gaze() { return config_.turn_gaze * normal3(own_); }

void OperatorModel::begin_together(std::uint64_t place) {
  // from the same place for both hands, whatever they drew before
  RandomState state = shared_.state();
  state.drawn = place;
  shared_.restore(state);
}

OperatorModel::Aim OperatorModel::err(const Eigen::Vector3d& way, double square,
                                      const Eigen::Vector3d& turn, RandomStream& random) const {
  const double distance = way.norm();
  const double along = random.normal(), turns = random.normal();
  Eigen::Vector3d across = normal3(random);
  if (distance > 0.0) across -= across.dot(way) / square * way;
  return {(1.0 + endpoint_ * along) * way + 0.5 * endpoint_ * distance * across,
          (1.0 + endpoint_ * turns) * turn, 0.0};
}

double OperatorModel::time_of(double length, double angle, double peak, const Goal& goal) const {
  return std::max(
      {kShortest, movement_time(length, 2.0 * goal.tolerance, config_.intercept, slope_),
       movement_time(angle, 2.0 * goal.turn_tolerance, config_.intercept, slope_),
       peak / std::min(config_.speed, goal.speed), kMinimumJerkPeak * angle / config_.turn_rate});
}

OperatorModel::Aim OperatorModel::aim(const Vector6d& error, const Goal& goal, bool together,
                                      double by_time) {
  const Eigen::Vector3d e = error.head<3>(), phi = error.tail<3>();
  const double distance = e.norm();
  RandomStream& random = noise(together);
  Aim aim = err(e, distance * distance, phi, random);
  if (by_time > 0.0 && distance > 0.0)
    aim.d_W += random.normal(0.0, timing_) * by_time / distance * e;
  aim.time = time_of(distance, phi.norm(), kMinimumJerkPeak * distance, goal);
  return aim;
}

OperatorModel::Aim OperatorModel::swing(const Eigen::Vector3d& way, const Eigen::Vector3d& turn,
                                        double speed, bool together) {
  Aim aim = err(way, way.squaredNorm(), turn, noise(together));
  aim.time = std::max(kShortest, kMinimumJerkPeak * way.norm() / speed);
  return aim;
}

Nanoseconds OperatorModel::let_go(Nanoseconds now, double time, double early, bool together) {
  return later(now, time + noise(together).normal(0.0, let_go_) - early);
}

}  // namespace handspan
