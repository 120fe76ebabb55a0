#include "skills/grab/grab_watch.hpp"

#include <algorithm>
#include <cmath>

#include "core/error.hpp"
#include "core/named.hpp"

namespace handspan {
namespace {

// lifted: higher than this over where it stood. Plates that meet it out of true turn it until both
// lie flat on it, by which it rises by some millimetres: an impact's end, and no lift [m]
constexpr double kOff = 0.02;
// farther than this from where it was held it is lost, and how far it falls tells nothing [m]
constexpr double kLost = 0.1;
// who has not touched it for so long has let go: plates that squeeze may leave it for some ticks
constexpr Nanoseconds kLetGo = 200'000'000;

}  // namespace

GrabWatch::GrabWatch(const GrabRule& rule, const World& world) : rule_(rule), world_(&world) {
  const std::vector<std::string>& bodies = world.bodies();
  find_named("the scene", "body", rule.object, bodies);
  object_ = world.body(rule.object);
  side_.assign(bodies.size(), -1);
  for (std::size_t side = 0; side < 2; ++side) {
    find_named("the scene", "body", rule.between[side], bodies);
    holders_[side] = world.body(rule.between[side]);
  }
  if (holders_[0] == holders_[1])
    throw InputError("'between' has one body twice; name the two that hold the object");
  // a pad that is fixed to a plate touches for it
  for (std::size_t b = 0; b < bodies.size(); ++b)
    for (int at = static_cast<int>(b); at > 0; at = world.parent(at))
      for (std::size_t side = 0; side < 2; ++side)
        if (at == holders_[side] && side_[b] < 0) side_[b] = static_cast<std::int8_t>(side);
  if (side_[static_cast<std::size_t>(object_)] >= 0)
    throw InputError("'object' is one of the bodies that take it; name what is taken");
  state_.stands = world.body_pose(object_).p.z();
}

Eigen::Vector3d GrabWatch::p_WT(std::size_t side) const {
  return world_->body_pose(holders_[side]) * rule_.touch;
}

void GrabWatch::find_touches(Nanoseconds now) {
  state_.carried = true;
  for (const Contact& c : world_->contacts()) {
    if (c.body_a != object_ && c.body_b != object_) continue;
    const int other = c.body_a == object_ ? c.body_b : c.body_a;
    const int side = side_[static_cast<std::size_t>(other)];
    if (side >= 0)
      state_.last_touch[static_cast<std::size_t>(side)] = now;
    else
      state_.carried = false;
  }
}

bool GrabWatch::holds(std::size_t side, Nanoseconds now) const {
  return state_.last_touch[side] >= 0 && now - state_.last_touch[side] < kLetGo;
}

void GrabWatch::update(Nanoseconds now) {
  Grab& grab = state_.grab;
  const Pose X_WB = world_->body_pose(object_);
  find_touches(now);
  const bool left = holds(0, now), right = holds(1, now), held = left || right;
  // what fell out of the hands is let go of before it is taken again
  state_.wait = state_.wait && held;
  if ((!grab.touched || grab.over) && (!held || state_.wait)) {
    if (!held) state_.stands = X_WB.p.z();
    return;
  }
  if (!grab.touched || grab.over) {
    grab = {};
    grab.touched = true;
    grab.begin = now;
    grab.stood = state_.stands;
  }
  const double height = X_WB.p.z() - grab.stood;
  if (!grab.lifted && height > kOff && left && right && state_.carried) {
    grab.lifted = true;
    grab.lift = now;
    for (std::size_t side = 0; side < 2; ++side) state_.p_BT[side] = X_WB.inverse() * p_WT(side);
  }
  // put down it leans on what it stands on: how the hands slide along it then is no slip
  if (grab.lifted && height > kOff && state_.carried) watch_lift(X_WB);
  if (!grab.lost && held) return;
  grab.over = true;
  state_.wait = held;
  grab.end = now;
  grab.ended = height;
}

void GrabWatch::watch_lift(const Pose& X_WB) {
  Grab& grab = state_.grab;
  grab.height = std::max(grab.height, X_WB.p.z() - grab.stood);
  for (std::size_t side = 0; side < 2; ++side)
    grab.slip = std::max(grab.slip, (X_WB * state_.p_BT[side] - p_WT(side)).norm());
  grab.tilt = std::max(grab.tilt, std::acos(std::clamp(X_WB.R(2, 2), -1.0, 1.0)));
  grab.lost = grab.slip > kLost;
}

GrabEnd GrabWatch::end() const {
  const Grab& grab = state_.grab;
  if (!grab.over) return GrabEnd::kOpen;
  if (!grab.lifted) return GrabEnd::kNotLifted;
  if (grab.lost) return GrabEnd::kLost;
  if (!(grab.height > rule_.lifted)) return GrabEnd::kLow;
  if (grab.slip > rule_.max_slip) return GrabEnd::kSlipped;
  if (grab.tilt > rule_.max_tilt) return GrabEnd::kTilted;
  return std::abs(grab.ended) < rule_.put_back_within ? GrabEnd::kGood : GrabEnd::kElsewhere;
}

void GrabWatch::state(StateArchive& archive) {
  Grab& grab = state_.grab;
  archive(grab.touched, grab.lifted, grab.lost, grab.over, grab.begin, grab.lift, grab.end,
          grab.stood, grab.height, grab.slip, grab.tilt, grab.ended);
  archive(state_.last_touch, state_.p_BT[0], state_.p_BT[1], state_.stands, state_.wait,
          state_.carried);
}

}  // namespace handspan
