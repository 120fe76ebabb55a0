#include "person/person_hand.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/error.hpp"
#include "core/suggest.hpp"
#include "device/headset.hpp"

namespace handspan {
namespace {

constexpr const char* kSides[] = {"left", "right"};
// no movement is shorter [s]
constexpr double kShortest = 0.12;
// the person stops within this [s]
constexpr double kStopTime = 0.15;
// to press or release takes the person this long to decide [s]
constexpr double kDecision = 0.05;
// an axis that is let go counts as released after this share of its way
constexpr double kReleasedAfter = 0.6;
// the clutch follows within this, as the person knows [s]
constexpr double kClutchTime = 0.06;
// less of a movement than this is not worth beginning
constexpr double kWorthwhile = 0.1;
// what is asked for must be more than this to tell that E does not follow [m]
constexpr double kTelling = 0.005;
// nearer than this to where it rests, going back there brings nothing [m, with turns]
constexpr double kAtRest = 0.02;
// what a radian is worth where turns and ways are compared [m]
constexpr double kMetresPerRadian = 0.1;

bool moves(const PersonAction& action) {
  return action.kind == PersonAction::Kind::kMove || action.kind == PersonAction::Kind::kSwing;
}

Eigen::Vector3d normal3(RandomStream& random) {
  Eigen::Vector3d n;
  for (int i = 0; i < 3; ++i) n[i] = random.normal();
  return n;
}

}  // namespace

PersonHand::PersonHand(const PersonConfig& config, std::size_t side, std::uint64_t seed,
                       const std::string& name)
    : config_(config),
      hand_(config.hands[side]),
      side_(side),
      R_WV_(rotation_of(config.space)),
      R_EC_(controller_axes_of(config.space)),
      p_VRest_(hand_.rest.value_or(Eigen::Vector3d(side == 0 ? -0.2 : 0.2, 1.1, -0.35))),
      own_(seed, name + "." + kSides[side]),
      shared_(seed, name + ".both"),
      tremor_(config.tremor, own_) {
  movement_.p_VC0 = p_VRest_;
  for (const auto& control_name : hand_.clutch) clutch_.push_back(control(control_name));
  std::vector<const PersonStep*> steps;
  for (const auto* part : {&config.script, &config.give_up})
    for (const auto& step : *part) steps.push_back(&step);
  for (const PersonStep* step : steps) {
    auto& acts = script_.emplace_back();
    for (const auto& action : step->actions[side]) {
      Act& act = acts.emplace_back();
      act.action = &action;
      if (moves(action) && !action.see && !hand_.see)
        throw ConfigError({{action.place, "see",
                            fmt::format("is missing, and the {} hand has none", kSides[side]),
                            "give the pose channel of what is moved"}});
      try {
        for (const auto& control_name : action.controls)
          act.controls.push_back(control(control_name));
      } catch (const InputError& error) {
        throw ConfigError({{action.place, "", error.what(), ""}});
      }
    }
  }
}

std::size_t PersonHand::control(const std::string& name) {
  const DeviceLayout& layout = headset_layout();
  std::vector<std::string> names;
  Control found;
  bool there = false;
  for (const bool is_axis : {true, false}) {
    const auto& all = is_axis ? layout.axes : layout.buttons;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (!all[i].starts_with(kSides[side_])) continue;
      names.push_back(all[i]);
      if (all[i] != name) continue;
      found = {is_axis, i};
      there = true;
    }
  }
  if (!there)
    throw InputError(fmt::format("the {} hand has no control '{}'; {}", kSides[side_], shown(name),
                                 did_you_mean(name, names, "it has")));
  for (std::size_t h = 0; h < held_.size(); ++h)
    if (held_[h].control.is_axis == found.is_axis && held_[h].control.index == found.index)
      return h;
  held_.push_back({found, 0.0, 0.0});
  return held_.size() - 1;
}

