#pragma once
// What a scripted person (person.hpp) is told to do: steps, in each of which the two hands have a
// list of actions. How the person moves is operator_model.hpp's, what is held held_device.hpp's.
// Frames: W world, V the person's tracking frame, E what a hand moves, O an object.
#include <Eigen/Core>
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "core/schema.hpp"
#include "person/held_device.hpp"
#include "person/operator_model.hpp"
#include "person/seen_value.hpp"

namespace handspan {

struct PersonAction {
  enum class Kind { kMove, kPush, kSwing, kPress, kRelease, kPause, kWait, kGoToRest };
  Place place;
  Kind kind = Kind::kPause;
  bool together = false;  // with the other hand: both err alike

  // move: E, seen on a channel, to a place, until it is seen there
  std::optional<std::string> see;     // pose channel of E; left out: that of the hand
  std::optional<Eigen::Vector3d> to;  // in W, or in `of` [m]
  std::optional<Eigen::Vector3d> by;  // instead: from where it is seen at first, along W's axes [m]
  std::optional<std::string> of;      // pose channel of an object O
  std::optional<Eigen::Vector3d> rpy;  // E's turn in W or O; left out: not cared for [rad]
  double tolerance = 0.005;            // [m]
  double turn_tolerance = 0.05;        // [rad]
  std::optional<double> speed;         // at most; left out: the person's own [m/s]
  std::optional<SeenValue> until;      // or until this is seen: the person stops where they are

  // on the way there, without a rest at any of them; as `to` is given, or as `by` [m]
  std::vector<Eigen::Vector3d> through;
  bool through_contact = false;  // goes on where it touches something; else it gives up there

  // push: on and on in the direction of `by`, by as much at a time, until so much is felt [N]
  double force = 0.0;

  // swing: one ballistic movement `by` so much at a peak `speed`, without a look at its end
  Eigen::Vector3d turn = Eigen::Vector3d::Zero();  // that E turns meanwhile, about W's axes [rad]
  double at = 0.5;  // share of its time at which `controls` are let go

  std::vector<std::string> controls;  // press, release, swing
  double time = 0.0;                  // pause [s]
  SeenValue awaited;                  // wait
  double patience = 20.0;             // then the person gives it up [s]
};

/// Left and right; the next step begins when both have come to their end.
struct PersonStep {
  std::array<std::vector<PersonAction>, 2> actions;
};

/// One of the person's hands.
struct PersonHandConfig : HandPlace {
  std::optional<std::string> see;   // pose channel of what it moves
  std::optional<SeenValue> feels;   // the force on it
  std::vector<std::string> clutch;  // controls that must be held; empty: none is needed
};

struct PersonConfig : OperatorConfig, TrackingConfig {
  // what is held; none: the controllers of a headset
  std::optional<HeldDeviceRegistry::Part> holds;
  std::array<PersonHandConfig, 2> hands;  // left, right
  std::vector<PersonStep> script;
  bool repeats = false;
  // what the person does when an action runs out of patience, and when they were away; then they
  // begin the script anew. Empty: they go on with the next action
  std::vector<PersonStep> give_up;
  // beyond the first step the person lets go of everything and begins anew when any of these is
  // seen
  std::vector<SeenValue> anew_when;
};

/// @param mappings of `space`; outlives the schema  @param held what can be held now
Schema<PersonConfig> person_schema(const MappingRegistry& mappings, const HeldDeviceRegistry& held);

}  // namespace handspan
