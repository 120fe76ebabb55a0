#pragma once
// What a scripted person is told to do and how the person moves (person.hpp): steps, in each of
// which the two hands have a list of actions. Frames: W world, V the person's tracking frame, E
// what a hand moves, O an object.
#include <Eigen/Core>
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "core/schema.hpp"
#include "person/seen_value.hpp"
#include "teleop/pose_mapping.hpp"

namespace handspan {

struct PersonAction {
  enum class Kind { kMove, kSwing, kPress, kRelease, kPause, kWait, kGoToRest };
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
struct PersonHandConfig {
  std::optional<std::string> see;       // pose channel of what it moves
  std::vector<std::string> clutch;      // controls that must be held; empty: none is needed
  std::optional<Eigen::Vector3d> rest;  // where it is at first, in V [m]; none: beside the person
  double reach = 0.3;                   // it goes no farther from there [m]
  double turn_reach = 1.0;              // nor turns farther [rad]
};

struct PersonConfig {
  // how the person moves
  double reaction = 0.2, reaction_spread = 0.02;  // from seeing to doing [s]
  double settle = 0.05;     // after a movement, until the person looks at what came of it [s]
  double gaze = 0.001;      // deviation of what the person sees, an axis [m]
  double turn_gaze = 0.01;  // [rad]
  double intercept = 0.1;   // a of movement_time() [s]
  double slope = 0.12;      // b [s]
  double speed = 0.8;       // [m/s]
  double turn_rate = 2.5;   // [rad/s]
  double endpoint = 0.05;   // deviation of a movement's end along it per its length; across it
                            // half of that (Meyer et al. 1988: in proportion to speed)
  double tremor = 0.0003;   // rms of an axis [m]
  double timing = 0.03;     // deviation of when the person presses, releases, goes on [s]
  double let_go = 0.008;    // deviation of when the person lets go in a swing: planned with it, so
                            // better timed than a press (Hore et al. 1996: 5 to 10 ms)
  double mistiming = 0.04;  // deviation of a hand's beginning of a step after the other [s]
  double press = 0.08;      // an axis takes so long from one end to the other [s]

  // how the person is tracked
  double rate = 90.0;       // [Hz]
  double jitter = 0.001;    // deviation of a sample's time [s]
  double resolution = 0.0;  // positions are multiples of it; 0: none [m]
  SpaceConfig space;        // as the source that follows the person has it
  TurnAxes turn = TurnAxes::kWorld;
  Eigen::Vector3d scale = Eigen::Vector3d::Ones();

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

/// @param mappings of `space`; outlives the schema
Schema<PersonConfig> person_schema(const MappingRegistry& mappings);

}  // namespace handspan