void PersonHand::watch(const ChannelTable& channels) {
  for (auto& acts : script_)
    for (Act& act : acts) {
      const PersonAction& action = *act.action;
      try {
        if (moves(action)) {
          act.see = find_pose(action.see ? *action.see : *hand_.see, channels);
          if (action.of) act.of = find_pose(*action.of, channels);
          if (action.until) act.seen = {*action.until, channels};
        } else if (action.kind == PersonAction::Kind::kWait) {
          act.seen = {action.awaited, channels};
        }
      } catch (const InputError& error) {
        throw ConfigError({{action.place, "", error.what(), ""}});
      }
    }
}

Nanoseconds PersonHand::after(Nanoseconds now, double time) const {
  return now + std::llround(std::max(0.0, time) * 1e9);
}

// nobody is faster than half of their reaction time
Nanoseconds PersonHand::reaction(Nanoseconds now) {
  return after(now, std::max(0.5 * config_.reaction,
                             own_.normal(config_.reaction, config_.reaction_spread)));
}

Nanoseconds PersonHand::hesitation(Nanoseconds now) {
  return after(now, own_.normal(kDecision, config_.timing));
}

void PersonHand::set(const std::vector<std::size_t>& controls, bool down) {
  for (const std::size_t c : controls) held_[c].target = down ? 1.0 : 0.0;
}

bool PersonHand::settled(const std::vector<std::size_t>& controls) const {
  return std::ranges::all_of(controls,
                             [&](std::size_t c) { return held_[c].value == held_[c].target; });
}

bool PersonHand::clutch_is(double value) const {
  return std::ranges::all_of(clutch_, [&](std::size_t c) { return held_[c].value == value; });
}

void PersonHand::work_controls(double dt) {
  for (Held& held : held_) {
    const double most = held.control.is_axis && config_.press > 0.0 ? dt / config_.press : 1.0;
    held.value += std::clamp(held.target - held.value, -most, most);
  }
}

void PersonHand::begin(std::size_t step, std::uint64_t round, Nanoseconds now) {
  step_ = step;
  round_ = round;
  index_ = 0;
  started_ = gave_up_ = false;
  last_ = now;
  begun_ = after(now, std::abs(own_.normal(0.0, config_.mistiming)));
}

void PersonHand::begin_action(Nanoseconds now) {
  started_ = true;
  acted_ = planned_ = false;
  begun_ = now;
  phase_ = Phase::kLook;
  stop_at_.reset();
  has_seen_ = false;
  asked_ = 0.0;
  stuck_ = 0;
  satisfied_ = false;
  const PersonAction& action = *act().action;
  if (action.together) {
    // from the same place for both hands, whatever they drew before
    RandomState state = shared_.state();
    state.drawn = (round_ * script_.size() + step_) << 32 | std::uint64_t{index_} << 16;
    shared_.restore(state);
  }
  switch (action.kind) {
    case PersonAction::Kind::kPause:
      until_ = after(now, own_.normal(action.time, config_.timing));
      break;
    case PersonAction::Kind::kPress:
    case PersonAction::Kind::kRelease:
      until_ = hesitation(now);
      break;
    case PersonAction::Kind::kGoToRest:
      clutch_out(now, true);
      break;
    case PersonAction::Kind::kMove:
    case PersonAction::Kind::kSwing:
    case PersonAction::Kind::kWait:
      break;
  }
}

bool PersonHand::advance(Nanoseconds now, const ChannelTable& channels) {
  work_controls(seconds(now - last_));
  last_ = now;
  if (index_ >= script_[step_].size()) return true;
  if (!started_) {
    if (now < begun_) return false;
    begin_action(now);
  }
  if (!advance_action(now, channels)) return false;
  ++index_;
  if (index_ >= script_[step_].size()) return true;
  begin_action(now);
  return false;
}

