#pragma once
// One hand of a scripted person: it carries out the actions of a step by what the person sees and
// feels. A movement to a goal is a row of sub-movements: the person looks, begins a reaction time
// later, moves to where they saw the goal, and looks again. A push is such a row without an end,
// until a force is felt; a swing is one movement at a stated speed, not looked at. How well all of
// that is done is operator_model.hpp's, what the hand holds held_device.hpp's.
// Frames: W world, V tracking, C what is held, E what it moves, O an object.
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/channel.hpp"
#include "person/held_device.hpp"
#include "person/operator_model.hpp"
#include "person/person_script.hpp"
#include "person/sight.hpp"

namespace handspan {

/// What a hand has done so far.
struct PersonCounts {
  std::uint64_t movements = 0;   // sub-movements and swings
  std::uint64_t strokes = 0;     // went back with the clutch open, at the end of its reach
  std::uint64_t reclutches = 0;  // E did not follow: released and pressed anew
  std::uint64_t waits = 0;       // stood while the other hand's clutch was open
  std::uint64_t given_up = 0;    // actions that ran out of patience, or touched something
  std::uint64_t contacts = 0;    // felt where none was expected
};

class PersonHand {
 public:
  /// @param config outlives this, as `sight`, what both hands see by  @param side 0: left, 1: right
  /// @throws InputError for a control that is not the hand's, a move without anything to see, a
  /// push without anything to feel, or an action of a hand that holds nothing
  PersonHand(const PersonConfig& config, std::size_t side, std::uint64_t seed,
             const std::string& name, Sight& sight);

  /// Finds what the person looks at, and feels. @throws InputError for a channel that is not there
  /// or of a wrong type
  void watch(const ChannelTable& channels);
  const DeviceLayout& layout() const { return held_->layout(); }

  // in a tick; nothing allocates or throws

  /// Begins a step, after a mis-timing. @param step of the script, or beyond it of `give_up`
  /// @param round how often the script was begun before
  void begin(std::size_t step, std::uint64_t round, Nanoseconds now);
  /// @return whether the step's actions have come to their end
  bool advance(Nanoseconds now, const ChannelTable& channels);
  /// Lets go of all controls and stops where it is; what it did is forgotten.
  void let_go(Nanoseconds now);
  /// As if it had never been anywhere: at rest, nothing pressed.
  void appear(Nanoseconds now);
  /// Whether an action ran out of patience in this step.
  bool gave_up() const { return gave_up_; }
  /// After both hands advanced: what is done by two hands at once. Either waits before a movement
  /// that they make together until the other is as far, and while the other's clutch is open.
  static void meet(std::array<PersonHand, 2>& hands, Nanoseconds now);
  /// Its pose and controls.
  void write(Nanoseconds now, DeviceSample& sample) const;

  /// Where it is, without tremor.
  Pose X_VC(Nanoseconds now) const { return movement_.at(now); }
  const PersonCounts& counts() const { return counts_; }

 private:
  enum class Phase {
    kLook,
    kMeet,  // has looked, and waits for the other hand
    kReact,
    kMove,
    kSettle,
    kClutchOut,
    kBack,
    kClutchIn,
    kStand,  // while the other hand's clutch is open
    kStop
  };
  struct Act {
    const PersonAction* action = nullptr;
    std::vector<std::size_t> controls;
    std::size_t see = 0, of = 0, seen = 0;  // of the sight; seen: awaited or until
  };

