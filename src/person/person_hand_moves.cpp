#include <algorithm>
#include <cmath>

#include "person/person_hand.hpp"

// How a hand gets to where it should be: it looks, plans, moves and stops; and what both hands do
// at once.
namespace handspan {
namespace {

// the person stops within this [s]
constexpr double kStopTime = 0.15;
// an axis that is let go counts as released after this share of its way
constexpr double kReleasedAfter = 0.6;
// less of a movement than this is not worth beginning
constexpr double kWorthwhile = 0.1;
// what is asked for must be more than this to tell that E does not follow [m]
constexpr double kTelling = 0.005;
// nearer than this to where it rests, going back there brings nothing [m, with turns]
constexpr double kAtRest = 0.02;
// what a radian is worth where turns and ways are compared [m]
constexpr double kMetresPerRadian = 0.1;

double size_of(const Vector6d& way) {
  return way.head<3>().norm() + kMetresPerRadian * way.tail<3>().norm();
}

}  // namespace

double PersonHand::away_from_rest(Nanoseconds now) const {
  if (!held_->has_reach()) return 0.0;
  const Pose X = X_VC(now);
  return (X.p - held_->rest().p).norm() + kMetresPerRadian * log_so3(X.R).norm();
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
        hand.until_ = hand.model_.hesitation(now);
        hand.phase_ = hand.clutch_is(1.0) ? Phase::kStand : Phase::kClutchIn;
      }
    } else if ((left.stuck_ >= 2 && !left.clutch_.empty()) ||
               (right.stuck_ >= 2 && !right.clutch_.empty())) {
      for (auto& hand : hands) hand.clutch_anew(now);
    } else {
      for (auto& hand : hands) hand.plan(now);
      const std::size_t points = std::min(left.points_, right.points_);
      for (auto& hand : hands)
        if (hand.points_ != points) hand.plan(now, points);
      const double share = std::min(left.share_, right.share_);
      const bool reaches = share == 1.0 && !left.cut_ && !right.cut_;
      const bool can_go_back = std::ranges::any_of(hands, [&](const PersonHand& hand) {
        return !hand.clutch_.empty() && hand.away_from_rest(now) > kAtRest;
      });
      for (auto& hand : hands) {
        hand.share_ = share;
        // what is held must not be carried by one hand while the other goes back: both do, before
        if (!reaches && can_go_back) {
          hand.clutch_out(now, true);
          continue;
        }
        hand.planned_ = true;
        hand.until_ = hand.model_.reaction(now);
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
bool PersonHand::look(Nanoseconds now) {
  const Act& a = act();
  const PersonAction& action = *a.action;
  const auto X_WE = sight_.pose(a.see);
  const auto X_WO = action.of ? sight_.pose(a.of) : Pose{};
  if (!X_WE || !X_WO) return false;
  if (action.kind == PersonAction::Kind::kSwing) {
    X_WE_seen_ = *X_WE;
    until_ = clutch_is(1.0) ? model_.reaction(now) : model_.hesitation(now);
    phase_ = clutch_is(1.0) ? Phase::kReact : Phase::kClutchIn;
    return false;
  }
  if (!has_seen_) p_WBegin_ = X_WE->p;
  X_WO_seen_ = *X_WO;
  const bool pushes = action.kind == PersonAction::Kind::kPush;
  if (action.by && (!has_seen_ || pushes)) X_WGoal_ = {X_WE->R, X_WE->p + *action.by};
  if (action.to) {
    X_WGoal_.p = *X_WO * *action.to;
    X_WGoal_.R = action.rpy ? Eigen::Matrix3d(X_WO->R * rotation_from_rpy(*action.rpy)) : X_WE->R;
  }
  const double moved =
      (X_WE->p - X_WE_seen_.p).norm() + kMetresPerRadian * angle_between(X_WE->R, X_WE_seen_.R);
  const bool stands = has_seen_ && asked_ > kTelling && moved < 0.2 * asked_;
  // against what it touches a hand stands still, however well its clutch is followed
  stuck_ = stands && !touching_ ? stuck_ + 1 : 0;
  asked_ = 0.0;
  has_seen_ = true;
  X_WE_seen_ = *X_WE;
  error_.head<3>() = X_WGoal_.p - X_WE->p + model_.gaze();
  error_.tail<3>().setZero();
  if (action.rpy) error_.tail<3>() = log_so3(X_WGoal_.R * X_WE->R.transpose()) + model_.turn_gaze();
  satisfied_ = !pushes && passed_ == action.through.size() &&
               error_.head<3>().norm() <= action.tolerance &&
               error_.tail<3>().norm() <= action.turn_tolerance;
  if (action.together && !pushes) {
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
    until_ = model_.hesitation(now);
    phase_ = Phase::kClutchIn;
  } else if (stuck_ >= 2 && !clutch_.empty()) {
    clutch_anew(now);
  } else {
    until_ = model_.reaction(now);
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
void PersonHand::plan(Nanoseconds now, std::size_t most_points) {
  const PersonAction& action = *act().action;
  curve_V_.reset();
  points_ = 1;
  passes_ = 0;
  cut_ = false;
  if (passed_ < action.through.size()) {
    plan_through(now, most_points);
    return;
  }
  target_ = error_;
  const OperatorModel::Aim aim = model_.aim(
      error_, {action.tolerance, action.turn_tolerance, action.speed.value_or(config_.speed)},
      action.together, held_->by_time(error_.head<3>()));
  const Pose X = X_VC(now);
  d_V_ = held_->way(aim.d_W);
  phi_V_ = held_->turn(aim.phi_W, X, X_WE_seen_.R);
  duration_ = held_->time_of(d_V_, phi_V_, kMinimumJerkPeak * d_V_.norm(), aim.time);
  share_ = share_within_reach(X, d_V_, phi_V_);
}

Eigen::Vector3d PersonHand::p_WThrough(std::size_t i) const {
  const PersonAction& action = *act().action;
  return action.to ? Eigen::Vector3d(X_WO_seen_ * action.through[i])
                   : Eigen::Vector3d(p_WBegin_ + action.through[i]);
}

// The next movement, through as many of the points that are left as are within reach, and what is
// in the hand can go through. The gaze errs for all points alike, the hand the more the farther.
void PersonHand::plan_through(Nanoseconds now, std::size_t most_points) {
  const PersonAction& action = *act().action;
  const std::size_t left = action.through.size() - passed_;  // before the goal
  const Pose X = X_VC(now);
  const Eigen::Vector3d gaze = error_.head<3>() - (X_WGoal_.p - X_WE_seen_.p);
  std::array<Eigen::Vector3d, ThroughPoints::kMost> ways;
  std::array<double, ThroughPoints::kMost> lengths;
  for (std::size_t k = 0; k <= left; ++k) {
    ways[k] = k < left ? Eigen::Vector3d(p_WThrough(passed_ + k) - X_WE_seen_.p + gaze)
                       : Eigen::Vector3d(error_.head<3>());
    lengths[k] = k > 0 ? lengths[k - 1] + (ways[k] - ways[k - 1]).norm() : ways[k].norm();
  }
  const std::size_t most = held_->draws_curves() ? std::min(left + 1, most_points) : 1;
  points_ = 1;
  while (points_ < most && held_->within_reach({X.R, X.p + held_->way(ways[points_])})) ++points_;
  target_ << ways[points_ - 1], lengths[points_ - 1] / lengths[left] * error_.tail<3>();
  const OperatorModel::Goal goal{action.tolerance, action.turn_tolerance,
                                 action.speed.value_or(config_.speed)};
  OperatorModel::Aim aim =
      model_.aim(target_, goal, action.together, held_->by_time(target_.head<3>()));
  phi_V_ = held_->turn(aim.phi_W, X, X_WE_seen_.R);
  share_ = 1.0;
  if (points_ > 1) {
    const Eigen::Vector3d off = aim.d_W - ways[points_ - 1];
    for (std::size_t k = 0; k < points_; ++k) ways[k] += lengths[k] / lengths[points_ - 1] * off;
    ThroughPoints curve;
    curve.plan(std::span(ways).first(points_));
    const Eigen::Matrix3d A = held_->way();
    bool reaches = true;
    for (double x = 0.05; reaches && x < 1.01; x += 0.05)
      reaches =
          held_->within_reach({exp_so3(minimum_jerk(x) * phi_V_) * X.R, X.p + A * curve.at(x)});
    if (reaches) {
      curve_V_ = curve.mapped(A);
      aim.time = model_.time_of(lengths[points_ - 1], aim.phi_W.norm(), curve.peak(), goal);
    } else {
      // it bulges out of reach: straight to the first point, and a rest there
      points_ = 1;
      target_.head<3>() = aim.d_W = ways[0];
    }
  }
  d_V_ = held_->way(aim.d_W);
  if (!curve_V_) share_ = share_within_reach(X, d_V_, phi_V_);
  duration_ = held_->time_of(
      d_V_, phi_V_, curve_V_ ? curve_V_->peak() : kMinimumJerkPeak * d_V_.norm(), aim.time);
  passes_ = share_ < 1.0 ? 0 : std::min(points_, left);
  cut_ = points_ < most;
}

void PersonHand::move(Nanoseconds now) {
  // what both do was planned when they met
  if (!planned_) plan(now);
  planned_ = false;
  goes_back_ = (share_ < 1.0 || cut_) && !clutch_.empty();
  phase_ = Phase::kMove;
  if (share_ < kWorthwhile) {
    // without a clutch the person can only stay and look again
    move_by(now, Eigen::Vector3d::Zero(), Eigen::Vector3d::Zero(), 0.0);
    return;
  }
  ++counts_.movements;
  asked_ = share_ * size_of(target_);
  move_by(now, share_ * d_V_, share_ * phi_V_, duration_);
  if (share_ == 1.0) movement_.through = curve_V_;
}

// What the person means to do at once, with their reach behind them: errs as other movements do,
// and is not looked at.
void PersonHand::swing(Nanoseconds now) {
  const PersonAction& action = *act().action;
  const OperatorModel::Aim aim =
      model_.swing(*action.by, action.turn, *action.speed, action.together);
  ++counts_.movements;
  phase_ = Phase::kMove;
  const Eigen::Vector3d d_V = held_->way(aim.d_W);
  const Eigen::Vector3d phi_V = held_->turn(aim.phi_W, X_VC(now), X_WE_seen_.R);
  const double time = held_->time_of(d_V, phi_V, kMinimumJerkPeak * d_V.norm(), aim.time);
  move_by(now, d_V, phi_V, time);
  // the person knows how long their finger takes
  const double finger = held_->any_axis(act().controls) ? kReleasedAfter * config_.press : 0.0;
  let_go_at_ = model_.let_go(now, action.at * time, finger, action.together);
}

void PersonHand::move_by(Nanoseconds now, const Eigen::Vector3d& d_V, const Eigen::Vector3d& phi_V,
                         double time) {
  const Pose X = X_VC(now);
  movement_ = {X.p, X.quaternion(), d_V, phi_V, now, std::llround(time * 1e9)};
}

void PersonHand::stop(Nanoseconds now) {
  // of the points those that it went through by now
  for (std::size_t i = 0; movement_.through && i < passes_; ++i)
    if (movement_.through->time(i) <= movement_.share_of_time(now)) ++passed_;
  passes_ = 0;
  movement_ = held_->stopped(movement_, now, kStopTime);
}

double PersonHand::share_within_reach(const Pose& X, const Eigen::Vector3d& d_V,
                                      const Eigen::Vector3d& phi_V) const {
  const auto within = [&](double s) {
    return held_->within_reach({exp_so3(s * phi_V) * X.R, X.p + s * d_V});
  };
  if (within(1.0)) return 1.0;
  double low = 0.0, high = 1.0;
  for (int i = 0; i < 30; ++i) {
    const double middle = 0.5 * (low + high);
    (within(middle) ? low : high) = middle;
  }
  return low;
}

}  // namespace handspan