bool PersonHand::advance_action(Nanoseconds now, const ChannelTable& channels) {
  const Act& a = act();
  const PersonAction& action = *a.action;
  switch (action.kind) {
    case PersonAction::Kind::kPause:
      return now >= until_;
    case PersonAction::Kind::kPress:
    case PersonAction::Kind::kRelease:
      if (now < until_) return false;
      if (!acted_) set(a.controls, action.kind == PersonAction::Kind::kPress);
      acted_ = true;
      return settled(a.controls);
    case PersonAction::Kind::kWait:
      if (acted_) return now >= until_;
      if (a.seen.holds(action.awaited, channels)) {
        acted_ = true;
        until_ = reaction(now);
      } else if (now > after(begun_, action.patience)) {
        ++counts_.given_up;
        gave_up_ = true;
        return true;
      }
      return false;
    case PersonAction::Kind::kGoToRest:
      if (phase_ == Phase::kSettle) return now >= until_;
      return advance_clutch(now);
    case PersonAction::Kind::kMove:
    case PersonAction::Kind::kSwing:
      return advance_move(now, channels);
  }
  return true;
}

bool PersonHand::advance_move(Nanoseconds now, const ChannelTable& channels) {
  const Act& a = act();
  if (a.action->until && !stop_at_ && a.seen.holds(*a.action->until, channels))
    stop_at_ = reaction(now);
  const bool swings = a.action->kind == PersonAction::Kind::kSwing;
  // nobody stops a swing half-way
  const bool out_of_patience =
      now > after(begun_, a.action->patience) && !(swings && phase_ == Phase::kMove);
  if (phase_ != Phase::kStop && (out_of_patience || (stop_at_ && now >= *stop_at_))) {
    if (out_of_patience && !stop_at_) {
      ++counts_.given_up;
      gave_up_ = true;
    }
    stop(now);
    phase_ = Phase::kStop;
  }
  switch (phase_) {
    case Phase::kLook:
      return look(now, channels);
    case Phase::kMeet:
    case Phase::kStand:
      return false;
    case Phase::kReact:
      if (now >= until_) swings ? swing(now) : move(now);
      return false;
    case Phase::kMove:
      if (swings) {
        if (now >= let_go_at_) set(a.controls, false);
        return movement_.over(now) && settled(a.controls);
      }
      if (!movement_.over(now)) return false;
      if (goes_back_)
        clutch_out(now, true);
      else {
        until_ = after(now, config_.settle);
        phase_ = Phase::kSettle;
      }
      return false;
    case Phase::kSettle:
      if (now >= until_) phase_ = Phase::kLook;
      return false;
    case Phase::kClutchOut:
    case Phase::kBack:
    case Phase::kClutchIn:
      return advance_clutch(now);
    case Phase::kStop:
      return movement_.over(now);
  }
  return false;
}

void PersonHand::clutch_out(Nanoseconds now, bool goes_back) {
  goes_back_ = goes_back;
  until_ = hesitation(now);
  phase_ = Phase::kClutchOut;
}

// opens the clutch, goes back where it is to, closes it and waits until it is followed
bool PersonHand::advance_clutch(Nanoseconds now) {
  switch (phase_) {
    case Phase::kClutchOut:
      if (now < until_) return false;
      set(clutch_, false);
      if (!clutch_is(0.0)) return false;
      if (goes_back_) {
        const Pose X = X_VC(now);
        const Eigen::Vector3d d = p_VRest_ - X.p, phi = -log_so3(X.R);
        move_by(now, d, phi,
                std::max({kShortest, kMinimumJerkPeak * d.norm() / config_.speed,
                          kMinimumJerkPeak * phi.norm() / config_.turn_rate}));
        ++counts_.strokes;
      }
      phase_ = Phase::kBack;
      return false;
    case Phase::kBack:
      if (!movement_.over(now)) return false;
      goes_back_ = false;
      until_ = hesitation(now);
      phase_ = Phase::kClutchIn;
      return false;
    case Phase::kClutchIn:
      if (now < until_) return false;
      set(clutch_, true);
      if (!clutch_is(1.0)) return false;
      until_ = after(now, kClutchTime);
      phase_ = Phase::kSettle;
      return false;
    default:
      return false;
  }
}

void PersonHand::let_go(Nanoseconds now) {
  for (Held& held : held_) held.target = 0.0;
  goes_back_ = false;
  stop(now);
}

