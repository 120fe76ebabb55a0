#include "person/person_hand.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/error.hpp"
#include "person/held_pose.hpp"

namespace handspan {
namespace {

// no way back is shorter [s]
constexpr double kShortestBack = 0.12;
// the clutch follows within this, as the person knows [s]
constexpr double kClutchTime = 0.06;

bool moves(const PersonAction& action) {
  return action.kind == PersonAction::Kind::kMove || action.kind == PersonAction::Kind::kPush ||
         action.kind == PersonAction::Kind::kSwing;
}

Nanoseconds after(Nanoseconds now, double time) {
  return now + std::llround(std::max(0.0, time) * 1e9);
}

std::unique_ptr<HeldDevice> taken(const PersonConfig& config, std::size_t side) {
  const HeldContext context{config, config.hands[side], side, config.press};
  if (!config.holds) return hold_headset(context);
  try {
    return config.holds->make(context);
  } catch (const InputError& error) {
    throw ConfigError({{config.holds->place, "", error.what(), ""}});
  }
}

}  // namespace

PersonHand::PersonHand(const PersonConfig& config, std::size_t side, std::uint64_t seed,
                       const std::string& name, Sight& sight)
    : config_(config),
      hand_(config.hands[side]),
      side_(side),
      sight_(sight),
      model_(config, seed, name, name_of_side(side)),
      held_(taken(config, side)) {
  movement_.p_VC0 = held_->rest().p;
  for (const auto& control : hand_.clutch) clutch_.push_back(held_->control(control));
  for (const auto* part : {&config.script, &config.give_up})
    for (const PersonStep& step : *part) {
      auto& acts = script_.emplace_back();
      for (const auto& action : step.actions[side]) take(action, acts);
    }
}

void PersonHand::take(const PersonAction& action, std::vector<Act>& acts) {
  const char* side = name_of_side(side_);
  const bool acting =
      action.kind != PersonAction::Kind::kPause && action.kind != PersonAction::Kind::kWait;
  if (acting && !held_->in_hand())
    throw ConfigError(
        {{action.place, "", fmt::format("the {} hand holds nothing", side),
          fmt::format("give this to the other hand, or 'hand: {}' under holds", side)}});
  if (moves(action) && !action.see && !hand_.see)
    throw ConfigError(
        {{action.place, "see", fmt::format("is missing, and the {} hand has none", side),
          "give the pose channel of what is moved"}});
  if (action.kind == PersonAction::Kind::kPush && !hand_.feels)
    throw ConfigError({{action.place, "", fmt::format("the {} hand feels nothing", side),
                        "give it 'feels: {channel: ...}' under hands, or move 'until' a value is "
                        "seen"}});
  Act& act = acts.emplace_back();
  act.action = &action;
  try {
    for (const auto& control : action.controls) act.controls.push_back(held_->control(control));
  } catch (const InputError& error) {
    throw ConfigError({{action.place, "", error.what(), ""}});
  }
}

void PersonHand::watch(const ChannelTable& channels) {
  if (hand_.feels) try {
      feels_ = {*hand_.feels, channels};
    } catch (const InputError& error) {
      throw ConfigError({{hand_.feels->place, "", error.what(), ""}});
    }
  for (auto& acts : script_)
    for (Act& act : acts) {
      const PersonAction& action = *act.action;
      try {
        if (moves(action)) {
          act.see = sight_.pose(action.see ? *action.see : *hand_.see, channels);
          if (action.of) act.of = sight_.pose(*action.of, channels);
          if (action.until) act.seen = sight_.value(*action.until, channels);
        } else if (action.kind == PersonAction::Kind::kWait) {
          act.seen = sight_.value(action.awaited, channels);
        }
      } catch (const InputError& error) {
        throw ConfigError({{action.place, "", error.what(), ""}});
      }
    }
}

void PersonHand::begin(std::size_t step, std::uint64_t round, Nanoseconds now) {
  step_ = step;
  round_ = round;
  index_ = 0;
  started_ = gave_up_ = false;
  last_ = now;
  begun_ = model_.beginning(now);
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
  satisfied_ = touching_ = bumped_ = cut_ = false;
  felt_from_.reset();
  passed_ = passes_ = 0;
  const PersonAction& action = *act().action;
  if (action.together)
    model_.begin_together((round_ * script_.size() + step_) << 32 | std::uint64_t{index_} << 16);
  switch (action.kind) {
    case PersonAction::Kind::kPause:
      until_ = model_.pause(now, action.time);
      break;
    case PersonAction::Kind::kPress:
    case PersonAction::Kind::kRelease:
      until_ = model_.hesitation(now);
      break;
    case PersonAction::Kind::kGoToRest:
      clutch_out(now, true);
      break;
    case PersonAction::Kind::kMove:
    case PersonAction::Kind::kPush:
    case PersonAction::Kind::kSwing:
    case PersonAction::Kind::kWait:
      break;
  }
}

bool PersonHand::advance(Nanoseconds now, const ChannelTable& channels) {
  held_->work(seconds(now - last_));
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
      if (!acted_) held_->set(a.controls, action.kind == PersonAction::Kind::kPress);
      acted_ = true;
      return held_->settled(a.controls);
    case PersonAction::Kind::kWait:
      if (acted_) return now >= until_;
      if (sight_.holds(a.seen)) {
        acted_ = true;
        until_ = model_.reaction(now);
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
    case PersonAction::Kind::kPush:
    case PersonAction::Kind::kSwing:
      return advance_move(now, channels);
  }
  return true;
}

bool PersonHand::advance_move(Nanoseconds now, const ChannelTable& channels) {
  const Act& a = act();
  if (a.action->until && !stop_at_ && sight_.holds(a.seen)) stop_at_ = model_.reaction(now);
  feel(now, channels);
  // nobody stops a swing half-way
  const bool swings = is(PersonAction::Kind::kSwing) && phase_ == Phase::kMove;
  const bool out_of_patience = now > after(begun_, a.action->patience) && !swings;
  if (phase_ != Phase::kStop && (out_of_patience || (stop_at_ && now >= *stop_at_))) {
    if (bumped_ || (out_of_patience && !stop_at_)) {
      ++counts_.given_up;
      gave_up_ = true;
    }
    stop(now);
    phase_ = Phase::kStop;
  }
  return advance_phase(now);
}

// what the hand feels: what was there when the action began is no contact
void PersonHand::feel(Nanoseconds now, const ChannelTable& channels) {
  if (!hand_.feels || !moving_on()) return;
  const double force = feels_.now(channels);
  if (std::isnan(force)) return;
  felt_from_ = std::min(force, felt_from_.value_or(force));
  touching_ = force - *felt_from_ > config_.touch;
  if (stop_at_) return;
  const PersonAction& action = *act().action;
  if (action.kind == PersonAction::Kind::kPush) {
    if (force > action.force) stop_at_ = model_.touch_reaction(now);
  } else if (touching_ && !action.through_contact && !action.until) {
    // nobody goes on into what they did not expect to touch
    stop_at_ = model_.touch_reaction(now);
    bumped_ = true;
    ++counts_.contacts;
  }
}

bool PersonHand::advance_phase(Nanoseconds now) {
  const Act& a = act();
  const bool swings = is(PersonAction::Kind::kSwing);
  switch (phase_) {
    case Phase::kLook:
      return look(now);
    case Phase::kMeet:
    case Phase::kStand:
      return false;
    case Phase::kReact:
      if (now >= until_) swings ? swing(now) : move(now);
      return false;
    case Phase::kMove:
      if (swings) {
        if (now >= let_go_at_) held_->set(a.controls, false);
        return movement_.over(now) && held_->settled(a.controls);
      }
      if (!movement_.over(now)) return false;
      passed_ += passes_;
      passes_ = 0;
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
  until_ = model_.hesitation(now);
  phase_ = Phase::kClutchOut;
}

// opens the clutch, goes back where it is to, closes it and waits until it is followed
bool PersonHand::advance_clutch(Nanoseconds now) {
  switch (phase_) {
    case Phase::kClutchOut:
      if (now < until_) return false;
      held_->set(clutch_, false);
      if (!clutch_is(0.0)) return false;
      if (goes_back_ && held_->has_reach()) {
        const Pose X = X_VC(now);
        const Eigen::Vector3d d = held_->rest().p - X.p, phi = -log_so3(X.R);
        move_by(now, d, phi,
                std::max({kShortestBack, kMinimumJerkPeak * d.norm() / config_.speed,
                          kMinimumJerkPeak * phi.norm() / config_.turn_rate}));
        ++counts_.strokes;
      }
      phase_ = Phase::kBack;
      return false;
    case Phase::kBack:
      if (!movement_.over(now)) return false;
      goes_back_ = false;
      until_ = model_.hesitation(now);
      phase_ = Phase::kClutchIn;
      return false;
    case Phase::kClutchIn:
      if (now < until_) return false;
      held_->set(clutch_, true);
      if (!clutch_is(1.0)) return false;
      until_ = after(now, kClutchTime);
      phase_ = Phase::kSettle;
      return false;
    default:
      return false;
  }
}

void PersonHand::let_go(Nanoseconds now) {
  held_->release_all();
  goes_back_ = false;
  stop(now);
}

void PersonHand::appear(Nanoseconds now) {
  held_->reset();
  goes_back_ = false;
  movement_ = {};
  movement_.p_VC0 = held_->rest().p;
  last_ = now;
}

void PersonHand::write(Nanoseconds now, DeviceSample& sample) const {
  held_->write(movement_, model_.tremor(now), now, sample);
}

}  // namespace handspan
