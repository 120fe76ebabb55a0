#include "study/push_case.hpp"

#include <algorithm>
#include <cmath>

#include "math/minimum_jerk.hpp"
#include "study/session_lookup.hpp"

namespace handspan {
namespace {

// before it is pushed; the force rises and falls, lasts in between; then the arm comes back [s]
constexpr double kReady = 0.3, kRise = 0.5, kLasts = 1.5, kComesBack = 3.0;
// what moves less has no direction [m]
constexpr double kPushMoves = 1e-3;

// 0 to 1 and back
double share(double t) {
  return minimum_jerk(t / kRise) - minimum_jerk((t - kRise - kLasts) / kRise);
}

double angle_of(const Eigen::Vector3d& a, const Eigen::Vector3d& b) {
  return std::atan2(a.cross(b).norm(), a.dot(b));
}

}  // namespace

PushFigures push_arm(Session& session, const PushCaseConfig& config) {
  World& world = world_of(session);
  PlantArm arm(session, "arm", config.frame);
  StreamedHand hand(session);
  const int body = body_of(world, config.body);
  const double dt = seconds(session.base_period());
  const auto tick = [&] {
    hand.show(Eigen::Vector3d::Zero(), Eigen::Vector3d::Zero());
    session.tick();
    arm.look();
  };
  for (double t = 0.0; t < kReady; t += dt) tick();
  const Pose X = arm.X_WE();
  const Eigen::Vector3d p_elbow = arm.pose(config.elbow).p;
  const Eigen::Vector3d model =
      arm.acceleration_by(config.F_W, config.at).head<3>() / config.stiffness;
  PushFigures figures;
  figures.foreseen = model.norm();
  Eigen::Vector3d farthest = Eigen::Vector3d::Zero();
  for (double t = 0.0; t < 2.0 * kRise + kLasts + kComesBack; t += dt) {
    world.push(body, arm.pose(config.at).p, share(t) * config.F_W);
    tick();
    const Eigen::Vector3d d = arm.X_WE().p - X.p;
    if (d.norm() > farthest.norm()) farthest = d;
    figures.turned = std::max(figures.turned, angle_between(arm.X_WE().R, X.R));
    figures.elbow = std::max(figures.elbow, (arm.pose(config.elbow).p - p_elbow).norm());
  }
  figures.moved = farthest.norm();
  figures.back = (arm.X_WE().p - X.p).norm();
  const Eigen::Vector3d f_W = config.F_W.head<3>();
  if (figures.moved > kPushMoves && figures.foreseen > kPushMoves && !f_W.isZero()) {
    figures.off_model = angle_of(farthest, model);
    figures.off_push = angle_of(farthest, f_W);
  }
  return figures;
}

}  // namespace handspan