void PersonHand::appear(Nanoseconds now) {
  for (Held& held : held_) held.target = held.value = 0.0;
  goes_back_ = false;
  movement_ = {};
  movement_.p_VC0 = p_VRest_;
  last_ = now;
}

void PersonHand::meet(std::array<PersonHand, 2>& hands, Nanoseconds now) {
  PersonHand &left = hands[0], &right = hands[1];
  const auto waits = [](const PersonHand& hand) {
    return hand.moving_on() && hand.phase_ == Phase::kMeet;
  };
  if (waits(left) && waits(right) && left.index_ == right.index_) {
    if (left.satisfied_ && right.satisfied_) {
      for (auto& hand : hands) hand.go_on(now);
    } else if (!left.clutch_is(1.0) || !right.clutch_is(1.0)) {
      for (auto& hand : hands) {
        hand.until_ = hand.hesitation(now);
        hand.phase_ = hand.clutch_is(1.0) ? Phase::kStand : Phase::kClutchIn;
      }
    } else if ((left.stuck_ >= 2 && !left.clutch_.empty()) ||
               (right.stuck_ >= 2 && !right.clutch_.empty())) {
      for (auto& hand : hands) hand.clutch_anew(now);
    } else {
      for (auto& hand : hands) hand.plan(now);
      const double share = std::min(left.share_, right.share_);
      const bool can_go_back = std::ranges::any_of(hands, [&](const PersonHand& hand) {
        const Pose X = hand.X_VC(now);
        return !hand.clutch_.empty() &&
               (X.p - hand.p_VRest_).norm() + kMetresPerRadian * log_so3(X.R).norm() > kAtRest;
      });
      for (auto& hand : hands) {
        hand.share_ = share;
        // what is held must not be carried by one hand while the other goes back: both do, before
        if (share < 1.0 && can_go_back) {
          hand.clutch_out(now, true);
          continue;
        }
        hand.planned_ = true;
        hand.until_ = hand.reaction(now);
        hand.phase_ = Phase::kReact;
      }
    }
  } else {
    // nothing to wait for: the other hand stopped, or gave up
    for (std::size_t h = 0; h < 2; ++h)
      if (waits(hands[h]) && hands[1 - h].index_ > hands[h].index_) hands[h].decide(now);
  }
  for (std::size_t h = 0; h < 2; ++h) {
    PersonHand& hand = hands[h];
    const bool other = hands[1 - h].clutching();
    if (!hand.moving_on()) continue;
    if (hand.phase_ == Phase::kStand) {
      if (!other && hand.movement_.over(now)) hand.phase_ = Phase::kLook;
    } else if (other && hand.clutch_is(1.0) &&
               (hand.phase_ == Phase::kLook || hand.phase_ == Phase::kReact ||
                hand.phase_ == Phase::kMove || hand.phase_ == Phase::kSettle)) {
      ++hand.counts_.waits;
      hand.goes_back_ = false;
      hand.stop(now);
      hand.phase_ = Phase::kStand;
      // that it did not get there says nothing of its clutch
      hand.asked_ = 0.0;
    }
  }
}

