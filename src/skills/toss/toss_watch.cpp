#include "skills/toss/toss_watch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/error.hpp"
#include "core/named.hpp"

namespace handspan {
namespace {

// at rest: less than this of motion against the belt for so long (van Gorp 2022, section 4.3)
constexpr double kStill = 1e-3;  // [m]
constexpr Nanoseconds kRestFor = 500'000'000;

void one_of_them(const char* what, const std::string& name, const std::vector<std::string>& there) {
  find_named("the scene", what, name, there);
}

}  // namespace

TossWatch::TossWatch(const TossRule& rule, const Scene& scene, const World& world)
    : rule_(rule), world_(&world) {
  const std::vector<std::string>& cups = world.cups();
  std::vector<std::string> belts;
  one_of_them("body", rule.object, world.bodies());
  object_ = world.body(rule.object);
  one_of_them("suction cup", rule.cup, cups);
  cup_ = static_cast<int>(std::ranges::find(cups, rule.cup) - cups.begin());
  for (const auto& belt : scene.belts) {
    belts.push_back(belt.body.name);
    if (belts.back() == rule.belt) X_WC_ = belt.body.X_WB.pose();
  }
  one_of_them("belt", rule.belt, belts);
  if (!rule.into.empty()) one_of_them("body", rule.into, world.bodies());
  surface_ = world.body(rule.into.empty() ? rule.belt : rule.into);
  if (surface_ == object_)
    throw InputError(
        fmt::format("'{}' is tossed, and cannot come to rest in itself; give 'into' what it is to "
                    "be tossed into, or leave it out for the belt",
                    shown(rule.into)));
}

double TossWatch::tilt(const Pose& X_SB) { return std::acos(std::clamp(X_SB.R(2, 2), -1.0, 1.0)); }

bool TossWatch::held() const { return world_->cup(cup_).holds; }

void TossWatch::update(Nanoseconds now) {
  Toss& toss = state_.toss;
  const bool is_held = held();
  toss.was_held = toss.was_held || is_held;
  if (!toss.was_held || (is_held && toss.released < 0) || toss.over) return;
  const Pose X_WS = rule_.into.empty() ? X_WC_ : world_->body_pose(surface_);
  const Pose X_SB = X_WS.inverse() * world_->body_pose(object_);
  const double dt = state_.last < 0 ? 0.0 : seconds(now - state_.last);
  state_.last = now;
  // of a point that the belt carries; what is on the belt is carried by itself
  if (rule_.into.empty()) state_.travel += dt * world_->belt_speed(rule_.belt);
  const Eigen::Vector3d p = X_SB.p - Eigen::Vector3d(state_.travel, 0.0, 0.0);
  if (toss.released < 0) {
    toss.released = now;
    toss.p_released = p;
  }
  if (toss.impact < 0 && touches_surface()) {
    // as it was a tick before: what it meets has not turned it yet
    toss.impact = now;
    toss.impact_tilt = tilt(state_.X_SB_before);
    toss.impact_speed = state_.speed_before;
  }
  state_.X_SB_before = X_SB;
  state_.speed_before = world_->body_velocity(object_).head<3>().norm();
  toss.over = seconds(now - toss.released) > rule_.longest;
  if (toss.impact < 0) return;
  toss.max_tilt = std::max(toss.max_tilt, tilt(X_SB));
  if (toss.rest < 0 || (p - toss.p_rest).norm() > kStill) {
    toss.rest = now;
    toss.p_rest = p;
    toss.X_WS_rest = X_WS;
    toss.X_SB_rest = X_SB;
  } else if (now - toss.rest >= kRestFor) {
    toss.rests = touches_surface();
    toss.over = true;
  }
}

double TossWatch::max_tilt() const {
  return std::max(state_.toss.max_tilt, state_.toss.impact_tilt);
}

double TossWatch::yaw() const {
  const Eigen::Vector3d axis =
      state_.toss.X_SB_rest.R * rule_.leads.value_or(Eigen::Vector3d::UnitX());
  const double turn = rule_.leads ? std::numbers::pi : std::numbers::pi / 2.0;
  return std::abs(std::remainder(std::atan2(axis.y(), axis.x()), turn));
}

TossEnd TossWatch::end() const {
  const Toss& toss = state_.toss;
  if (!toss.over) return TossEnd::kOpen;
  if (toss.impact < 0) return TossEnd::kMissed;
  if (max_tilt() > rule_.max_tilt) return TossEnd::kTumbled;
  // over before it was still for long enough
  if (state_.last - toss.rest < kRestFor) return TossEnd::kMoves;
  if (!toss.rests) return TossEnd::kElsewhere;
  return yaw() < rule_.max_yaw ? TossEnd::kGood : TossEnd::kTurned;
}

void TossWatch::state(StateArchive& archive) {
  Toss& toss = state_.toss;
  archive(toss.was_held, toss.rests, toss.over, toss.released, toss.impact, toss.rest,
          toss.impact_tilt, toss.impact_speed, toss.max_tilt, toss.p_released, toss.p_rest);
  for (Pose* X : {&toss.X_WS_rest, &toss.X_SB_rest, &state_.X_SB_before}) archive(X->R, X->p);
  archive(state_.last, state_.travel, state_.speed_before);
}

bool TossWatch::touches_surface() const {
  return std::ranges::any_of(world_->contacts(), [this](const Contact& c) {
    return (c.body_a == object_ && c.body_b == surface_) ||
           (c.body_b == object_ && c.body_a == surface_);
  });
}

}  // namespace handspan