  void take(const PersonAction& action, std::vector<Act>& acts);
  const Act& act() const { return script_[step_][index_]; }
  bool is(PersonAction::Kind kind) const { return act().action->kind == kind; }
  bool in_action() const {
    return started_ && step_ < script_.size() && index_ < script_[step_].size();
  }
  bool moving_on() const {
    return in_action() && (is(PersonAction::Kind::kMove) || is(PersonAction::Kind::kPush));
  }
  bool clutch_is(double value) const { return held_->all_are(clutch_, value); }
  double away_from_rest(Nanoseconds now) const;
  bool clutching() const {
    return moving_on() &&
           (phase_ == Phase::kClutchOut || phase_ == Phase::kBack || phase_ == Phase::kClutchIn);
  }
  void begin_action(Nanoseconds now);
  void go_on(Nanoseconds now);
  void decide(Nanoseconds now);
  void clutch_anew(Nanoseconds now);
  void clutch_out(Nanoseconds now, bool goes_back);
  bool advance_clutch(Nanoseconds now);
  bool advance_action(Nanoseconds now, const ChannelTable& channels);
  bool advance_move(Nanoseconds now, const ChannelTable& channels);
  bool advance_phase(Nanoseconds now);
  void feel(Nanoseconds now, const ChannelTable& channels);
  bool look(Nanoseconds now);
  void plan(Nanoseconds now, std::size_t most_points = ThroughPoints::kMost);
  void plan_through(Nanoseconds now, std::size_t most_points);
  Eigen::Vector3d p_WThrough(std::size_t i) const;
  void move(Nanoseconds now);
  void swing(Nanoseconds now);
  void move_by(Nanoseconds now, const Eigen::Vector3d& d_V, const Eigen::Vector3d& phi_V,
               double time);
  void stop(Nanoseconds now);
  double share_within_reach(const Pose& X_VC, const Eigen::Vector3d& d_V,
                            const Eigen::Vector3d& phi_V) const;

  const PersonConfig& config_;
  const PersonHandConfig& hand_;
  std::size_t side_;
  Sight& sight_;
  OperatorModel model_;
  std::unique_ptr<HeldDevice> held_;
  WatchedValue feels_;
  std::vector<std::size_t> clutch_;
  std::vector<std::vector<Act>> script_;  // the script's steps, then those of giving up

  std::size_t step_ = 0, index_ = 0;
  std::uint64_t round_ = 0;
  Nanoseconds last_ = 0;   // time of the last advance() [ns]
  Nanoseconds begun_ = 0;  // the action [ns]
  Nanoseconds until_ = 0;  // of the phase [ns]
  bool started_ = false;   // the action
  bool acted_ = false;     // what it was waiting for has happened
  Phase phase_ = Phase::kLook;
  SubMovement movement_;
  bool goes_back_ = false;              // after the movement: at the end of its reach
  std::optional<Nanoseconds> stop_at_;  // `until` was seen
  Nanoseconds let_go_at_ = 0;           // in a swing
  Pose X_WE_seen_, X_WO_seen_, X_WGoal_;
  Eigen::Vector3d p_WBegin_ = Eigen::Vector3d::Zero();  // of E, as it was seen at first [m]
  bool has_seen_ = false;                               // since the action began
  Vector6d error_ = Vector6d::Zero();                   // as the person sees it, in W [m, rad]
  double asked_ = 0.0;      // of the last movement, as E was meant to move [m]
  bool satisfied_ = false;  // by what was seen
  int stuck_ = 0;
  bool gave_up_ = false;             // in this step
  std::optional<double> felt_from_;  // the least force since the action began [N]
  bool touching_ = false, bumped_ = false;
  std::size_t passed_ = 0;  // of the points of `through`

  // the next movement, when it is planned
  bool planned_ = false;
  Vector6d target_ = Vector6d::Zero();  // what of the error it is for, in W [m, rad]
  Eigen::Vector3d d_V_, phi_V_;         // [m, rad]
  double duration_ = 0.0;               // [s]
  double share_ = 1.0;                  // of it that is within reach
  std::optional<ThroughPoints> curve_V_;
  std::size_t points_ = 1;  // that it goes to
  std::size_t passes_ = 0;  // of the points of `through`, with it; also of the present one
  bool cut_ = false;        // before others, at the end of the reach
  PersonCounts counts_;
};

}  // namespace handspan