// whether E is where it should be, as the person sees it
bool PersonHand::look(Nanoseconds now, const ChannelTable& channels) {
  const Act& a = act();
  const PersonAction& action = *a.action;
  const auto X_WE = pose_on(a.see, channels);
  const auto X_WO = action.of ? pose_on(a.of, channels) : Pose{};
  if (!X_WE || !X_WO) return false;
  if (action.kind == PersonAction::Kind::kSwing) {
    X_WE_seen_ = *X_WE;
    until_ = clutch_is(1.0) ? reaction(now) : hesitation(now);
    phase_ = clutch_is(1.0) ? Phase::kReact : Phase::kClutchIn;
    return false;
  }
  if (action.by && !has_seen_) X_WGoal_ = {X_WE->R, X_WE->p + *action.by};
  if (action.to) {
    X_WGoal_.p = *X_WO * *action.to;
    X_WGoal_.R = action.rpy ? Eigen::Matrix3d(X_WO->R * rotation_from_rpy(*action.rpy)) : X_WE->R;
  }
  const double moved =
      (X_WE->p - X_WE_seen_.p).norm() + kMetresPerRadian * angle_between(X_WE->R, X_WE_seen_.R);
  const bool stands = has_seen_ && asked_ > kTelling && moved < 0.2 * asked_;
  stuck_ = stands ? stuck_ + 1 : 0;
  asked_ = 0.0;
  has_seen_ = true;
  X_WE_seen_ = *X_WE;
  error_.head<3>() = X_WGoal_.p - X_WE->p + config_.gaze * normal3(own_);
  error_.tail<3>().setZero();
  if (action.rpy)
    error_.tail<3>() =
        log_so3(X_WGoal_.R * X_WE->R.transpose()) + config_.turn_gaze * normal3(own_);
  satisfied_ = error_.head<3>().norm() <= action.tolerance &&
               error_.tail<3>().norm() <= action.turn_tolerance;
  if (action.together) {
    phase_ = Phase::kMeet;
    return false;
  }
  if (satisfied_) return true;
  decide(now);
  return false;
}

// what comes after a look, when there is nobody to wait for
void PersonHand::decide(Nanoseconds now) {
  if (satisfied_) {
    go_on(now);
  } else if (!clutch_is(1.0)) {
    until_ = hesitation(now);
    phase_ = Phase::kClutchIn;
  } else if (stuck_ >= 2 && !clutch_.empty()) {
    clutch_anew(now);
  } else {
    until_ = reaction(now);
    phase_ = Phase::kReact;
  }
}

// the present movement has come to its end
void PersonHand::go_on(Nanoseconds now) {
  ++index_;
  if (index_ < script_[step_].size()) begin_action(now);
}

// nothing follows: the person tries the clutch anew
void PersonHand::clutch_anew(Nanoseconds now) {
  stuck_ = 0;
  ++counts_.reclutches;
  clutch_out(now, false);
}

// the next movement, from what the person saw
void PersonHand::plan(Nanoseconds now) {
  const PersonAction& action = *act().action;
  const Eigen::Vector3d e = error_.head<3>(), phi = error_.tail<3>();
  const double distance = e.norm(), angle = phi.norm();
  RandomStream& random = noise();
  const double along = random.normal(), turns = random.normal();
  Eigen::Vector3d across = normal3(random);
  if (distance > 0.0) across -= across.dot(e) / (distance * distance) * e;
  const Eigen::Vector3d d =
      (1.0 + config_.endpoint * along) * e + 0.5 * config_.endpoint * distance * across;
  const double time = std::max(
      {kShortest, movement_time(distance, 2.0 * action.tolerance, config_.intercept, config_.slope),
       movement_time(angle, 2.0 * action.turn_tolerance, config_.intercept, config_.slope),
       kMinimumJerkPeak * distance / std::min(config_.speed, action.speed.value_or(config_.speed)),
       kMinimumJerkPeak * angle / config_.turn_rate});
  const Pose X = X_VC(now);
  d_V_ = R_WV_.transpose() * d.cwiseQuotient(config_.scale);
  phi_V_ = turned_by((1.0 + config_.endpoint * turns) * phi, X);
  duration_ = time;
  share_ = share_within_reach(X, d_V_, phi_V_);
}

void PersonHand::move(Nanoseconds now) {
  // what both do was planned when they met
  if (!planned_) plan(now);
  planned_ = false;
  goes_back_ = share_ < 1.0 && !clutch_.empty();
  phase_ = Phase::kMove;
  if (share_ < kWorthwhile) {
    // without a clutch the person can only stay and look again
    move_by(now, Eigen::Vector3d::Zero(), Eigen::Vector3d::Zero(), 0.0);
    return;
  }
  ++counts_.movements;
  asked_ = share_ * (error_.head<3>().norm() + kMetresPerRadian * error_.tail<3>().norm());
  move_by(now, share_ * d_V_, share_ * phi_V_, duration_);
}

