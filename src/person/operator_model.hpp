#pragma once
// How somebody moves, whatever is in the hand: when (reaction times to what is seen and felt,
// mis-timing), where to (gaze and ends that err), how fast (Fitts' law) and how shakily. What is
// done is the script's (person_script.hpp), what is held is held_device.hpp's. Sources of the
// numbers: docs/teleoperation.md, "Scripted person". Frames: W world, E what is moved. Random from
// a seed and a name alone; does not learn while it runs.
#include <string>

#include "core/object.hpp"
#include "core/random.hpp"
#include "core/values.hpp"
#include "person/sub_movement.hpp"

namespace handspan {

struct OperatorConfig {
  double skill = 1.0;  // 2: errors half as large, and half of Fitts' slope; reactions stay
  double reaction = 0.2, reaction_spread = 0.02;  // from seeing to doing [s]
  double touch_reaction = 0.15;                   // from feeling to doing [s]
  double touch = 1.0;        // a force that rises by more than this is felt as a contact [N]
  double sight_delay = 0.0;  // what is seen was so that long ago: cameras, networks [s]
  double settle = 0.05;      // after a movement, until the person looks at what came of it [s]
  double gaze = 0.001;       // deviation of what the person sees, an axis [m]
  double turn_gaze = 0.01;   // [rad]
  double intercept = 0.1;    // a of movement_time() [s]
  double slope = 0.12;       // b [s]
  double speed = 0.8;        // [m/s]
  double turn_rate = 2.5;    // [rad/s]
  double endpoint = 0.05;    // deviation of a movement's end along it per its length; across it
                             // half of that (Meyer et al. 1988: in proportion to speed)
  double tremor = 0.0003;    // rms of an axis [m]
  double timing = 0.03;      // deviation of when the person presses, releases, goes on [s]
  double let_go = 0.008;     // deviation of when the person lets go in a swing: planned with it, so
                             // better timed than a press (Hore et al. 1996: about 10 ms)
  double mistiming = 0.04;   // deviation of a hand's beginning of a step after the other [s]
  double press = 0.08;       // an axis takes so long from one end to the other [s]
};

/// The keys of a struct that has an OperatorConfig as its base.
template <class T>
ObjectSchema<T> with_operator(const ObjectSchema<T>& schema) {
  using C = OperatorConfig;
  return schema
      .optional("skill", &C::skill, number().min(0.1).max(10),
                "errors, mis-timings and Fitts' slope are divided by it; 1: practised")
      .optional("reaction", &C::reaction, number("s").min(0).max(5), "from seeing to doing")
      .optional("reaction_spread", &C::reaction_spread, number("s").min(0).max(1))
      .optional("touch_reaction", &C::touch_reaction, number("s").min(0).max(5),
                "from feeling to doing")
      .optional("touch", &C::touch, number("N").above(0).max(1000),
                "a force that rises by more than this is felt as a contact")
      .optional("sight_delay", &C::sight_delay, number("s").min(0).max(2),
                "what is seen was so that long ago; what is felt is not late")
      .optional("settle", &C::settle, number("s").min(0).max(5),
                "after a movement, until the person looks at what came of it")
      .optional("gaze", &C::gaze, number("m").min(0).max(1), "deviation of what the person sees")
      .optional("turn_gaze", &C::turn_gaze, number("rad").min(0).max(1))
      .optional("intercept", &C::intercept, number("s").min(0).max(5), "a of Fitts' law")
      .optional("slope", &C::slope, number("s").min(0).max(5), "b of Fitts' law, a bit")
      .optional("speed", &C::speed, number("m/s").above(0).max(10))
      .optional("turn_rate", &C::turn_rate, number("rad/s").above(0).max(50))
      .optional("endpoint", &C::endpoint, number().min(0).max(1),
                "deviation of a movement's end along it per its length")
      .optional("tremor", &C::tremor, number("m").min(0).max(0.1), "rms, 8 to 12 Hz")
      .optional("timing", &C::timing, number("s").min(0).max(1),
                "deviation of when the person presses and goes on")
      .optional("let_go", &C::let_go, number("s").min(0).max(1),
                "deviation of when the person lets go in a swing")
      .optional("mistiming", &C::mistiming, number("s").min(0).max(1), "between the hands")
      .optional("press", &C::press, number("s").min(0).max(1), "an axis from one end to the other");
}

class OperatorModel {
 public:
  /// How near is near enough, and how fast it may be.
  struct Goal {
    double tolerance = 0.005;      // [m]
    double turn_tolerance = 0.05;  // [rad]
    double speed = 0.8;            // at most [m/s]
  };
  /// What the hand will do, errors included.
  struct Aim {
    Eigen::Vector3d d_W = Eigen::Vector3d::Zero();    // [m]
    Eigen::Vector3d phi_W = Eigen::Vector3d::Zero();  // rotation vector [rad]
    double time = 0.0;                                // [s]
  };

  /// @param config outlives this  @param hand "left" or "right"
  OperatorModel(const OperatorConfig& config, std::uint64_t seed, const std::string& name,
                const std::string& hand);

  // in a tick; nothing allocates or throws. Each call draws.

  /// When something that is seen, or felt, now is answered [ns].
  Nanoseconds reaction(Nanoseconds now);
  Nanoseconds touch_reaction(Nanoseconds now);
  /// When something is pressed or released that was decided now [ns].
  Nanoseconds hesitation(Nanoseconds now);
  /// When a pause of a time [s] is over [ns].
  Nanoseconds pause(Nanoseconds now, double time);
  /// When a hand begins a step that begins now [ns].
  Nanoseconds beginning(Nanoseconds now);
  /// How far off an axis is seen to be where it is [m], and turned [rad].
  Eigen::Vector3d gaze();
  Eigen::Vector3d turn_gaze();
  /// A movement by what is seen to be missing. @param error e, phi in W [m, rad]  @param together
  /// with the other hand, which errs alike  @param by_time speed of E while something is held down
  /// that moves it, so that mis-timing adds to the error; 0: it does not [m/s]
  Aim aim(const Vector6d& error, const Goal& goal, bool together, double by_time);
  /// One movement by a way [m], at a top speed [m/s], that is not looked at.
  Aim swing(const Eigen::Vector3d& way, const Eigen::Vector3d& turn, double speed, bool together);
  /// When a swing that begins now lets go, as a finger needs `early` [s] for it [ns].
  Nanoseconds let_go(Nanoseconds now, double time, double early, bool together);
  /// From here on both hands draw the same in what they do together. @param place in their script
  void begin_together(std::uint64_t place);

  /// Of a movement [s]: what Fitts' law gives for its length and its turn, and what its highest
  /// speed [m] (the derivative by the share of its time) and the turn need.
  double time_of(double length, double angle, double peak, const Goal& goal) const;
  /// [m]
  Eigen::Vector3d tremor(Nanoseconds now) const { return tremor_.at(now); }
  const OperatorConfig& config() const { return config_; }

 private:
  RandomStream& noise(bool together) { return together ? shared_ : own_; }
  // `square` is that of the way's length
  Aim err(const Eigen::Vector3d& way, double square, const Eigen::Vector3d& turn,
          RandomStream& random) const;

  const OperatorConfig& config_;
  double endpoint_, slope_, decision_, timing_, let_go_, mistiming_;  // with the skill
  RandomStream own_, shared_;
  Tremor tremor_;
};

}  // namespace handspan
