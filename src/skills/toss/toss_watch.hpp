#pragma once
// What a tossed object does from when a cup lets go of it to its rest: how it meets what it is
// tossed onto, how far it tilts, where it comes to lie; and whether that is a good toss by the rule
// of van Gorp 2022, section 4.3. B is the object, C the belt, S what it is to rest on or in: the
// belt, or an object on it such as a tray.
#include <numbers>
#include <optional>
#include <string>

#include "core/object.hpp"
#include "core/state_archive.hpp"
#include "core/values.hpp"
#include "plant/world.hpp"
#include "scene/scene.hpp"

namespace handspan {

struct TossRule {
  std::string object, cup, belt, into;
  double longest = 3.0;                               // [s] after it was let go
  double max_tilt = 30.0 * std::numbers::pi / 180.0;  // [rad]
  std::optional<Eigen::Vector3d> leads;
  double max_yaw = 15.0 * std::numbers::pi / 180.0;  // [rad]
};

/// The keys of the rule.
template <class T>
ObjectSchema<T> with_toss_rule(ObjectSchema<T> schema) {
  return schema.required("object", &T::object, text(), "what is tossed")
      .required("cup", &T::cup, text(), "the suction group that lets it go")
      .required("belt", &T::belt, text(), "that it lands on")
      .optional("into", &T::into, text(),
                "an object, such as a tray on that belt, in which it is to come to rest: all "
                "that is against the belt is then against it")
      .optional("longest", &T::longest, number("s").above(0),
                "after it was let go; then it does not come to rest")
      .optional("leads", &T::leads, vector<3>(),
                "axis of the object that is to lie along the belt; left out: any of its sides")
      .optional("max_tilt", &T::max_tilt, number("rad").above(0), "of a toss that is judged good")
      .optional("max_yaw", &T::max_yaw, number("rad").above(0));
}

/// What a toss comes to; the first that is so.
enum class TossEnd : std::uint8_t {
  kOpen,       // not yet
  kMissed,     // it did not meet S in time
  kTumbled,    // it tilted by more than max_tilt when it met S, or after
  kMoves,      // it was not at rest in time
  kElsewhere,  // it rests, and not on S
  kTurned,     // its yaw at rest is not less than max_yaw
  kGood,
};

struct Toss {
  bool was_held = false, rests = false, over = false;
  Nanoseconds released = -1, impact = -1, rest = -1;     // -1: not yet
  double impact_tilt = 0.0, impact_speed = 0.0;          // the tick before [rad, m/s]
  double max_tilt = 0.0;                                 // from then on [rad]
  Eigen::Vector3d p_released = Eigen::Vector3d::Zero();  // in S, with a belt's travel taken off
  Eigen::Vector3d p_rest = Eigen::Vector3d::Zero();      // likewise
  Pose X_WS_rest, X_SB_rest;
};

class TossWatch {
 public:
  /// @param world outlives it
  /// @throws InputError with the names there are
  TossWatch(const TossRule& rule, const Scene& scene, const World& world);

  // in a tick; nothing allocates, locks or throws

  /// After the plant has advanced.
  void update(Nanoseconds now);
  bool held() const;
  /// The next toss.
  void begin_anew() { state_ = {}; }

  const TossRule& rule() const { return rule_; }
  const Toss& toss() const { return state_.toss; }
  TossEnd end() const;
  /// The largest angle between the z axes of B and S, at the impact and after it [rad].
  double max_tilt() const;
  /// At rest, between the axis that leads and S's x axis, either way; without one, of the nearest
  /// side [rad].
  double yaw() const;
  void state(StateArchive& archive);

  /// Between the z axes of B and S [rad].
  static double tilt(const Pose& X_SB);

 private:
  struct State {
    Toss toss;
    Nanoseconds last = -1;
    double travel = 0.0;        // of a belt's surface [m]
    double speed_before = 0.0;  // [m/s]
    Pose X_SB_before;
  };

  bool touches_surface() const;

  TossRule rule_;
  const World* world_;
  int object_ = 0, surface_ = 0, cup_ = 0;
  Pose X_WC_;
  State state_;
};

}  // namespace handspan