// What the person means to do at once, with their reach behind them: errs as other movements do,
// and is not looked at.
void PersonHand::swing(Nanoseconds now) {
  const PersonAction& action = *act().action;
  const Eigen::Vector3d& way = *action.by;
  RandomStream& random = noise();
  const double along = random.normal(), turns = random.normal();
  Eigen::Vector3d across = normal3(random);
  across -= across.dot(way) / way.squaredNorm() * way;
  const Eigen::Vector3d d =
      (1.0 + config_.endpoint * along) * way + 0.5 * config_.endpoint * way.norm() * across;
  const double time = std::max(kShortest, kMinimumJerkPeak * way.norm() / *action.speed);
  const Pose X = X_VC(now);
  ++counts_.movements;
  phase_ = Phase::kMove;
  move_by(now, R_WV_.transpose() * d.cwiseQuotient(config_.scale),
          turned_by((1.0 + config_.endpoint * turns) * action.turn, X), time);
  // the person knows how long their finger takes
  const bool axis =
      std::ranges::any_of(act().controls, [&](std::size_t c) { return held_[c].control.is_axis; });
  let_go_at_ = after(now, action.at * time + random.normal(0.0, config_.let_go) -
                              (axis ? kReleasedAfter * config_.press : 0.0));
}

// how the hand turns for E to turn by phi
Eigen::Vector3d PersonHand::turned_by(const Eigen::Vector3d& phi_W, const Pose& X_VC) const {
  return config_.turn == TurnAxes::kWorld
             ? Eigen::Vector3d(R_WV_.transpose() * phi_W)
             : Eigen::Vector3d(X_VC.R * R_EC_.transpose() * X_WE_seen_.R.transpose() * phi_W);
}

void PersonHand::move_by(Nanoseconds now, const Eigen::Vector3d& d_V, const Eigen::Vector3d& phi_V,
                         double time) {
  const Pose X = X_VC(now);
  movement_ = {X.p, X.quaternion(), d_V, phi_V, now, std::llround(time * 1e9)};
}

// goes on for a little, as a hand must: the half of a minimum-jerk way that slows down from there
void PersonHand::stop(Nanoseconds now) {
  const Vector6d V = movement_.velocity(now);
  const Pose X = X_VC(now);
  const double rest = V.isZero(0.0) ? 0.0 : kStopTime;
  const Vector6d way = 2.0 * rest / kMinimumJerkPeak * V;
  const Eigen::Vector3d d = way.head<3>(), phi = way.tail<3>();
  movement_ = {X.p - 0.5 * d,
               exp_quaternion(-0.5 * phi) * X.quaternion(),
               d,
               phi,
               now - std::llround(rest * 1e9),
               std::llround(2.0 * rest * 1e9)};
}

double PersonHand::share_within_reach(const Pose& X, const Eigen::Vector3d& d_V,
                                      const Eigen::Vector3d& phi_V) const {
  const auto within = [&](double s) {
    return (X.p + s * d_V - p_VRest_).norm() <= hand_.reach &&
           log_so3(exp_so3(s * phi_V) * X.R).norm() <= hand_.turn_reach;
  };
  if (within(1.0)) return 1.0;
  double low = 0.0, high = 1.0;
  for (int i = 0; i < 30; ++i) {
    const double middle = 0.5 * (low + high);
    (within(middle) ? low : high) = middle;
  }
  return low;
}

void PersonHand::write(Nanoseconds now, DeviceSample& sample) const {
  const Pose X = movement_.at(now);
  Eigen::Vector3d p = X.p + tremor_.at(now);
  if (config_.resolution > 0.0)
    for (int i = 0; i < 3; ++i) p[i] = config_.resolution * std::round(p[i] / config_.resolution);
  sample.set_pose(side_, TrackedAs::kController, p, X.quaternion());
  for (const Held& held : held_) {
    if (held.control.is_axis)
      sample.set_axis(held.control.index, held.value);
    else
      sample.set_button(held.control.index, held.value > 0.5);
  }
}

}  // namespace handspan
